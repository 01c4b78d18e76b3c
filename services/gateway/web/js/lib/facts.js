// What has happened, in sentences: a list that follows live, and what is said to those who listen.
import { say } from "./announcer.js";
import { effect, html, useEffect, useLayoutEffect, useRef, useSignalEffect } from "./html.js";
import { clockTime, t } from "./words.js";

/** @typedef {import("./table.js").Table} Table */
/** @typedef {import("./table.js").Fact} Fact */

const SAID_MAX = 4;
/** A move, and what the house does upon it, are one thing to say. */
const TOGETHER_MS = 400;
/** Near enough to the end of the list to want to see what comes. */
const NEAR_PX = 48;

/** @param {{fact: Fact, linked: boolean}} props */
const Happened = ({ fact, linked }) => {
  const words = fact.words.map((each) => html`<span>${each} </span>`);
  return html`<li data-revision=${fact.revision}>
    <span class="n" title=${clockTime(fact.at)}>${fact.revision}</span>
    ${linked ? html`<a href=${`#${fact.revision}`}>${words}</a>` : html`<p>${words}</p>`}
  </li>`;
};

/** @param {{table: Table}} props */
export function Facts({ table }) {
  const list = useRef(/** @type {HTMLElement | null} */ (null));
  const follows = useRef(true);
  const facts = table.facts.value;
  const scrolled = () => {
    const { scrollHeight = 0, scrollTop = 0, clientHeight = 0 } = list.current ?? {};
    follows.current = scrollHeight - scrollTop - clientHeight < NEAR_PX;
  };
  useLayoutEffect(() => {
    if (list.current && follows.current && table.isLive.peek()) list.current.scrollTop = list.current.scrollHeight;
  }, [facts]);
  // It grows once more when a font arrives, or a phone is turned.
  useEffect(() => {
    const grown = new ResizeObserver(() => {
      if (list.current && follows.current && table.isLive.peek()) list.current.scrollTop = list.current.scrollHeight;
    });
    if (list.current?.firstElementChild) grown.observe(list.current.firstElementChild);
    return () => grown.disconnect();
  }, []);
  // The list is long, and a step changes two lines of it.
  useLayoutEffect(() => mark(list.current, table.at.peek(), table.isLive.peek()), [facts]);
  useSignalEffect(() => mark(list.current, table.at.value, table.isLive.value));
  return html`
    <section class="told">
      <h2 id="told-title">${t("facts")}</h2>
      <div class="facts-room" ref=${list} onScroll=${scrolled} tabindex="0" role="region" aria-labelledby="told-title">
        <ol class="facts">
          ${facts.filter((each) => each.words.length).map((each) => html`<${Happened} key=${each.revision} fact=${each} linked=${table.canStep.value} />`)}
        </ol>
      </div>
    </section>
  `;
}

/**
 * Marks what led to the position on screen, and brings it into sight when the past is looked at.
 * @param {HTMLElement | null} room
 * @param {number} at
 * @param {boolean} isLive
 */
function mark(room, at, isLive) {
  if (!room) return;
  for (const each of room.querySelectorAll("[aria-current]")) each.removeAttribute("aria-current");
  const lines = [.../** @type {NodeListOf<HTMLElement>} */ (room.querySelectorAll("[data-revision]"))];
  const line = lines.findLast((each) => Number(each.dataset.revision) <= at);
  if (!line) return;
  line.setAttribute("aria-current", "step");
  const hidden =
    line.offsetTop < room.scrollTop || line.offsetTop + line.offsetHeight > room.scrollTop + room.clientHeight;
  if (hidden && !isLive) room.scrollTop = line.offsetTop - room.clientHeight / 2;
}

/**
 * Says what happens while it is looked at live: each sentence once, those that come together together, of a flood the
 * last. In the past the slider speaks.
 * @param {Table} table
 */
export function tellNews(table) {
  let told = -1;
  /** @type {string[]} */
  let waiting = [];
  const speak = () => {
    say(waiting.slice(-SAID_MAX).join(" "));
    waiting = [];
  };
  effect(() => {
    const facts = table.facts.value;
    const newest = table.newest.value;
    if (told < 0) {
      // What had happened before this page was opened is no news.
      if (newest && facts.length >= newest) told = facts.length;
      return;
    }
    const news = facts.slice(told).flatMap((each) => each.words);
    told = facts.length;
    if (!news.length || !table.isLive.peek()) return;
    if (!waiting.length) setTimeout(speak, TOGETHER_MS);
    waiting.push(...news);
  });
}
