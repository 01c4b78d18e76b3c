// The event on the desk: what is known of it, who organises it, and the one way in which anything is changed.
import { signal } from "@preact/signals";
import { say } from "../announcer.js";
import { get, newKey, Problem, post } from "../api.js";
import { boot } from "../boot.js";
import { t } from "../words.js";

/**
 * @typedef {{entry: number, player: string, name: string, standing: string, present: boolean, ranked: boolean,
 *   seed: number, fixed_table: number}} Entrant
 * @typedef {{entry: number, name: string, player: string, place: number, score: number, points: string,
 *   no_show: boolean}} Place
 * @typedef {{number: number, match_id: string, phase: string, places: Place[], disputed: boolean, adjudicated: boolean,
 *   ended: string, time_called: boolean, extended_ms: number}} Table
 * @typedef {{repeats: number, repeats_bound: number, spread: string, spread_bound: string, broken: number,
 *   misplaced: number}} Quality
 * @typedef {{round: number, phase: string, game: string, tables: Table[], byes: Entrant[], absent: Entrant[],
 *   quality: Quality, ends_at: string, left_ms: number}} Round
 * @typedef {{round: number, entry: number, what: string, before: string, after: string}} Change
 * @typedef {{tournament: any, config: any, entrants: Entrant[], penalties: any[], apart: any[], commitment: string, status: any,
 *   round: Round | null, draft: Round | null}} Desk
 * @typedef {{command: string, data: Record<string, unknown>, said: string}} Undo
 * @typedef {{said: string, changes?: Change[], undo?: Undo, problem?: Problem, others?: string[],
 *   link?: string}} Outcome
 */

export const event = String(boot.of.event ?? "");
export const path = `/api/tournaments/${event}`;

export const desk = signal(/** @type {Desk | null} */ (null));
export const lost = signal(/** @type {Problem | null} */ (null));
export const round = signal(0);
export const outcome = signal(/** @type {Outcome | null} */ (null));
export const busy = signal(false);

const NAME = "organiser";
export const organiser = signal(localStorage.getItem(NAME) ?? "");

/** @param {string} name as it is being typed */
export function introduce(name) {
  organiser.value = name;
  localStorage.setItem(NAME, name.trim());
}

/** Whoever does not say a name is called as in the terminal. */
export const called = () => organiser.value.trim() || NAME;

export const actor = () => `organiser:${called()}`;

let asked = 0;
/** @type {Promise<void>} */
let newest = Promise.resolve();

/** The newest of the event. An answer that was overtaken by a later question is not shown; then that one is waited for. */
export function load() {
  newest = read(++asked);
  return newest;
}

/**
 * @param {number} mine
 * @returns {Promise<void>}
 */
async function read(mine) {
  try {
    const told = await get(`${path}/desk`, round.value ? { round: round.value } : {});
    if (mine !== asked) return newest;
    desk.value = told;
    lost.value = null;
  } catch (error) {
    if (mine === asked) lost.value = problemOf(error);
  }
}

/** @param {number} number 0 is the newest */
export function showRound(number) {
  round.value = number;
  return load();
}

/**
 * @param {unknown} error
 * @returns {Problem}
 */
export function problemOf(error) {
  if (error instanceof Problem) return error;
  throw error;
}

/** @param {number} entry */
export function nameOf(entry) {
  const found = desk.value?.entrants[entry - 1];
  return `${found?.name || found?.player || "?"} (${entry})`;
}

const STALE_TRIES = 5;

/**
 * Posts under one key, at the revision that is on the desk. Where only the house has gone on since, as it does with
 * every result, the same is asked of the newer revision; what another organiser has done since is shown first.
 * @param {string} where below the event
 * @param {Record<string, unknown>} body
 */
export async function send(where, body) {
  for (let tries = 0; ; tries++) {
    const expected = desk.value?.tournament.revision ?? 0;
    try {
      return await post(
        `${path}/${where}`,
        { actor: actor(), ...body, expected_revision: expected },
        { key: newKey() },
      );
    } catch (error) {
      const problem = problemOf(error);
      if (problem.code !== "stale_revision") throw problem;
      const others = await doneSince(expected);
      await load();
      if (others.length || tries === STALE_TRIES) throw new Overtaken(problem, others);
    }
  }
}

/** Others have done something since. */
export class Overtaken extends Problem {
  /**
   * @param {Problem} problem
   * @param {string[]} others what, and who
   */
  constructor(problem, others) {
    super({ ...problem, detail: problem.detail });
    this.others = others;
  }
}

/** @param {number} revision */
async function doneSince(revision) {
  const { actions } = await get(`${path}/actions`, { size: 20 });
  return actions
    .filter((/** @type {any} */ each) => each.revision > revision)
    .map((/** @type {any} */ each) => `${each.sentence} (${each.actor.replace(/^organiser:/, "")})`);
}

/**
 * One command, what it has done said where everybody hears it, and the desk as it is then.
 * @param {string} command
 * @param {Record<string, unknown>} data
 * @param {{said: string, undo?: Undo | (() => Undo | undefined)}} how
 */
export async function act(command, data, { said, undo }) {
  busy.value = true;
  try {
    const receipt = await send("commands", { command: { type: `tournament.${command}`, v: 1, data } });
    await load();
    const discarded = command !== "discard_draft" && receipt.events.includes("tournament.draft_discarded");
    const told = discarded ? `${said} ${t("done.draft_discarded")}` : said;
    tell({ said: told, changes: receipt.changes, undo: typeof undo === "function" ? undo() : undo });
  } finally {
    busy.value = false;
  }
}

/** @param {Outcome} told */
export function tell(told) {
  outcome.value = told;
  say(told.said);
}

/**
 * For what is done without a dialog: a refusal is shown where else the outcome stands. One thing at a time; buttons stay
 * as they are meanwhile, so that the focus does.
 * @param {() => Promise<void>} doing
 */
export async function attempt(doing) {
  if (busy.value) return;
  try {
    await doing();
  } catch (error) {
    const problem = problemOf(error);
    outcome.value = { said: "", problem, others: problem instanceof Overtaken ? problem.others : [] };
  }
}

/**
 * Where the focus goes when what had it is gone.
 * @param {string} id
 */
export function keepFocus(id) {
  requestAnimationFrame(() => {
    if (document.activeElement === document.body) document.getElementById(id)?.focus();
  });
}

/** A draft of the next round. */
export async function draftRound(reason = "") {
  busy.value = true;
  try {
    const told = await post(`${path}/draft`, { actor: actor(), reason });
    await load();
    tell({
      said: t("done.drafted", { number: told.round }),
      undo: { command: "discard_draft", data: {}, said: t("done.discarded") },
    });
  } finally {
    busy.value = false;
  }
}
