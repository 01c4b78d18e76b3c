// The result of a table, as it is written down: scores in seat order, and the places that follow or are said.
import { post } from "../api.js";
import { html, useEffect, useRef, useSignal } from "../html.js";
import { t } from "../words.js";
import { ask } from "./asking.js";
import { act, nameOf, path } from "./desk.js";
import { Changes } from "./outcome.js";
import { placesOf, resultIn } from "./places.js";

/** @typedef {import("./desk.js").Table} Table */

/** @param {Table} table */
const came = (table) => table.places.filter((place) => !place.no_show);

/** @param {Table} table */
const seatedNow = (table) => came(table).map((place) => [place.entry, place.place, place.score]);

/**
 * @param {number} round
 * @param {Table} table
 */
export const enterResult = (round, table) =>
  ask({
    title: t("ask.result", { table: table.number, round }),
    says: t("ask.result_says"),
    body: html`<${Sheet} table=${table} />`,
    confirm: t("do.enter_result"),
    act: (values) =>
      act(
        "report_result",
        { round, table: table.number, seated: seatedIn(table, values), reason: values.reason },
        {
          said: t("done.result", { table: table.number, round }),
        },
      ),
  });

/**
 * @param {number} round
 * @param {Table} table
 */
export const adjudicate = (round, table) =>
  ask({
    title: t("ask.adjudicate", { table: table.number, round }),
    says: t("ask.adjudicate_says"),
    body: html`<${Sheet} table=${table} />`,
    confirm: t("do.adjudicate"),
    danger: true,
    act: (values) =>
      act(
        "adjudicate",
        { round, table: table.number, seated: seatedIn(table, values), reason: values.reason },
        {
          said: t("done.adjudicated", { table: table.number, round }),
        },
      ),
  });

/**
 * What was written before can be put back, which is a correction like any other.
 * @param {number} round
 * @param {Table} table
 * @param {boolean} closed
 */
export const correct = (round, table, closed) =>
  ask({
    title: t("ask.correct", { table: table.number, round }),
    says: t("ask.correct_says"),
    body: html`<${Sheet} table=${table} supposing=${closed ? round : 0} />`,
    confirm: t("do.correct"),
    danger: true,
    act: (values) => {
      const at = { round, table: table.number };
      const said = t("done.corrected", { table: table.number, round });
      return act(
        "correct_result",
        { ...at, seated: seatedIn(table, values), ended: table.ended, reason: values.reason },
        {
          said,
          undo: {
            command: "correct_result",
            data: { ...at, seated: seatedNow(table), ended: table.ended, reason: "" },
            said: t("done.as_before"),
          },
        },
      );
    },
  });

/**
 * @param {Table} table
 * @param {Record<string, string>} values of the sheet
 */
function seatedIn(table, values) {
  const people = came(table);
  const scores = people.map((place) => Number(values[`score-${place.entry}`]));
  const places = values.own ? people.map((place) => Number(values[`place-${place.entry}`])) : placesOf(scores);
  return resultIn(people, scores, places);
}

const SUPPOSE_MS = 400;

/**
 * @param {{table: Table, supposing?: number}} props `supposing`: the closed round in which what would change is asked
 */
function Sheet({ table, supposing = 0 }) {
  const people = came(table);
  const hasResult = people.some((place) => place.place);
  const follows =
    hasResult && placesOf(people.map((place) => place.score)).some((place, seat) => place !== people[seat].place);
  const own = useSignal(follows);
  const scores = useSignal(people.map((place) => (hasResult ? String(place.score) : "")));
  const places = placesOf(scores.value.map(Number));
  const complete = scores.value.every((score) => score !== "" && Number.isSafeInteger(Number(score)));
  return html`
    <table class="sheet">
      <thead><tr><th scope="col" class="n">${t("seat")}</th><th scope="col">${t("who")}</th><th scope="col" class="n">${t("score")}</th><th scope="col" class="n">${t("place")}</th></tr></thead>
      <tbody>${people.map(
        (place, seat) => html`<tr key=${place.entry}>
          <td class="n">${table.places.indexOf(place) + 1}</td>
          <th scope="row">${nameOf(place.entry)}</th>
          <td class="n"><input type="number" class="tally" step="1" required name=${`score-${place.entry}`} value=${scores.value[seat]} autofocus=${seat === 0}
            aria-label=${t("score_of", { name: nameOf(place.entry) })}
            onInput=${(/** @type {any} */ typed) => {
              scores.value = scores.value.with(seat, typed.currentTarget.value);
            }} /></td>
          <td class="n">${
            own.value
              ? html`<input type="number" class="tally" min="1" max=${people.length} required name=${`place-${place.entry}`}
                defaultValue=${place.place || (complete ? places[seat] : "")} aria-label=${t("place_of", { name: nameOf(place.entry) })} />`
              : complete
                ? places[seat]
                : "–"
          }</td>
        </tr>`,
      )}</tbody>
    </table>
    <p class="row tick"><input type="checkbox" id="own-places" name="own" value="yes" checked=${own.value} onChange=${(
      /** @type {any} */ ticked,
    ) => {
      own.value = ticked.currentTarget.checked;
    }} /><label for="own-places">${t("ask.own_places")}</label></p>
    ${supposing && own.value ? html`<p class="muted">${t("suppose.own_places")}</p>` : null}
    ${supposing && complete && !own.value ? html`<${Supposed} round=${supposing} table=${table.number} scores=${scores.value.map(Number)} />` : null}
  `;
}

/** @param {{round: number, table: number, scores: number[]}} props */
function Supposed({ round, table, scores }) {
  const found = useSignal(/** @type {any} */ (null));
  const newest = useRef("");
  const asked = scores.join();
  useEffect(() => {
    newest.current = asked;
    found.value = null;
    const soon = setTimeout(async () => {
      try {
        const told = await post(`${path}/what-if`, { results: [{ round, table, scores }] });
        if (newest.current === asked) found.value = told;
      } catch {
        found.value = null; // the correction itself will say what is wrong
      }
    }, SUPPOSE_MS);
    return () => clearTimeout(soon);
  }, [asked]);
  if (!found.value) return html`<p class="muted">${t("suppose.asking")}</p>`;
  const { changes, rounds } = found.value;
  return html`<div class="supposed" role="status">
    <p>${changes.length ? t("suppose.changes", { n: changes.length }) : t("suppose.nothing")}</p>
    ${changes.length ? html`<${Changes} changes=${changes} />` : null}
    ${rounds.map((/** @type {any} */ each) => html`<p>${t("suppose.round", { number: each.round, n: each.moved })}</p>`)}
  </div>`;
}
