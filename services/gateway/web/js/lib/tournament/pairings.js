// Who sits where: by table, and by name for those who look for themselves.
import { gameNamed } from "../boot.js";
import { Trouble } from "../chrome.js";
import { html, signal, useId, useSignal } from "../html.js";
import { t } from "../words.js";
import { api, event, now, useDocument, Wait } from "./event.js";
import { figure } from "./figures.js";
import { me } from "./me.js";
import { byName, nameOf, plain } from "./names.js";
import { place, turn } from "./tabs.js";
import { WhyPairing } from "./why_pairing.js";

const listed = signal("table");
const sought = signal("");

export function Pairings() {
  const newest = now.value?.round ?? 0;
  const number = place.value.asked[0] || newest;
  const { told, problem, again } = useDocument(number ? `${api}/rounds/${number}` : null);
  if (now.value && !number) return html`<h2>${t("tab.pairings")}</h2><p>${t("no_round")}</p>`;
  return html`
    <h2>${number ? t("round_n", { n: number }) : t("tab.pairings")}${told ? html` <span class="muted">${gameNamed(told.game)?.title ?? told.game}</span>` : null}</h2>
    <${Trouble} problem=${problem} again=${again} />
    ${told ? html`<${Round} round=${told} newest=${newest} />` : problem ? null : html`<${Wait} words=${t("loading")} />`}
  `;
}

/** @param {{round: any, newest: number}} props */
function Round({ round, newest }) {
  const id = useId();
  const why = useSignal(/** @type {any} */ (null));
  const wanted = plain(sought.value.trim());
  const fits = (/** @type {any} */ each) => !wanted || plain(nameOf(each)).includes(wanted);
  const tables = round.tables.filter((/** @type {any} */ table) => table.places.some(fits));
  const by = listed.value;
  return html`
    <div class="tools no-print">
      <div class="field">
        <label for="${id}-round">${t("choose.round")}</label>
        <select id="${id}-round" value=${String(round.round)} onChange=${(/** @type {any} */ change) => turn("pairings", Number(change.currentTarget.value) === newest ? 0 : Number(change.currentTarget.value))}>
          ${Array.from({ length: newest }, (_, index) => html`<option value=${String(index + 1)}>${index + 1}</option>`)}
        </select>
      </div>
      <div class="field">
        <label for="${id}-name">${t("choose.name")}</label>
        <input id="${id}-name" type="search" value=${sought.value} onInput=${(/** @type {any} */ input) => {
          sought.value = input.currentTarget.value;
        }} />
      </div>
      <fieldset class="ways">
        <legend>${t("choose.list")}</legend>
        ${["table", "name"].map(
          (each) =>
            html`<label><input type="radio" name="${id}-by" checked=${by === each} onChange=${() => {
              listed.value = each;
            }} /> ${t(`by.${each}`)}</label>`,
        )}
      </fieldset>
      <a class="button" href="/t/${event}/print/${round.round}">${t("print")}</a>
    </div>
    <p class="muted" role="status">${t("tables_shown", { n: tables.length, total: round.tables.length })}</p>
    ${round.phase === "cancelled" ? html`<p class="notice">${t("round.cancelled", { round: String(round.round) })}</p>` : null}
    ${
      by === "table"
        ? html`<${ByTable} tables=${tables} ask=${(/** @type {any} */ table) => {
            why.value = table;
          }} />`
        : html`<${ByName} round=${round} fits=${fits} />`
    }
    <${People} words="byes" people=${round.byes.filter(fits)} />
    ${
      round.byes.length
        ? html`<p class="no-print"><button type="button" class="small" onClick=${() => {
            why.value = { number: 0, places: round.byes };
          }}>${t("why_bye")}</button></p>`
        : null
    }
    <${People} words="absent" people=${round.absent.filter(fits)} />
    ${
      why.value
        ? html`<${WhyPairing} round=${round.round} table=${why.value} close=${() => {
            why.value = null;
          }} />`
        : null
    }
  `;
}

/** @param {{tables: any[], ask: (table: any) => void}} props */
const ByTable = ({ tables, ask }) => html`
  <table class="pairings">
    <thead><tr><th scope="col" class="n">${t("table")}</th><th scope="col">${t("seats")}</th><th scope="col">${t("state")}</th></tr></thead>
    <tbody>
      ${tables.map(
        (table) => html`
        <tr key=${table.number} class=${isMine(table) ? "mine" : ""}>
          <th scope="row" class="n number">${table.number}</th>
          <td><${Seats} table=${table} /></td>
          <td class="state">
            <${State} table=${table} />
            <span class="row no-print">
              ${table.phase === "open" || table.phase === "done" ? html`<a class="small" href="/m/${table.match_id}" aria-label=${t("watch_table", { n: table.number })}>${t("watch")}</a>` : null}
              <button type="button" class="small" onClick=${() => ask(table)} aria-label=${t("why_table", { n: table.number })}>${t("why")}</button>
            </span>
          </td>
        </tr>`,
      )}
    </tbody>
  </table>
`;

/** @param {any} table */
const isMine = (table) => table.places.some((/** @type {any} */ each) => each.entry === me.value);

/** @param {{table: any}} props */
export const Seats = ({ table }) => html`
  <ol class="seats" start="0">
    ${table.places.map(
      (/** @type {any} */ each) => html`<li key=${each.entry} class=${each.entry === me.value ? "me-here" : ""}>
        <span class="who">${each.no_show ? html`<s>${nameOf(each)}</s> ${t("no_show")}` : nameOf(each)}</span>
        ${each.place ? html`<span class="result"><b>${t("place_n", { place: each.place })}</b>, ${t("score_n", { n: each.score })}${each.points ? html`, ${t("points_n", { points: figure(each.points) })}` : null}</span>` : null}
      </li>`,
    )}
  </ol>
`;

/** @param {{table: any}} props */
export const State = ({ table }) => html`
  <span class="tag ${table.phase === "open" ? "live" : ""}">${t(`table.${table.phase}`)}</span>
  ${table.disputed ? html` <span class="tag">${t("table.disputed")}</span>` : null}
  ${table.adjudicated ? html` <span class="tag">${t("table.adjudicated")}</span>` : null}
  ${table.time_called && table.phase === "open" ? html` <span class="tag">${t("table.time_called")}</span>` : null}
`;

/** @param {{round: any, fits: (each: any) => boolean}} props */
function ByName({ round, fits }) {
  const rows = round.tables
    .flatMap((/** @type {any} */ table) =>
      table.places.map((/** @type {any} */ each, /** @type {number} */ seat) => ({
        each,
        seat: String(seat),
        table: table.number,
      })),
    )
    .concat(round.byes.map((/** @type {any} */ each) => ({ each, seat: "", table: t("kind.bye") })))
    .filter((/** @type {any} */ row) => fits(row.each))
    .sort((/** @type {any} */ a, /** @type {any} */ b) => byName(a.each, b.each));
  return html`
    <table class="names">
      <thead><tr><th scope="col">${t("name")}</th><th scope="col" class="n">${t("table")}</th><th scope="col" class="n">${t("seat")}</th></tr></thead>
      <tbody>
        ${rows.map(
          (
            /** @type {any} */ { each, seat, table },
          ) => html`<tr key=${each.entry} class=${each.entry === me.value ? "mine" : ""}>
            <th scope="row">${nameOf(each)}</th><td class="n"><b>${table}</b></td><td class="n">${seat}</td>
          </tr>`,
        )}
      </tbody>
    </table>
  `;
}

/** @param {{words: string, people: any[]}} props */
export const People = ({ words, people }) =>
  people.length ? html`<p><b>${t(words)}:</b> ${people.map(nameOf).join(", ")}</p>` : null;
