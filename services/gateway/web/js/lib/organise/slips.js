// A stack of result slips, typed or pasted: a table a line with its scores in seat order.
import { html, useId, useSignal } from "../html.js";
import { t } from "../words.js";
import { ask } from "./asking.js";
import { act, desk, tell } from "./desk.js";
import { placesOf, resultIn } from "./places.js";

/**
 * @typedef {import("./desk.js").Table} Table
 * @typedef {{table: Table, scores: number[]}} Slip
 */

const NUMBER = /^-?\d{1,9}$/;

/**
 * `7,61,58,40,12` a line: the table, then scores of those who came.
 * @param {string} text
 * @param {Table[]} tables those that wait for a result
 * @returns {{slips: Slip[], wrong: number[]}} `wrong` are numbers of lines
 */
export function slipsIn(text, tables) {
  /** @type {Map<number, Slip>} */
  const slips = new Map();
  /** @type {number[]} */
  const wrong = [];
  text.split(/\r?\n/).forEach((line, index) => {
    const cells = line
      .trim()
      .split(/[\s,;]+/)
      .filter(Boolean);
    if (!cells.length || cells[0].toLowerCase() === "table") return;
    const [number, ...scores] = cells.map(Number);
    const table = tables.find((each) => each.number === number);
    const came = table?.places.filter((place) => !place.no_show).length;
    const reads = cells.every((cell) => NUMBER.test(cell));
    if (!table || !reads || scores.length !== came || slips.has(number)) wrong.push(index + 1);
    else slips.set(number, { table, scores });
  });
  return { slips: [...slips.values()], wrong };
}

/**
 * @param {number} round
 * @param {Table[]} tables those that wait for a result
 */
export const enterSlips = (round, tables) =>
  ask({
    title: t("ask.slips", { round }),
    says: t("ask.slips_says"),
    body: html`<${Stack} tables=${tables} />`,
    confirm: t("do.enter_slips"),
    act: async ({ slips: text, reason }) => {
      const { slips } = slipsIn(text, tables);
      for (const { table, scores } of slips) {
        // Those before a refusal are in already when the rest is sent again.
        if (desk.value?.round?.tables.find((each) => each.number === table.number)?.phase === "done") continue;
        const people = table.places.filter((place) => !place.no_show);
        const seated = resultIn(people, scores, placesOf(scores));
        const said = t("done.result", { table: table.number, round });
        await act("report_result", { round, table: table.number, seated, reason }, { said });
      }
      tell({ said: t("done.slips", { n: slips.length, round }) });
    },
  });

/** @param {{tables: Table[]}} props */
function Stack({ tables }) {
  const id = useId();
  const text = useSignal("");
  const { slips, wrong } = slipsIn(text.value, tables);
  /** The form is not sent while a line cannot be read. @param {any} typed */
  const type = (typed) => {
    text.value = typed.currentTarget.value;
    const bad = slipsIn(text.value, tables).wrong;
    typed.currentTarget.setCustomValidity(bad.length ? t("slips.wrong", { lines: bad.join(", ") }) : "");
  };
  return html`<div class="field"><label for=${id}>${t("slips.label")}</label>
    <textarea id=${id} name="slips" rows="8" required value=${text.value} onInput=${type} aria-describedby=${`${id}-hint`}></textarea>
    <small class="muted" id=${`${id}-hint`}>${t("slips.hint")}</small>
    <p role="status" class=${wrong.length ? "wrong" : ""}>${wrong.length ? t("slips.wrong", { lines: wrong.join(", ") }) : t("slips.read", { n: slips.length })}</p></div>`;
}
