// Tables to look in at: the large one with its live board, the cards of the others, and the list of all there ever were.
import { address, get, Problem } from "./api.js";
import { Board } from "./board.js";
import { boot } from "./boot.js";
import { Connection, Trouble } from "./chrome.js";
import { html, signal, useEffect, useSignal } from "./html.js";
import { ahead, complete, hold, now, order, running, shown, since, tables, titleOf } from "./lobby.js";
import { positionsTold } from "./picture.js";
import { SeatLine, whoIs } from "./seats.js";
import { follow } from "./stream.js";
import { moment, t } from "./words.js";

/** @typedef {import("./lobby.js").Table} Table */

const CARDS_MAX = 24;
const SEATS_MAX = 6;
/** Between two pictures of a card. */
const PICTURE_MS = 5_000;
const PAGE = 20;

/** @param {{table: Table}} props who sits there, and how it stands */
const Seats = ({ table }) => {
  const best = ahead(table);
  const seats = [...table.seats].sort((a, b) => b.total - a.total || a.seat - b.seat);
  return html`
    <ul class="seats">
      ${seats.slice(0, SEATS_MAX).map(
        (seat) => html`<li key=${seat.seat} class=${best.includes(seat.seat) ? "best" : ""}>
          <span class="number" aria-hidden="true">${seat.seat}</span>
          <span><${SeatLine} ...${seat} />${seat.left ? html` <span class="muted">${t("left")}</span>` : null}</span>
          ${best.includes(seat.seat) ? html`<span class="tag">${t(table.status === "ended" ? "won" : "leads")}</span>` : null}
          <span class="total">${seat.total}</span>
        </li>`,
      )}
      ${seats.length > SEATS_MAX ? html`<li class="muted">${t("more_seats", { n: seats.length - SEATS_MAX })}</li>` : null}
    </ul>
  `;
};

/** @param {{table: Table}} props */
const When = ({ table }) =>
  table.status === "ended"
    ? html`<p class="when"><span class="tag">${t("over")}</span> <a class="target" href=${`/m/${table.match}`}>${t("replay")}</a></p>`
    : html`<p class="when muted">${t("revision", { n: table.revision })} · ${t("moved", { when: since(table.changed_at) })}</p>`;

/** @param {string} match @param {number} revision which picture; the newest is sent */
const picture = (match, revision) =>
  address(`/api/matches/${match}/board.svg`, { language: boot.language, seen: revision });

/** A card; its picture is renewed now and then, and only where somebody can see it. @param {{match: string}} props */
const Card = ({ match }) => {
  const table = /** @type {Table} */ (tables.value.get(match));
  const drawn = useSignal(table?.revision ?? 0);
  useEffect(() => {
    const again = setInterval(() => {
      const newest = tables.peek().get(match)?.revision;
      if (newest && document.visibilityState === "visible") drawn.value = newest;
    }, PICTURE_MS);
    return () => clearInterval(again);
  }, [match]);
  if (!table) return null;
  const title = titleOf(table.game);
  return html`
    <li class="card table" data-match=${match}>
      <img src=${picture(match, drawn.value)} alt=${t("picture", { game: title })} loading="lazy" width="320" height="200" />
      <h3><a href=${`/m/${match}`}>${title}<span class="unseen"> ${match}</span></a></h3>
      <${Seats} table=${table} />
      <${When} table=${table} />
    </li>
  `;
};

/** @param {FocusEvent} event */
function leave(event) {
  const into = /** @type {Node | null} */ (event.relatedTarget);
  if (!(/** @type {HTMLElement} */ (event.currentTarget).contains(into))) hold(false);
}

/** For an element inside which nothing may change its place while somebody is there with pointer or focus. */
const holding = {
  onPointerEnter: () => hold(true),
  onPointerLeave: () => hold(false),
  onFocusIn: () => hold(true),
  onFocusOut: leave,
};

/** The table that is shown large, its board as it changes. @param {{match: string}} props */
const Large = ({ match }) => {
  const svg = useSignal("");
  const stream = useSignal(/** @type {ReturnType<typeof follow> | null} */ (null));
  useEffect(() => {
    svg.value = "";
    const draw = (/** @type {any} */ told) => {
      svg.value = told.svg;
    };
    const url = (/** @type {string | undefined} */ after) =>
      address(`/api/matches/${match}/stream`, { language: boot.language, after, patches: 1 });
    const opened = follow(url, positionsTold(draw));
    stream.value = opened;
    return opened.close;
  }, [match]);
  const table = tables.value.get(match);
  if (!table) return null;
  return html`
    <article class="card large" data-match=${match} ...${holding}>
      <div class="row">
        <h3><a href=${`/m/${match}`}>${titleOf(table.game)}</a></h3>
        ${table.status === "running" ? html`<span class="tag live">${t("live")}</span>` : null}
        ${stream.value?.connection.value === "away" ? html`<${Connection} of=${stream.value.connection} />` : null}
      </div>
      <div class="picture">${svg.value ? html`<${Board} svg=${svg.value} />` : null}</div>
      <${Seats} table=${table} />
      <${When} table=${table} />
      <p><a class="button main" href=${`/m/${match}`}>${t("watch")}</a></p>
    </article>
  `;
};

/** The table that is shown large, or what to do if nobody plays. */
export const Shown = () => {
  if (shown.value) return html`<${Large} match=${shown.value} />`;
  return complete.value
    ? html`<div class="card empty"><p>${t("nobody_plays")}</p>
        <p><a class="button main" href="#practice">${t("practice.to")}</a></p></div>`
    : html`<div class="card empty"><p class="muted">${t("looking")}</p></div>`;
};

/** Every other table that plays. */
export const Cards = () => {
  const matches = order.value.slice(0, CARDS_MAX);
  if (!matches.length) return null;
  return html`
    <section aria-labelledby="others">
      <h2 id="others">${t("others")}</h2>
      <ul class="cards" ...${holding}>
        ${matches.map((match) => html`<${Card} key=${match} match=${match} />`)}
      </ul>
      ${running.value > matches.length + 1 ? html`<p><a href="#all">${t("all.more", { n: running.value })}</a></p>` : null}
    </section>
  `;
};

// -- all of them -----------------------------------------------------------------------------------------------------

const listed = signal(/** @type {Table[] | null} */ (null));
const trouble = signal(/** @type {Problem | null} */ (null));
const status = signal("");
const game = signal("");
/** The tokens of the pages so far; the last one is of the page that is shown. */
const pages = signal([""]);
const next = signal("");

/** @param {string[]} tokens */
async function turn(tokens) {
  try {
    const query = { status: status.value, game: game.value, page_size: PAGE, page_token: tokens.at(-1) };
    const told = await get("/api/matches", query);
    trouble.value = null;
    listed.value = told.matches;
    next.value = told.next_page_token;
    pages.value = tokens;
    now.value = Date.now();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    trouble.value = error;
  }
}

/** @param {import("@preact/signals").Signal<string>} of */
const choose = (of) => (/** @type {Event} */ event) => {
  of.value = /** @type {HTMLSelectElement} */ (event.currentTarget).value;
  turn([""]);
};

/** @param {Table} table */
const standing = (table) =>
  [...table.seats]
    .sort((a, b) => b.total - a.total || a.seat - b.seat)
    .slice(0, SEATS_MAX)
    .map((seat) => t("all.points", { name: whoIs(seat), points: seat.total }))
    .join(" · ");

const List = () => html`
  <div class="row">
    <label class="field"><span>${t("all.status")}</span>
      <select onChange=${choose(status)}>
        <option value="">${t("all.any")}</option>
        <option value="running">${t("all.running")}</option>
        <option value="ended">${t("all.ended")}</option>
      </select>
    </label>
    <label class="field"><span>${t("all.game")}</span>
      <select onChange=${choose(game)}>
        <option value="">${t("all.any")}</option>
        ${boot.games.map((each) => html`<option value=${each.key}>${each.title}</option>`)}
      </select>
    </label>
  </div>
  <${Trouble} problem=${trouble.value} again=${() => turn(pages.value)} />
  ${listed.value && !listed.value.length ? html`<p class="muted">${t("all.none")}</p>` : null}
  ${
    listed.value?.length
      ? html`<div class="scroll" tabindex="0" role="region" aria-label=${t("all.seats")}>
          <table class="all">
            <thead><tr><th scope="col">${t("all.table")}</th><th scope="col">${t("all.seats")}</th>
              <th scope="col">${t("all.state")}</th><th scope="col">${t("all.opened")}</th></tr></thead>
            <tbody>${listed.value.map(
              (table) => html`<tr key=${table.match}>
                <th scope="row"><a class="target" href=${`/m/${table.match}`}>${titleOf(table.game)}</a> <span class="muted">${table.match}</span></th>
                <td>${standing(table)}</td>
                <td>${table.status === "ended" ? html`<a class="target" href=${`/m/${table.match}`}>${t("replay")}</a>` : html`<span class="tag live">${t("live")}</span>`}</td>
                <td>${moment(table.opened_at)}</td>
              </tr>`,
            )}</tbody>
          </table>
        </div>`
      : null
  }
  <div class="row">
    ${pages.value.length > 1 ? html`<button type="button" onClick=${() => turn(pages.value.slice(0, -1))}>${t("all.newer")}</button>` : null}
    ${next.value ? html`<button type="button" onClick=${() => turn([...pages.value, next.value])}>${t("all.older")}</button>` : null}
  </div>
`;

/** Every table there ever was, a page at a time; asked for when somebody wants to see it. */
export const AllTables = () => html`
  <section aria-labelledby="all">
    <h2 id="all">${t("all")}</h2>
    ${
      listed.value || trouble.value
        ? html`<${List} />`
        : html`<button type="button" onClick=${() => turn([""])}>${t("all.show")}</button>`
    }
  </section>
`;
