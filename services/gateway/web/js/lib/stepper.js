// Through a match and back: a slider, four buttons, keys. One way leads back to live.
import { html, useEffect, useRef } from "./html.js";
import { Icon } from "./icons.js";
import { t } from "./words.js";

/** @typedef {import("./table.js").Table} Table */

const LEAP = 10;

/**
 * What happened at a revision, in one line; empty if nobody may know or nothing is said of it.
 * @param {Table} table
 * @param {number} revision
 */
export const saidAt = (table, revision) => table.facts.value[revision - 1]?.words.join(" ") ?? "";

/** @type {Record<string, (at: number, newest: number) => number>} */
const KEYS = {
  ArrowLeft: (at) => at - 1,
  ArrowRight: (at) => at + 1,
  Home: () => 1,
  End: (_, newest) => newest,
  "[": (at) => at - LEAP,
  "]": (at) => at + LEAP,
};

/**
 * Keys act when nothing has the focus that has use for them itself.
 * @param {KeyboardEvent} event
 */
function isFree(event) {
  if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return false;
  const target = event.target instanceof Element ? event.target : document.body;
  return !target.closest("input, select, textarea, dialog, [contenteditable], .board, [role=grid]");
}

/**
 * One button. At its end it stays, because what has the focus must not vanish.
 * @param {{table: Table, name: "first" | "previous" | "next" | "last", to: number, ends: boolean}} props
 */
const Way = ({ table, name, to, ends }) => html`
  <button type="button" aria-label=${t(name)} aria-disabled=${ends} onClick=${() => ends || table.step(to)}>
    <${Icon} name=${name} />
  </button>
`;

/** @param {{table: Table}} props */
export function Stepper({ table }) {
  useEffect(() => {
    const press = (/** @type {KeyboardEvent} */ event) => {
      const to = KEYS[event.key];
      if (!to || !isFree(event) || !table.canStep.peek()) return;
      event.preventDefault();
      table.step(to(table.at.peek(), table.newest.peek()));
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [table]);

  const live = table.live.value;
  const slider = useRef(/** @type {HTMLInputElement | null} */ (null));
  if (!live) return null;
  if (!table.canStep.value) return html`<p class="muted closed-past">${t("past.closed")}</p>`;
  const at = table.at.value;
  const newest = table.newest.value;
  const values = { n: at, of: newest, said: saidAt(table, at) };
  const words = values.said ? t("revision.said", values) : t("revision.of", values);
  return html`
    <div class="stepper" role="group" aria-label=${t("stepper")}>
      <input type="range" ref=${slider} min="1" max=${newest} value=${at} aria-label=${t("revision")}
        aria-valuetext=${words} onInput=${() => table.step(Number(slider.current?.value))} />
      <div class="row ways">
        <${Way} name="first" to=${1} ends=${at <= 1} table=${table} />
        <${Way} name="previous" to=${at - 1} ends=${at <= 1} table=${table} />
        <${Way} name="next" to=${at + 1} ends=${at >= newest} table=${table} />
        <${Way} name="last" to=${newest} ends=${at >= newest} table=${table} />
        <span class="n">${t("revision.of", values)}</span>
      </div>
    </div>
  `;
}

/**
 * Whether this is now: a badge when it is, a bar with the way back when it is not.
 * @param {{table: Table}} props
 */
export function Now({ table }) {
  // The button that was pressed is gone then: one goes on from the beginning of the page, where the keys work.
  const go = (/** @type {() => void} */ act) => () => {
    act();
    document.getElementById("page")?.focus({ preventScroll: true });
  };
  const live = table.live.value;
  if (!live) return null;
  if (!table.isLive.value)
    return html`<div class="past-bar">
      <p>${t("past.here", { n: table.at.value, of: table.newest.value })}</p>
      <button type="button" class="main" onClick=${go(table.backToLive)}>${live.complete ? t("past.end") : t("past.live")}</button>
    </div>`;
  if (live.complete)
    return html`<div class="row now"><span class="tag">${t("now.complete")}</span>
      <button type="button" onClick=${go(() => table.step(1))}>${t("replay")}</button></div>`;
  const isLive = table.connection.value === "live";
  return html`<div class="row now">${isLive ? html`<span class="tag live">${t("now.live")}</span>` : null}</div>`;
}

/** Which keys there are. */
export const Keys = () => html`
  <details class="keys">
    <summary>${t("keys")}</summary>
    <dl>
      <dt><kbd>←</kbd> <kbd>→</kbd></dt><dd>${t("keys.step")}</dd>
      <dt><kbd>[</kbd> <kbd>]</kbd></dt><dd>${t("keys.leap", { n: LEAP })}</dd>
      <dt><kbd>Home</kbd> <kbd>End</kbd></dt><dd>${t("keys.ends")}</dd>
    </dl>
  </details>
`;
