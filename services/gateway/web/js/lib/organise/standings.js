// The standings in short, with where the cut falls; everything behind them is on the public page.
import { get, Problem } from "../api.js";
import { Trouble } from "../chrome.js";
import { html, useEffect, useSignal } from "../html.js";
import { t } from "../words.js";
import { act, attempt, desk, event, path } from "./desk.js";
import { cut } from "./next.js";

const SHOWN = 50;
/** A lot has forty digits, of which the first decide. */
const LOT_DIGITS = 6;

export function Standings() {
  const now = desk.value;
  const found = useSignal(/** @type {any} */ (null));
  const problem = useSignal(/** @type {Problem | null} */ (null));
  const revision = now?.tournament.revision;
  useEffect(() => {
    get(`${path}/standings`).then(
      (told) => {
        found.value = told;
        problem.value = null;
      },
      (error) => {
        problem.value = error instanceof Problem ? error : null;
      },
    );
  }, [revision]);
  if (!now) return null;
  const { lines = [], keys_shown: keys = [], final = false, after_round: after = 0, cut: goOn = 0 } = found.value ?? {};
  const stage = now.tournament.stage;
  return html`
    <h2>${final ? t("standings.final") : after ? t("standings.after", { number: after }) : t("tab.standings")}</h2>
    <${Trouble} problem=${problem.value} />
    <p class="row"><a class="button" href=${`/t/${event}`}>${t("round.public")}</a>
      <a class="button" href=${`/t/${event}/print/standings`}>${t("standings.print")}</a></p>
    ${
      lines.length
        ? html`<div class="scroll standings" tabindex="0" role="region" aria-label=${t("tab.standings")}><table>
          <thead><tr><th scope="col" class="n">${t("place")}</th><th scope="col">${t("who")}</th>${keys.map((/** @type {string} */ key) => html`<th scope="col" class="n">${key}</th>`)}</tr></thead>
          <tbody>${lines.slice(0, SHOWN).map(
            (
              /** @type {any} */ line,
              /** @type {number} */ index,
            ) => html`<tr key=${line.entry} class=${index + 1 === goOn ? "cut" : ""}>
              <td class="n">${line.place || "–"}</td>
              <th scope="row">${line.name || line.entry} (${line.entry})${line.standing === "in" ? null : html` <span class="tag">${t(`standing.${line.standing}`)}</span>`}</th>
              ${keys.map((/** @type {string} */ key) => html`<td class="n">${key === "LOT" ? `${line.values[key].slice(0, LOT_DIGITS)}…` : line.values[key]}</td>`)}</tr>`,
          )}</tbody></table></div>
          ${lines.length > SHOWN ? html`<p class="muted">${t("more", { n: lines.length - SHOWN })}</p>` : null}
          ${goOn ? html`<p class="muted">${t("standings.cut", { n: goOn })}</p>` : null}`
        : html`<p>${t("standings.none")}</p>`
    }
    ${
      now.config.stages.length > 1 && now.tournament.phase === "running"
        ? html`<h3>${t("standings.stages")}</h3>
          <p>${t("standings.stage_now", { number: stage + 1, of: now.config.stages.length, name: now.tournament.stage_name })}</p>
          <div class="row">
            ${stage + 1 < now.config.stages.length && now.status.waits_for === "cut" ? html`<button type="button" class="main" onClick=${cut}>${t("do.cut")}</button>` : null}
            ${stage ? html`<button type="button" onClick=${() => attempt(revokeCut)}>${t("do.revoke_cut")}</button>` : null}
          </div>`
        : null
    }
  `;
}

const revokeCut = () =>
  act("revoke_cut", {}, { said: t("done.cut_revoked"), undo: { command: "make_cut", data: {}, said: t("done.cut") } });
