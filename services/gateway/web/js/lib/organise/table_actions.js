// What can be done about one table of a round.
import { post } from "../api.js";
import { boot } from "../boot.js";
import { t } from "../words.js";
import { ask } from "./asking.js";
import { act, desk, nameOf, path, tell } from "./desk.js";
import { entriesIn } from "./next.js";

/** @typedef {import("./desk.js").Table} Table */

/** @param {Table} table @returns {[number, string][]} */
const sitting = (table) =>
  table.places.filter((place) => !place.no_show).map((place) => [place.entry, nameOf(place.entry)]);

/** @param {number} round @param {Table} table */
const at = (round, table) => ({ round, table: table.number });

/** @param {number} round @param {Table} table */
export const dispute = (round, table) =>
  ask({
    title: t("ask.dispute", at(round, table)),
    says: t("ask.dispute_says"),
    confirm: t("do.dispute"),
    danger: true,
    act: ({ reason }) =>
      act(
        "dispute",
        { ...at(round, table), reason },
        {
          said: t("done.disputed", at(round, table)),
          undo: { command: "confirm_result", data: at(round, table), said: t("done.confirmed", at(round, table)) },
        },
      ),
  });

/** @param {number} round @param {Table} table */
export const confirm = (round, table) =>
  ask({
    title: t("ask.confirm", at(round, table)),
    says: t("ask.confirm_says"),
    confirm: t("do.confirm"),
    act: ({ reason }) =>
      act(
        "confirm_result",
        { ...at(round, table), reason },
        {
          said: t("done.confirmed", at(round, table)),
          undo: { command: "dispute", data: at(round, table), said: t("done.disputed", at(round, table)) },
        },
      ),
  });

/** @param {number} round @param {Table} table */
export const replay = (round, table) =>
  ask({
    title: t("ask.replay", at(round, table)),
    says: t("ask.replay_says"),
    confirm: t("do.replay"),
    danger: true,
    act: ({ reason }) =>
      act("void_table", { ...at(round, table), replay: true, reason }, { said: t("done.replay", at(round, table)) }),
  });

/** @param {number} round @param {Table} table */
export const voidTable = (round, table) =>
  ask({
    title: t("ask.void_table", at(round, table)),
    says: t("ask.void_table_says"),
    fields: [{ name: "points", label: t("ask.award"), value: "average", hint: t("ask.award_hint"), required: true }],
    confirm: t("do.void_table"),
    danger: true,
    act: ({ points, reason }) =>
      act(
        "void_table",
        { ...at(round, table), replay: false, points, reason },
        { said: t("done.void_table", at(round, table)) },
      ),
  });

/** @param {number} round @param {Table} table */
export const noShow = (round, table) =>
  ask({
    title: t("ask.no_show", at(round, table)),
    says: t("ask.no_show_says"),
    fields: [{ name: "entry", label: t("ask.who_is_missing"), kind: "choice", choices: sitting(table) }],
    confirm: t("do.no_show"),
    danger: true,
    act: ({ entry, reason }) =>
      act(
        "mark_no_show",
        { ...at(round, table), entry: Number(entry), reason },
        {
          said: t("done.no_show", { ...at(round, table), name: nameOf(Number(entry)) }),
        },
      ),
  });

/** @param {number} round @param {Table} table */
export const substitute = (round, table) => {
  const busy = new Set(
    desk.value?.round?.tables
      .filter((each) => each.number !== table.number)
      .flatMap((each) => each.places.map((place) => place.entry)),
  );
  const free = (desk.value?.entrants ?? [])
    .filter((each) => each.standing === "in" && !busy.has(each.entry))
    .map((each) => /** @type {[number, string]} */ ([each.entry, nameOf(each.entry)]));
  ask({
    title: t("ask.substitute", at(round, table)),
    says: boot.session.asks ? `${t("ask.substitute_says")} ${t("ask.substitute_link")}` : t("ask.substitute_says"),
    fields: [
      { name: "entry", label: t("ask.goes"), kind: "choice", choices: sitting(table) },
      { name: "by", label: t("ask.comes"), kind: "choice", choices: free.reverse() },
    ],
    confirm: t("do.substitute"),
    danger: true,
    act: ({ entry, by, reason }) => {
      const [goes, comes] = [Number(entry), Number(by)];
      return act(
        "substitute",
        { ...at(round, table), entry: goes, by: comes, reason },
        {
          said: t("done.substituted", { ...at(round, table), comes: nameOf(comes), goes: nameOf(goes) }),
          undo: {
            command: "substitute",
            data: { ...at(round, table), entry: comes, by: goes },
            said: t("done.as_before"),
          },
        },
      );
    },
  });
};

const HOURS_USUAL = 12;

/** For who has sat down since the match was opened: it gives the seat to whom it was opened with. */
export const seatLink = (/** @type {number} */ round, /** @type {Table} */ table) => {
  const people = table.places.filter((place) => !place.no_show && !place.player.startsWith("bot:"));
  ask({
    title: t("ask.seat_link", at(round, table)),
    says: t("ask.seat_link_says"),
    reason: false,
    fields: [
      {
        name: "entry",
        label: t("ask.for_whom"),
        kind: "choice",
        choices: people.map((place) => [place.entry, nameOf(place.entry)]),
      },
      { name: "hours", label: t("ask.hours"), kind: "number", min: 1, max: 24, value: HOURS_USUAL, required: true },
    ],
    confirm: t("do.seat_link"),
    act: async ({ entry, hours }) => {
      const asked = { ...at(round, table), entries: [Number(entry)], hours: Number(hours) };
      const [made] = (await post(`${path}/access`, asked)).links;
      tell({ said: t("done.seat_link", { ...at(round, table), name: nameOf(Number(entry)) }), link: made.link });
    },
  });
};

/** @param {number} round @param {Table} table */
export const survivors = (round, table) =>
  ask({
    title: t("ask.survivors", at(round, table)),
    says: t("ask.survivors_says", {
      names: sitting(table)
        .map(([, name]) => name)
        .join(", "),
    }),
    fields: [{ name: "entries", label: t("ask.who_goes_on"), hint: t("ask.order_hint"), required: true }],
    confirm: t("save"),
    act: ({ entries, reason }) =>
      act(
        "name_survivors",
        { ...at(round, table), entries: entriesIn(entries), reason },
        { said: t("done.survivors", at(round, table)) },
      ),
  });

/** @param {number} table 0 is the whole round */
export const extend = (table) =>
  ask({
    title: table ? t("ask.extend_table", { table }) : t("ask.extend"),
    fields: [{ name: "minutes", label: t("ask.minutes"), kind: "number", min: 1, max: 1440, value: 5, required: true }],
    confirm: t("do.extend"),
    act: ({ minutes, reason }) =>
      act(
        "extend_clock",
        { ms: Number(minutes) * 60_000, table, reason },
        {
          said: table
            ? t("done.extend_table", { table, n: Number(minutes) })
            : t("done.extend", { n: Number(minutes) }),
        },
      ),
  });
