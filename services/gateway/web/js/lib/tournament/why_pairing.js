// Why people sit together: what each meeting costs, and what the nearest other places would have cost.
import { Trouble } from "../chrome.js";
import { html, useId, useSignal } from "../html.js";
import { t } from "../words.js";
import { Dialog } from "./dialog.js";
import { api, nameIn, names, useDocument, Wait } from "./event.js";
import { points } from "./figures.js";

const TERMS = ["repeats", "gaps", "apart", "short", "misplaced_short"];

/** @param {any} terms */
const total = (terms) => TERMS.reduce((all, name) => all + terms[name], 0);

/** `table` 0 is no table: those who have a bye. @param {{round: number, table: any, close: () => void}} props */
export function WhyPairing({ round, table, close }) {
  const id = useId();
  const entry = useSignal(table.places[0].entry);
  const { told, problem, again } = useDocument(`${api}/rounds/${round}/entrants/${entry.value}/pairing`);
  return html`
    <${Dialog} title=${table.number ? t("why_table", { n: table.number }) : t("why_bye")} close=${close}>
      <div class="field">
        <label for=${id}>${t("why.of")}</label>
        <select id=${id} value=${String(entry.value)} onChange=${(/** @type {any} */ change) => {
          entry.value = Number(change.currentTarget.value);
        }}>
          ${table.places.map((/** @type {any} */ each) => html`<option value=${String(each.entry)}>${each.name || each.player}</option>`)}
        </select>
      </div>
      <${Trouble} problem=${problem} again=${again} />
      ${told ? html`<${Told} told=${told} names=${names.value} />` : problem ? null : html`<${Wait} words=${t("loading")} />`}
    <//>
  `;
}

/** @param {any} told */
const cost = (told) =>
  total(told.total) ? t("why.costs", { points: points(total(told.total), told.unit) }) : t("why.costs_nothing");

/** @param {{told: any, names: Map<number, string>}} props */
function Told({ told, names }) {
  const by = { place: String(told.paired_by.place), points: points(told.paired_by.points, told.unit) };
  return html`
    <p>${t(`why.by_${told.paired_by.then}`, by)}</p>
    ${told.table ? html`<p>${cost(told)}</p>` : null}
    ${
      told.meetings.length
        ? html`<${Costs} title=${t("why.meetings")} unit=${told.unit} rows=${told.meetings.map(
            (/** @type {any} */ each) => ({
              head: nameIn(names, each.entry),
              what: each.times ? t("why.met", { n: each.times }) : t("why.never_met"),
              terms: each.terms,
            }),
          )} />`
        : null
    }
    ${
      told.alternatives.length
        ? html`<${Costs} title=${t("why.instead")} unit=${told.unit} rows=${told.alternatives.map(
            (/** @type {any} */ each) => ({
              head: nameIn(names, each.entry),
              what: each.table ? t("table_n", { n: each.table }) : t("kind.bye"),
              terms: each.change,
            }),
          )} />`
        : null
    }
    ${
      told.passed_over.length
        ? html`<${Costs} title=${t("why.passed")} unit=${told.unit} rows=${told.passed_over.map(
            (/** @type {any} */ each) => ({
              head: nameIn(names, each.entry),
              what: t(`why.${each.because}`),
              terms: each.change,
            }),
          )} />`
        : null
    }
  `;
}

/**
 * Terms in points; one that is nowhere more than nothing has no column.
 * @param {{title: string, unit: number, rows: {head: string, what: string, terms: any}[]}} props
 */
function Costs({ title, unit, rows }) {
  const used = TERMS.filter((name) => rows.some((row) => row.terms[name]));
  return html`
    <h3>${title}</h3>
    <div class="scroll" tabindex="0" role="region" aria-label=${title}>
      <table>
        <thead><tr>
          <th scope="col">${t("name")}</th><th scope="col"><span class="unseen">${t("why.what")}</span></th>
          ${used.map((name) => html`<th scope="col" class="n">${t(`term.${name}`)}</th>`)}
          <th scope="col" class="n">${t("why.in_all")}</th>
        </tr></thead>
        <tbody>
          ${rows.map(
            (row) => html`<tr key=${row.head}>
              <th scope="row">${row.head}</th><td>${row.what}</td>
              ${used.map((name) => html`<td class="n">${points(row.terms[name], unit)}</td>`)}
              <td class="n"><b>${points(total(row.terms), unit)}</b></td>
            </tr>`,
          )}
        </tbody>
      </table>
    </div>
  `;
}
