// What can be done about one entrant: asked with what it will do, and sent as a command.
import { get, post } from "../api.js";
import { t } from "../words.js";
import { ask } from "./asking.js";
import { act, desk, load, nameOf, tell } from "./desk.js";
import { entriesIn } from "./next.js";

/** @typedef {import("./desk.js").Entrant} Entrant */

/** @param {Entrant} who @param {boolean} here */
export const checkIn = (who, here) =>
  act(
    here ? "check_in" : "check_out",
    { entries: [who.entry] },
    {
      said: t(here ? "done.checked_in" : "done.checked_out", { name: nameOf(who.entry) }),
      undo: {
        command: here ? "check_out" : "check_in",
        data: { entries: [who.entry] },
        said: t(here ? "done.checked_out" : "done.checked_in", { name: nameOf(who.entry) }),
      },
    },
  );

export const checkInAll = () => act("check_in", { entries: [] }, { said: t("done.all_checked_in") });

/**
 * A command about one entrant, with nothing to say but why.
 * @param {string} command
 * @param {import("./desk.js").Undo["command"]} [back]
 */
const simple =
  (command, back = "", danger = true) =>
  (/** @type {Entrant} */ who) => {
    const name = nameOf(who.entry);
    ask({
      title: t(`ask.${command}`, { name }),
      says: t(`ask.${command}_says`),
      confirm: t(`do.${command}`),
      danger,
      act: ({ reason }) =>
        act(
          command,
          { entry: who.entry, reason },
          {
            said: t(`done.${command}`, { name }),
            undo: back ? { command: back, data: { entry: who.entry }, said: t(`done.${back}`, { name }) } : undefined,
          },
        ),
    });
  };

export const withdraw = simple("withdraw");
export const drop = simple("drop", "return");
export const comeBack = simple("return", "drop", false);
export const admit = simple("admit", "", false);
export const decline = simple("decline_place");

/** @param {Entrant} who */
export function fixTable(who) {
  const name = nameOf(who.entry);
  ask({
    title: t("ask.fix_table", { name }),
    says: t("ask.fix_table_says"),
    fields: [
      {
        name: "table",
        label: t("table_number"),
        kind: "number",
        min: 0,
        max: 100_000,
        value: who.fixed_table,
        required: true,
      },
    ],
    confirm: t("save"),
    act: ({ table, reason }) =>
      act(
        "fix_table",
        { entry: who.entry, table: Number(table), reason },
        {
          said: Number(table) ? t("done.fix_table", { name, table: Number(table) }) : t("done.any_table", { name }),
          undo: { command: "fix_table", data: { entry: who.entry, table: who.fixed_table }, said: t("done.as_before") },
        },
      ),
  });
}

const KINDS = ["warning", "points", "table_loss", "disqualification"];

/** @param {Entrant} who */
export function penalise(who) {
  const name = nameOf(who.entry);
  ask({
    title: t("ask.penalise", { name }),
    says: t("ask.penalise_says"),
    fields: [
      {
        name: "kind",
        label: t("ask.kind"),
        kind: "choice",
        choices: KINDS.map((kind) => [kind, t(`penalty.${kind}`)]),
      },
      { name: "points", label: t("ask.points"), value: "0", hint: t("ask.points_hint") },
      { name: "round", label: t("ask.penalty_round"), kind: "number", min: 0, value: 0 },
    ],
    confirm: t("do.penalise"),
    danger: true,
    act: ({ kind, points, round, reason }) =>
      act(
        "penalise",
        { entry: who.entry, kind, points: kind === "points" ? points : "0", round: Number(round), reason },
        {
          said: t("done.penalise", { name, kind: t(`penalty.${kind}`) }),
          undo: () => {
            const newest = desk.value?.penalties.filter((each) => each.entry === who.entry).at(-1);
            return (
              newest && { command: "revoke_penalty", data: { number: newest.number }, said: t("done.revoke_penalty") }
            );
          },
        },
      ),
  });
}

/** @param {{number: number, entry: number}} penalty */
export const revokePenalty = (penalty) =>
  ask({
    title: t("ask.revoke_penalty", { number: penalty.number, name: nameOf(penalty.entry) }),
    says: t("ask.revoke_penalty_says"),
    confirm: t("do.revoke_penalty"),
    act: ({ reason }) => act("revoke_penalty", { number: penalty.number, reason }, { said: t("done.revoke_penalty") }),
  });

/** @param {Entrant} who */
export function enterHeats(who) {
  const name = nameOf(who.entry);
  ask({
    title: t("ask.enter_heats", { name }),
    fields: [{ name: "heats", label: t("ask.heats"), hint: t("ask.heats_hint"), required: true }],
    confirm: t("save"),
    act: ({ heats, reason }) =>
      act(
        "enter_heats",
        { entry: who.entry, heats: entriesIn(heats), reason },
        {
          said: t("done.enter_heats", { name, heats }),
        },
      ),
  });
}

/** @param {Entrant} who */
export function erase(who) {
  const name = nameOf(who.entry);
  ask({
    title: t("ask.erase", { name }),
    says: t("ask.erase_says"),
    reason: false,
    confirm: t("do.erase"),
    danger: true,
    act: async () => {
      await post(`/api/people/${encodeURIComponent(who.player)}`, {}, { method: "DELETE" });
      await load();
      tell({ said: t("done.erase", { name: `(${who.entry})` }) });
    },
  });
}

/** @returns {[number, string][]} */
export const everybody = () =>
  (desk.value?.entrants ?? [])
    .filter((each) => each.standing !== "withdrawn")
    .map((each) => [each.entry, nameOf(each.entry)]);

export function keepApart() {
  ask({
    title: t("ask.keep_apart"),
    says: t("ask.keep_apart_says"),
    fields: [
      { name: "one", label: t("ask.one"), kind: "choice", choices: everybody() },
      { name: "other", label: t("ask.other"), kind: "choice", choices: everybody().reverse() },
      { name: "points", label: t("ask.worth"), kind: "number", min: 0, max: 1000, value: 0, hint: t("ask.worth_hint") },
      { name: "first", label: t("ask.first_round"), kind: "number", min: 1, value: 1 },
      { name: "last", label: t("ask.last_round"), kind: "number", min: 0, value: 0, hint: t("ask.last_round_hint") },
    ],
    confirm: t("do.keep_apart"),
    act: ({ one, other, points, first, last, reason }) => {
      const entries = [Number(one), Number(other)];
      const names = entries.map(nameOf).join(", ");
      return act(
        "keep_apart",
        { entries, points: Number(points), first: Number(first), last: Number(last), reason },
        {
          said: t("done.keep_apart", { names }),
          undo: { command: "let_meet", data: { entries }, said: t("done.let_meet", { names }) },
        },
      );
    },
  });
}

/** @param {{entries: number[], points: number, first: number, last: number}} pair */
export function letMeet(pair) {
  const names = pair.entries.map(nameOf).join(", ");
  return act(
    "let_meet",
    { entries: pair.entries },
    {
      said: t("done.let_meet", { names }),
      undo: { command: "keep_apart", data: { ...pair }, said: t("done.keep_apart", { names }) },
    },
  );
}

const RATINGS_AT_ONCE = 500;

/** Rated entrants, the best first, over all games together. */
async function byRating() {
  const entryOf = new Map(
    (desk.value?.entrants ?? [])
      .filter((each) => each.standing !== "withdrawn")
      .map((each) => [each.player, each.entry]),
  );
  const order = [];
  let page_token = "";
  do {
    const told = await get("/api/ratings", { page_size: RATINGS_AT_ONCE, page_token });
    order.push(...told.ratings.map((/** @type {any} */ each) => entryOf.get(each.player)).filter(Boolean));
    page_token = told.next_page_token;
  } while (page_token);
  return order;
}

export function setSeeds() {
  const seeded = (desk.value?.entrants ?? []).filter((each) => each.seed).sort((one, other) => one.seed - other.seed);
  const before = seeded.map((each) => each.entry);
  ask({
    title: t("ask.set_seeds"),
    says: t("ask.set_seeds_says"),
    fields: [
      { name: "order", label: t("ask.order"), kind: "area", value: before.join(", "), hint: t("ask.order_hint") },
      { name: "by_rating", label: t("ask.by_rating"), kind: "tick" },
    ],
    confirm: t("save"),
    act: async ({ order, by_rating, reason }) => {
      const undo = { command: "set_seeds", data: { order: before }, said: t("done.as_before") };
      const wanted = by_rating ? await byRating() : entriesIn(order);
      await act(
        "set_seeds",
        { order: wanted, reason },
        { said: t("done.set_seeds"), undo: before.length ? undo : undefined },
      );
    },
  });
}
