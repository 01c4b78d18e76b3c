// The clocks of a match. They are told with a position, as they were read at one instant; between two positions they go
// on here, by this machine's steady clock, so that it does not matter what time it believes it is.
import { say } from "./announcer.js";
import { effect, html, signal } from "./html.js";
import { namesOf } from "./seats.js";
import { duration, t } from "./words.js";

/** @typedef {import("./table.js").Table} Table */
/** @typedef {import("./table.js").Position} Position */

const TICK_MS = 250;
const WARNINGS_S = [60, 30, 10];
const LOW_MS = 30_000;
/** How many are named in a warning; beyond, it is everybody. */
const NAMED_MAX = 3;

/** Milliseconds since the clocks on screen were read; 0 where they stand still. */
const passed = signal(0);

/** @param {Position} position */
const runs = (position) => Boolean(position.clock?.deadline) && !position.clock?.paused;

/**
 * @param {Position} position
 * @param {number} seat
 * @param {number} since
 */
function leftOf(position, seat, since) {
  const left = position.clock?.left_ms[seat];
  if (left === undefined) return undefined;
  return position.pending_seats.includes(seat) && runs(position) ? Math.max(0, left - since) : left;
}

/**
 * Lets the clocks of a table go, and warns those who listen when a seat has little left.
 * @param {Table} table
 */
export function runClocks(table) {
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let ticking;
  effect(() => {
    const position = table.live.value;
    clearInterval(ticking);
    passed.value = 0;
    if (!position || !runs(position)) return;
    const read = performance.now();
    ticking = setInterval(() => {
      const before = passed.peek();
      passed.value = performance.now() - read;
      if (table.isLive.peek()) warn(position, before, passed.peek());
    }, TICK_MS);
  });
}

/**
 * @param {Position} position
 * @param {number} before
 * @param {number} now
 */
function warn(position, before, now) {
  for (const seconds of WARNINGS_S) {
    const seats = position.pending_seats.filter((seat) => {
      const [was, is] = [leftOf(position, seat, before), leftOf(position, seat, now)];
      return was !== undefined && is !== undefined && was > seconds * 1000 && is <= seconds * 1000;
    });
    if (!seats.length) continue;
    if (seats.length > NAMED_MAX) say(t("clock.warn.all", { n: seconds }));
    else say(t("clock.warn", { n: seconds, name: namesOf(position.players, seats) }));
  }
}

/**
 * What a seat has left; nothing where time is not limited.
 * @param {{table: Table, seat: number}} props
 */
export function ClockOf({ table, seat }) {
  const position = table.shown.value;
  if (!position) return null;
  const left = leftOf(position, seat, table.isLive.value ? passed.value : 0);
  if (left === undefined) return null;
  const goes = position.pending_seats.includes(seat) && runs(position);
  return html`<span class="clock" data-state=${left <= LOW_MS && goes ? "low" : goes ? "runs" : "stands"}>
    <span class="unseen">${t("clock.left")}</span>${duration(left)}
  </span>`;
}

/**
 * That the clocks stand still, or that there is no time left for anybody.
 * @param {{position: Position}} props
 */
export const ClockState = ({ position }) => html`
  ${position.clock?.paused ? html`<p class="notice">${t("clock.paused")}</p>` : null}
  ${position.clock?.called && position.waiting !== "over" ? html`<p class="notice">${t("clock.called")}</p>` : null}
`;
