// A turn in the making: the questions that the house asks a seat, the answers so far, and the command they lead to.
//
// The answers belong to the questions of one position. Whenever the match has moved on the first question is asked anew:
// if it still is the same the answers stand, otherwise they are dropped. A complete command is kept in the session with
// the key that it will be sent under, until the house has answered, so that neither a second click nor a page that is
// loaded again in the middle can do it twice.
import { batch, computed, effect, signal } from "@preact/signals";
import { get, newKey, Problem, post } from "./api.js";
import { boot } from "./boot.js";

/**
 * @typedef {{key: string, label: string, place: string}} Choice
 * @typedef {{revision: number, prompt: string, choices: Choice[], command: any}} Menu
 * @typedef {{key: string, label: string, place: string, taken?: boolean}} Step an answer; `taken` if there was no other
 * @typedef {{key: string, steps: Step[], command: any, summary: string, first: string, revision: number,
 *   sent: boolean}} Ready what is kept: `command` is null while questions are open
 * @typedef {"arriving" | "yours" | "made" | "waiting" | "house" | "paused" | "called" | "left" | "over"} Standing
 * @typedef {ReturnType<typeof turnOf>} Turn
 */

const RETRY_MS = 1500;

/** Refusals that say no more than what the match will show in a moment. */
const PASSING = new Set(["not_your_turn", "luck_pending", "house_pending", "match_paused", "time_called"]);
const OVER = new Set(["match_over", "seat_has_left"]);

/**
 * @param {import("./table.js").Table} table seen by this seat
 * @param {number} seat
 */
export function turnOf(table, seat) {
  const path = `/api/matches/${table.match}`;
  const drawer = `turn:${table.match}:${seat}`;

  const menu = signal(/** @type {Menu | null} */ (null));
  const steps = signal(/** @type {Step[]} */ ([]));
  const problem = signal(/** @type {Problem | null} */ (null));
  const tried = signal("");
  const leaving = signal(/** @type {Problem | null} */ (null));
  const dropped = signal(false);
  const sending = signal(false);
  const ready = signal(stored());
  const answered = signal(0);

  /** The revision that the page began with. */
  let begun = 0;
  const standing = computed(
    /** @returns {Standing} */ () => {
      const now = table.live.value;
      begun ||= now?.revision ?? 0;
      // Whether it is paused is told by the facts, which come behind the first position.
      if (!now || table.facts.value.length < begun) return "arriving";
      if (now.waiting === "over") return "over";
      if (now.left.includes(seat)) return "left";
      if (isOn("tavolata.time_called")) return "called";
      if (isOn("tavolata.match_paused", "tavolata.match_resumed")) return "paused";
      if (now.revision < answered.value) return "made";
      if (now.pending_seats.includes(seat)) return "yours";
      return now.waiting === "house" ? "house" : "waiting";
    },
  );

  /**
   * Whether the last that was told of the two is the first.
   * @param {string} on
   * @param {string} [off]
   */
  function isOn(on, off = "") {
    const told = table.facts.value.flatMap((fact) => fact.events.map((event) => event.type));
    return told.lastIndexOf(on) > told.lastIndexOf(off);
  }

  // -- what is kept -----------------------------------------------------------------------------------------------

  /** @returns {Ready | null} */
  function stored() {
    const text = sessionStorage.getItem(drawer);
    return text ? JSON.parse(text) : null;
  }

  /** @param {Ready | null} found */
  function keep(found) {
    ready.value = found;
    if (found) sessionStorage.setItem(drawer, JSON.stringify(found));
    else sessionStorage.removeItem(drawer);
  }

  // -- asking -----------------------------------------------------------------------------------------------------

  let asked = 0;
  /** The first question as it was when the first answer was given; the answers hold while it stays. */
  let first = ready.peek()?.first ?? "";

  /** @param {Step[]} answers @returns {Promise<Menu>} */
  const question = (answers) =>
    get(`${path}/choices`, { seat, path: answers.map((each) => each.key), language: boot.language });

  const sameQuestion = (/** @type {Menu} */ told) => JSON.stringify([told.prompt, told.choices]);

  /**
   * Runs what asks the house; only the answer to the newest question counts.
   * @param {(isNewest: () => boolean) => Promise<void>} act
   */
  async function asking(act) {
    const mine = ++asked;
    const isNewest = () => mine === asked;
    try {
      await act(isNewest);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (!isNewest()) return;
      if (error.passing) {
        setTimeout(() => isNewest() && asking(act), RETRY_MS);
      } else if (error.code === "no_such_choice") {
        batch(() => {
          dropped.value = true;
          start();
        });
      } else {
        menu.value = null;
        tried.value = "";
        if (!PASSING.has(error.code) && !OVER.has(error.code)) problem.value = error;
      }
    }
  }

  /** Asks from the beginning. */
  function start() {
    steps.value = [];
    keep(null);
    return asking(async (isNewest) => {
      const told = await question([]);
      if (isNewest()) settle([], told);
    });
  }

  /** The match has moved on, or the page is new: are the answers so far still answers? */
  function refresh() {
    return asking(async (isNewest) => {
      const kept = ready.peek()?.steps ?? steps.peek();
      const root = await question([]);
      if (!isNewest()) return;
      if (!kept.length) {
        settle([], root);
      } else if (sameQuestion(root) === first) {
        const told = await question(kept);
        if (isNewest()) settle(kept, told);
      } else {
        batch(() => {
          dropped.value = true;
          settle([], root);
        });
      }
    });
  }

  /**
   * @param {Step[]} answers
   * @param {Menu} told
   */
  function settle(answers, told) {
    batch(() => {
      if (!answers.length) first = sameQuestion(told);
      steps.value = answers;
      menu.value = told;
      const before = ready.peek();
      const { command, prompt: summary, revision } = told;
      const isSame = before && JSON.stringify(before.command) === JSON.stringify(command);
      const key = isSame ? before.key : newKey();
      keep(answers.length ? { key, steps: answers, command, summary, first, revision, sent: false } : null);
    });
  }

  /** @param {Choice} choice */
  function pick(choice) {
    batch(() => {
      problem.value = null;
      dropped.value = false;
    });
    return advance([...steps.peek(), { key: choice.key, label: choice.label, place: choice.place }]);
  }

  /** After an answer, past questions that have only one. @param {Step[]} answers */
  function advance(answers) {
    return asking(async (isNewest) => {
      let on = answers;
      let told = await question(on);
      while (!told.command && told.choices.length === 1) {
        const [only] = told.choices;
        on = [...on, { key: only.key, label: only.label, place: only.place, taken: true }];
        told = await question(on);
      }
      if (isNewest()) settle(on, told);
    });
  }

  /** Takes the last answer back, and with it those that followed by themselves. */
  function back() {
    const left = [...steps.peek()];
    while (left.pop()?.taken);
    return asking(async (isNewest) => {
      const told = await question(left);
      if (isNewest()) settle(left, told);
    });
  }

  // -- doing ------------------------------------------------------------------------------------------------------

  async function confirm() {
    const what = ready.peek();
    const now = table.live.peek();
    if (!what?.command || !now || sending.peek()) return;
    // Who moves at the same time as others is not held up by them; who moves alone means this position and no other.
    await send(what, now.pending_seats.length > 1 ? 0 : what.revision);
  }

  /**
   * @param {Ready} what
   * @param {number} expected
   */
  async function send(what, expected) {
    asked++;
    batch(() => {
      sending.value = true;
      problem.value = null;
      dropped.value = false;
      keep({ ...what, sent: true });
    });
    try {
      const body = { seat, command: what.command, expected_revision: expected };
      const told = await post(`${path}/commands`, body, { key: what.key });
      batch(() => {
        answered.value = told.revision;
        sending.value = false;
        finish();
      });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      batch(() => {
        sending.value = false;
        problem.value = error;
        if (!error.passing) refused(what, error);
      });
    }
  }

  /** The command is answered; if it still is the turn of this seat the next one begins from the first question. */
  function finish() {
    menu.value = null;
    steps.value = [];
    keep(null);
    if (standing.value === "yours") start();
  }

  /**
   * Another position than the one that was meant: it is for the person to say whether to do it all the same.
   * @param {Ready} what
   * @param {Problem} why
   */
  function refused(what, why) {
    tried.value = what.summary;
    if (why.status === 412 && standing.value === "yours") {
      keep({ ...what, sent: false });
      refresh();
    } else {
      finish();
    }
  }

  /** What was sent before the page was loaded, or the line broke, and never answered: the same again. */
  async function resume() {
    const what = ready.peek();
    if (!what || sending.peek()) return;
    sending.value = true;
    // If it would not be the same move any more only the answer to the first one is wanted, and no move now.
    const told = await question(what.steps).catch(() => null);
    const isSame = JSON.stringify(told?.command) === JSON.stringify(what.command);
    const several = (table.live.peek()?.pending_seats.length ?? 0) > 1;
    await send(what, isSame && several ? 0 : what.revision);
  }

  async function leave() {
    if (sending.peek()) return;
    sending.value = true;
    leaving.value = null;
    try {
      const command = { type: "tavolata.leave", v: 1, data: { seat } };
      await post(`${path}/commands`, { seat, command }, { key: `leave-${seat}` });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      leaving.value = error;
    } finally {
      sending.value = false;
    }
    if (standing.value === "yours") refresh();
  }

  // -- following --------------------------------------------------------------------------------------------------

  effect(() => {
    const revision = table.live.value?.revision ?? 0;
    const now = standing.value;
    const isHere = table.connection.value === "live" || table.connection.value === "ended";
    if (!revision || !isHere || sending.peek() || now === "arriving") return;
    if (ready.peek()?.sent) {
      resume();
    } else if (now === "yours") {
      refresh();
    } else if (now !== "paused") {
      asked++;
      batch(() => {
        if (steps.peek().length) dropped.value = true;
        menu.value = null;
        steps.value = [];
        keep(null);
      });
    }
  });

  return {
    seat,
    menu,
    steps,
    ready,
    standing,
    problem,
    leaving,
    tried,
    dropped,
    sending,
    pick,
    back,
    start,
    confirm,
    resume,
    leave,
  };
}
