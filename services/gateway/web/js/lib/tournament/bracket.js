// An elimination as columns of tables. It is a list of rounds, each a list of tables, so it reads without being seen.
import { address } from "../api.js";
import { Trouble } from "../chrome.js";
import { html } from "../html.js";
import { t } from "../words.js";
import { api, full, useDocument, Wait } from "./event.js";
import { me } from "./me.js";
import { nameOf } from "./names.js";
import { People, State } from "./pairings.js";

/** Whether the event has a bracket at all. */
export const hasBracket = () =>
  (full.value?.config.stages ?? []).some((/** @type {any} */ each) => each.format === "elimination");

export function Bracket() {
  const stages = (full.value?.config.stages ?? [])
    .map((/** @type {any} */ each, /** @type {number} */ index) => ({ ...each, number: index + 1 }))
    .filter((/** @type {any} */ each) => each.format === "elimination");
  return html`
    <h2>${t("tab.bracket")}</h2>
    ${stages.map((/** @type {any} */ stage) => html`<${Tree} key=${stage.number} stage=${stage.number} alone=${stages.length === 1} />`)}
    ${full.value && !stages.length ? html`<p>${t("bracket.none")}</p>` : null}
  `;
}

/** @param {{stage: number, alone: boolean}} props */
function Tree({ stage, alone }) {
  const { told, problem, again } = useDocument(address(`${api}/bracket`, { stage }));
  if (!told)
    return problem ? html`<${Trouble} problem=${problem} again=${again} />` : html`<${Wait} words=${t("loading")} />`;
  const last = told.rounds.length - 1;
  return html`
    ${alone ? null : html`<h3>${told.name}</h3>`}
    ${told.rounds.length ? null : html`<p>${t("bracket.later")}</p>`}
    <div class="scroll" tabindex="0" role="region" aria-label=${t("tab.bracket")}>
      <ol class="bracket">
        ${told.rounds.map(
          (/** @type {any} */ round, /** @type {number} */ index) => html`
          <li key=${index}>
            <h3>${index === last ? t("bracket.final") : t("bracket.round", { n: index + 1 })}
              <span class="muted">${round.round ? t("round_n", { n: round.round }) : t("state.planned")}</span></h3>
            ${round.advance ? html`<p class="muted">${t("bracket.advance", { n: round.advance })}${round.wildcards ? ` ${t("bracket.wildcards", { n: round.wildcards })}` : ""}</p>` : null}
            <ul class="bracket-tables">
              ${round.tables.length ? round.tables.map((/** @type {any} */ table) => html`<${Pod} key=${table.number} table=${table} going=${round.going} undecided=${round.undecided.includes(table.number)} />`) : round.sizes.map((/** @type {number} */ size) => html`<li class="card planned">${t("bracket.table_of", { n: size })}</li>`)}
            </ul>
            <${People} words="bracket.waits" people=${round.byes} />
          </li>`,
        )}
      </ol>
    </div>
  `;
}

/** @param {{table: any, going: any[], undecided: boolean}} props */
const Pod = ({ table, going, undecided }) => html`
  <li class="card">
    <p class="row"><b>${t("table_n", { n: table.number })}</b> <${State} table=${table} />
      <a class="small" href="/m/${table.match_id}" aria-label=${t("watch_table", { n: table.number })}>${t("watch")}</a></p>
    <ul class="plain">
      ${table.places.map((/** @type {any} */ each) => {
        const on = going.find((one) => one.entry === each.entry);
        return html`<li key=${each.entry} class="${on ? "goes-on" : ""} ${each.entry === me.value ? "me-here" : ""}">
          ${nameOf(each)}${each.place ? html` <span class="muted">${t("place_n", { place: each.place })}</span>` : null}
          ${on ? html` <span class="tag">${on.by === "wildcard" ? t("bracket.by_wildcard") : t("bracket.goes_on")}</span>` : null}
        </li>`;
      })}
    </ul>
    ${undecided ? html`<p class="muted">${t("bracket.undecided")}</p>` : null}
  </li>
`;
