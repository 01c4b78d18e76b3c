// One match as one viewer sees it: the newest position, the one on screen, and all facts so far.
//
// The stream is asked for everything from the first fact on, so facts are contiguous by the house's own promise, however
// often the line breaks. (In a game of memory some facts are told to a seat once, on the newest line alone: a second
// question beside the stream would take them away from it.) The newest position comes with it; a past one is fetched
// when it is looked at, one at a time, and its neighbours are fetched before they are asked for.
import { batch, computed, effect, signal } from "@preact/signals";
import { address, get, Problem } from "./api.js";
import { boot } from "./boot.js";
import { positionsTold } from "./picture.js";
import { follow } from "./stream.js";

/**
 * @typedef {{key: string, label: string, points: number}} ScoreLine
 * @typedef {{key: string, label: string, have: number, need: number, met: boolean}} Objective
 * @typedef {{seat: number, total: number, lines: ScoreLine[], objectives: Objective[]}} SeatScore
 * @typedef {{paused: boolean, called: boolean, deadline: string, left_ms: number[], now: string}} Clock
 * @typedef {{match: string, game: string, revision: number, newest: number, at: string,
 *   waiting: "seats" | "house" | "over", pending_seats: number[], players: string[], left: number[],
 *   scores: SeatScore[], words: string[], ranks: number[], reason: string, complete: boolean, past_is_open: boolean,
 *   clock: Clock | null, svg: string}} Position
 * @typedef {{match: string, revision: number, at: string, actor: string, words: string[],
 *   events: {type: string, v: number, data: any}[]}} Fact
 */

const KEPT_MAX = 64;
const FLUSH_MS = 40;
const RETRY_MS = 1500;

/** @typedef {ReturnType<typeof tableOf>} Table */

/**
 * @param {{match: string, viewer?: string, at?: number | null}} of `at` is a revision to begin with instead of live
 */
export function tableOf({ match, viewer = "spectator", at: begin = null }) {
  const path = `/api/matches/${match}`;
  const asked = { viewer: viewer === "spectator" ? undefined : viewer, language: boot.language };

  const live = signal(/** @type {Position | null} */ (null));
  const past = signal(/** @type {Position | null} */ (null));
  const wanted = signal(begin);
  const facts = signal(/** @type {Fact[]} */ ([]));
  const connection = signal(/** @type {import("./stream.js").Connection} */ ("connecting"));
  const problem = signal(/** @type {Problem | null} */ (null));

  const newest = computed(() => live.value?.revision ?? 0);
  const isLive = computed(() => wanted.value === null);
  const shown = computed(() => (isLive.value ? live.value : past.value));
  const at = computed(() => wanted.value ?? newest.value);
  const canStep = computed(() => live.value?.past_is_open ?? false);

  // -- the present ----------------------------------------------------------------------------------------------

  /** @type {Fact[]} */
  let came = [];
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let flushing;

  const flush = () => {
    clearTimeout(flushing);
    flushing = undefined;
    if (came.length) facts.value = [...facts.value, ...came];
    came = [];
  };
  const add = (/** @type {Fact} */ told) => {
    if (told.revision !== facts.peek().length + came.length + 1) return;
    came.push(told);
    flushing ??= setTimeout(flush, FLUSH_MS);
  };
  const place = (/** @type {Position} */ told) =>
    batch(() => {
      flush();
      live.value = told;
    });

  /** The place in the match is lost: what follows does not join on to what is here. */
  const beginAnew = (/** @type {Position} */ now) => {
    closeStream?.();
    batch(() => {
      came = [];
      facts.value = [];
      kept.clear();
      live.value = now;
    });
    open();
  };

  /** @type {(() => void) | undefined} */
  let closeStream;
  const open = () => {
    const told = {
      ...positionsTold(place, beginAnew),
      fact: add,
      problem: (/** @type {{code: string, detail: string}} */ why) => {
        problem.value = new Problem({ status: 500, ...why });
      },
    };
    // Who plays is called when it is time, and in a game of memory is told some things once.
    const stream = follow((after) => address(`${path}/stream`, { ...asked, after: after ?? 0, patches: 1 }), told, {
      always: viewer !== "spectator",
    });
    const copying = effect(() => {
      connection.value = stream.connection.value;
    });
    closeStream = () => {
      copying();
      stream.close();
    };
  };

  /** The first position; what the house says about a match that is not there can be read only here. */
  async function arrive() {
    try {
      live.value = await get(path, asked);
      if (problem.peek()?.passing) problem.value = null;
      open();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      problem.value = error;
      if (error.passing) setTimeout(arrive, RETRY_MS);
    }
  }

  // -- the past -------------------------------------------------------------------------------------------------

  /** @type {Map<number, Position>} the one that was used last comes last */
  const kept = new Map();

  async function positionAt(/** @type {number} */ revision) {
    const found = kept.get(revision) ?? /** @type {Position} */ (await get(path, { ...asked, revision }));
    kept.delete(revision);
    kept.set(revision, found);
    if (kept.size > KEPT_MAX) kept.delete(/** @type {number} */ (kept.keys().next().value));
    return found;
  }

  let loading = false;
  /** One question at a time, always the newest: a slider that is dragged asks for where it is, not where it was. */
  async function load() {
    if (loading) return;
    loading = true;
    try {
      for (;;) {
        const to = wanted.peek();
        if (to === null || past.peek()?.revision === to) break;
        const found = await positionAt(to);
        if (wanted.peek() === to) past.value = found;
      }
      problem.value = null;
      const settled = wanted.peek();
      for (const near of settled === null ? [] : [settled + 1, settled - 1]) {
        if (near >= 1 && near < newest.peek() && wanted.peek() === settled) await positionAt(near);
      }
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      batch(() => {
        problem.value = error;
        if (!error.passing) wanted.value = null;
      });
      if (error.passing) setTimeout(load, RETRY_MS);
    } finally {
      loading = false;
    }
    if (wanted.peek() !== null && past.peek()?.revision !== wanted.peek() && problem.peek() === null) load();
  }

  /** @param {number} to a revision; the newest, or beyond, is live */
  function step(to) {
    if (live.peek() !== null && (to >= newest.peek() || !canStep.peek())) {
      backToLive();
      return;
    }
    batch(() => {
      // Until it has been fetched the one on screen stays.
      if (isLive.peek()) past.value = live.peek();
      wanted.value = Math.max(1, to);
    });
    load();
  }

  function backToLive() {
    wanted.value = null;
  }

  arrive();
  if (begin !== null) load();

  return {
    match,
    viewer,
    /** The newest position. */
    live,
    /** The position on screen: the newest, or a past one. Null until there is one. */
    shown,
    /** The revision that is looked at; `shown` follows as soon as it has been fetched. */
    at,
    newest,
    isLive,
    /** Whether the past may be looked at now. */
    canStep,
    /** All facts so far: `facts[n]` has the revision n + 1. */
    facts,
    connection,
    problem,
    step,
    backToLive,
    close: () => closeStream?.(),
  };
}
