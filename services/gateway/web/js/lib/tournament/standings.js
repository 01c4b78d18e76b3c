// How everybody stands: places, what has moved, the figures by key, where the cut is, and why.

import { address } from "../api.js";
import { boot } from "../boot.js";
import { Trouble } from "../chrome.js";
import { html, useId, useSignal } from "../html.js";
import { t } from "../words.js";
import { api, event, full, now, useDocument, Wait } from "./event.js";
import { me } from "./me.js";
import { place, turn } from "./tabs.js";
import { WhyStanding } from "./why_standing.js";

const LOT_DIGITS = 6;

export function Standings() {
  const [stage = 0, after = 0] = place.value.asked;
  const query = { stage: stage || undefined, after_round: after || undefined };
  const { told, problem, again } = useDocument(address(`${api}/standings`, query));
  const why = useSignal(/** @type {any} */ (null));
  const title = told
    ? told.final
      ? t("standings.final")
      : told.after_round
        ? t("standings.after", { n: told.after_round })
        : t("standings.before")
    : t("tab.standings");
  return html`
    <h2>${title}</h2>
    <${Choose} stage=${stage} after=${after} />
    <${Trouble} problem=${problem} again=${again} />
    ${
      told
        ? html`<${Table} told=${told} title=${title} ask=${(/** @type {any} */ line) => {
            why.value = line;
          }} />`
        : problem
          ? null
          : html`<${Wait} words=${t("loading")} />`
    }
    ${told ? html`<${Legend} keys=${told.keys_shown} />` : null}
    ${
      why.value
        ? html`<${WhyStanding} line=${why.value} close=${() => {
            why.value = null;
          }} />`
        : null
    }
  `;
}

/** @param {{stage: number, after: number}} props */
function Choose({ stage, after }) {
  const id = useId();
  const stages = (full.value?.config.stages ?? []).slice(0, (now.value?.stage ?? 0) + 1);
  const rounds = now.value?.round ?? 0;
  const print = address(`/t/${event}/print/standings`, { stage: stage || undefined, after_round: after || undefined });
  return html`
    <div class="tools no-print">
      ${
        stages.length > 1
          ? html`<div class="field"><label for="${id}-stage">${t("choose.stage")}</label>
            <select id="${id}-stage" value=${String(stage)} onChange=${(/** @type {any} */ change) => turn("standings", Number(change.currentTarget.value))}>
              <option value="0">${t("newest")}</option>
              ${stages.map((/** @type {any} */ each, /** @type {number} */ index) => html`<option value=${String(index + 1)}>${each.name}</option>`)}
            </select></div>`
          : null
      }
      ${
        rounds
          ? html`<div class="field"><label for="${id}-after">${t("choose.after")}</label>
            <select id="${id}-after" value=${String(after)} onChange=${(/** @type {any} */ change) => turn("standings", stage, Number(change.currentTarget.value))}>
              <option value="0">${t("choose.now")}</option>
              ${Array.from({ length: rounds }, (_, index) => html`<option value=${String(index + 1)}>${t("round_n", { n: index + 1 })}</option>`)}
            </select></div>`
          : null
      }
      <a class="button" href=${print}>${t("print")}</a>
    </div>
  `;
}

/** @param {{told: any, title: string, ask: (line: any) => void}} props */
function Table({ told, title, ask }) {
  const stages = new Set(told.lines.map((/** @type {any} */ line) => line.stage)).size > 1;
  const last = told.cut ? lineBeforeCut(told) : -1;
  if (!told.lines.length) return html`<p>${t("standings.none")}</p>`;
  return html`
    ${told.cut ? html`<p>${t("cut", { n: told.cut })}</p>` : null}
    <div class="scroll" tabindex="0" role="region" aria-label=${title}>
      <table class="standings">
        <thead><tr>
          <th scope="col" class="n">${t("place")}</th>
          <th scope="col"><span class="unseen">${t("movement")}</span></th>
          <th scope="col">${t("name")}</th>
          ${stages ? html`<th scope="col" class="n">${t("stage")}</th>` : null}
          ${told.keys_shown.map((/** @type {string} */ key) => html`<th scope="col" class="n"><abbr title=${t(`key.${key}`)}>${key}</abbr></th>`)}
          <th scope="col" class="no-print"><span class="unseen">${t("why")}</span></th>
        </tr></thead>
        <tbody>
          ${told.lines.map(
            (/** @type {any} */ line, /** @type {number} */ index) => html`
            <tr key=${line.entry} class="${line.entry === me.value ? "mine" : ""} ${index === last ? "cut" : ""}">
              <td class="n">${line.place || "–"}</td>
              <td class="moved"><${Moved} places=${line.movement} /></td>
              <th scope="row">${line.name}
                ${line.standing === "in" ? null : html` <span class="tag">${t(`standing.${line.standing}`)}</span>`}
                ${line.chance === "clinched" || line.chance === "eliminated" ? html` <span class="tag">${t(`chance.${line.chance}`)}</span>` : null}
              </th>
              ${stages ? html`<td class="n">${line.stage + 1}</td>` : null}
              ${told.keys_shown.map((/** @type {string} */ key) => html`<td class="n ${key === line.decided_by ? "decided" : ""}">${shownAs(key, line.values[key])}</td>`)}
              <td class="no-print"><button type="button" class="small" onClick=${() => ask(line)} aria-label=${t("why_standing", { name: line.name })}>${t("why")}</button></td>
            </tr>`,
          )}
        </tbody>
      </table>
    </div>
  `;
}

/** The last row above the cut: those who are not ranked take no place of it. @param {any} told */
function lineBeforeCut(told) {
  let places = 0;
  for (const [index, line] of told.lines.entries()) {
    if (line.place && line.standing === "in") places += 1;
    if (places === told.cut) return index;
  }
  return -1;
}

/**
 * @param {string} key
 * @param {string} value
 */
const shownAs = (key, value) => (key === "LOT" && value.length > LOT_DIGITS ? `${value.slice(0, LOT_DIGITS)}…` : value);

/** @param {{places: number}} props */
const Moved = ({ places }) =>
  places
    ? html`<span class=${places > 0 ? "up" : "down"}><span aria-hidden="true">${places > 0 ? "▲" : "▼"}${Math.abs(places)}</span><span class="unseen">${t(places > 0 ? "moved.up" : "moved.down", { n: Math.abs(places) })}</span></span>`
    : null;

/** @param {{keys: string[]}} props */
const Legend = ({ keys }) => html`
  <details class="legend">
    <summary>${t("legend")}</summary>
    <dl class="pairs">${keys.map((key) => html`<div key=${key}><dt>${key}</dt><dd>${boot.words[`key.${key}`] ?? key}</dd></div>`)}</dl>
    <p class="muted">${t("legend.order")}</p>
  </details>
`;
