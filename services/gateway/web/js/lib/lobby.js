// What is going on in the house, kept up to date by one open stream: tables by their id, events by theirs.
//
// The order of the tables is a thing of its own. It changes now and then, not with every move, and not at all while
// somebody points at them or has the focus there: what one is about to press must stay where it is.
import { say } from "./announcer.js";
import { boot, gameNamed } from "./boot.js";
import { batch, computed, signal } from "./html.js";
import { follow } from "./stream.js";
import { t } from "./words.js";

/**
 * @typedef {{seat: number, player: string, total: number, rank: number, left: boolean}} Seat
 * @typedef {{match: string, game: string, status: "running" | "ended", revision: number, opened_at: string,
 *   changed_at: string, reason: string, seats: Seat[]}} Table
 * @typedef {{tournament: string, name: string, phase: string, revision: number, created_at: string, entrants: number,
 *   round: number, round_phase: string, stage: number, stage_name: string}} Tournament
 */

/** So many of each kind the house tells at a time: who keeps as many misses no end. */
const KEPT = 200;
const ORDER_MS = 10_000;
/** A table that is over stays so long, so that one can see how it ended. */
const OVER_MS = 15_000;
/** A table where nobody has moved for so long gives way to one that moves. */
const STILL_MS = 60_000;
/** What the matches begin with that a house plays to be looked at. */
const EXHIBITION = "exhibition-";

/** @type {import("@preact/signals").Signal<Map<string, Table>>} the one that changed last at the end */
export const tables = signal(new Map());
/** @type {import("@preact/signals").Signal<Map<string, Tournament>>} */
export const tournaments = signal(new Map());
/** Whether everything has been told that is going on. */
export const complete = signal(false);
/** The ids of the tables to show, in their order. */
export const order = signal(/** @type {string[]} */ ([]));
/** The table that is shown large; empty if there is none. */
export const shown = signal("");
/** The hour, for words like "a minute ago". */
export const now = signal(Date.now());
/** Whether somebody is at the tables with pointer or focus. */
export const held = signal(false);

/** @type {Map<string, number>} when a table ended, by our own clock */
const ended = new Map();
/** @type {Set<string> | undefined} what has been told since the stream began anew, until all of it has been */
let afresh;

export const running = computed(() => [...tables.value.values()].filter((table) => table.status === "running").length);

/**
 * @template T
 * @param {import("@preact/signals").Signal<Map<string, T>>} all
 * @param {string} key
 * @param {T} one
 */
function put(all, key, one) {
  const next = new Map(all.value);
  next.delete(key);
  next.set(key, one);
  for (const oldest of next.keys()) {
    if (next.size <= KEPT) break;
    next.delete(oldest);
  }
  all.value = next;
}

/** @param {Table} table */
function tell(table) {
  const before = tables.value.get(table.match);
  put(tables, table.match, table);
  afresh?.add(table.match);
  if (table.status === "ended") ended.set(table.match, Date.now());
  if (complete.value && (!before || before.status !== table.status)) arrange();
}

/** Who was away has not heard what ended meanwhile: what was not told again does not run any more. */
function forgetOthers() {
  const told = afresh;
  if (told) tables.value = new Map([...tables.value].filter(([match]) => told.has(match) || ended.has(match)));
  afresh = undefined;
}

function arrange() {
  if (!complete.value || held.value) return;
  batch(() => {
    choose();
    const at = Date.now();
    for (const [match, when] of ended) if (at - when > OVER_MS || !tables.value.has(match)) ended.delete(match);
    order.value = [...tables.value.values()]
      .filter((table) => table.match !== shown.value && (table.status === "running" || ended.has(table.match)))
      .reverse()
      .map((table) => table.match);
  });
}

/** Whether a table is one that the house plays to be looked at. @param {Table} table */
const isExhibition = (table) => table.match.startsWith(EXHIBITION);

/** The exhibition, else the table that moved last. One that moves stays; one that is over can be looked at for a while. */
function choose() {
  const live = [...tables.value.values()].filter((table) => table.status === "running").reverse();
  const next = live.find(isExhibition) ?? live[0];
  const mine = tables.value.get(shown.value);
  if (mine && !(next && isExhibition(next))) {
    const over = ended.get(mine.match);
    const since = over ? Date.now() - over : Date.now() - Date.parse(mine.changed_at);
    if (since < (over ? OVER_MS : STILL_MS)) return;
  }
  shown.value = next?.match ?? mine?.match ?? "";
}

/** Begins to listen; once a page. */
export function listen() {
  setInterval(() => {
    now.value = Date.now();
    arrange();
  }, ORDER_MS);
  let counted = -1;
  const count = () => {
    if (counted >= 0 && counted !== running.value) say(t("live.count", { n: running.value }));
    counted = running.value;
  };
  setInterval(() => complete.value && count(), ORDER_MS);
  return follow(() => "/api/lobby/stream", {
    begin: () => {
      afresh = new Set();
    },
    match: tell,
    tournament: (event) => put(tournaments, event.tournament, event),
    here: () => {
      forgetOthers();
      complete.value = true;
      now.value = Date.now();
      arrange();
      count();
    },
  });
}

/** @param {boolean} stays */
export function hold(stays) {
  if (held.value === stays) return;
  held.value = stays;
  arrange();
}

// -- words -----------------------------------------------------------------------------------------------------------

const ago = new Intl.RelativeTimeFormat(boot.language, { numeric: "auto" });
const MINUTE_S = 60;
const HOUR_S = 3600;
const DAY_S = 86_400;

/** How long ago an instant of the house was, roughly. @param {string} at */
export function since(at) {
  const seconds = Math.round((now.value - Date.parse(at)) / 1000);
  if (seconds < 15) return t("just_now");
  if (seconds < MINUTE_S) return ago.format(-seconds, "second");
  if (seconds < HOUR_S) return ago.format(-Math.round(seconds / MINUTE_S), "minute");
  if (seconds < DAY_S) return ago.format(-Math.round(seconds / HOUR_S), "hour");
  return ago.format(-Math.round(seconds / DAY_S), "day");
}

/** @param {string} game */
export const titleOf = (game) => gameNamed(game)?.title ?? game;

/** The seats that are ahead, or that have won; none while all are level. @param {Table} table */
export function ahead(table) {
  if (table.status === "ended") return table.seats.filter((seat) => seat.rank === 1).map((seat) => seat.seat);
  const playing = table.seats.filter((seat) => !seat.left);
  const best = Math.max(...playing.map((seat) => seat.total));
  const leaders = playing.filter((seat) => seat.total === best);
  return leaders.length < playing.length || table.seats.length === 1 ? leaders.map((seat) => seat.seat) : [];
}
