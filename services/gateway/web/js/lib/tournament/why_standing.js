// Why somebody stands where they stand: every key in the terms that add up to it, and what parts them from the line before.
import { address } from "../api.js";
import { boot } from "../boot.js";
import { Trouble } from "../chrome.js";
import { html } from "../html.js";
import { t } from "../words.js";
import { Dialog } from "./dialog.js";
import { api, nameIn, names, useDocument, Wait } from "./event.js";
import { figure, figures, sum } from "./figures.js";

/** @param {{line: any, close: () => void}} props */
export function WhyStanding({ line, close }) {
  const url = address(`${api}/entrants/${line.entry}/standing`, { stage: line.stage + 1 });
  const { told, problem, again } = useDocument(url);
  return html`
    <${Dialog} title=${t("why_standing", { name: line.name })} close=${close}>
      <${Trouble} problem=${problem} again=${again} />
      ${told ? html`<p>${behind(told, names.value)}</p>${told.keys.map((/** @type {any} */ key) => html`<${Key} key=${key.key} told=${key} names=${names.value} />`)}` : problem ? null : html`<${Wait} words=${t("loading")} />`}
    <//>
  `;
}

/**
 * @param {any} told
 * @param {Map<number, string>} names
 */
function behind({ place, behind: before }, names) {
  if (!before) return t("why.first");
  const name = nameIn(names, before.entry);
  if (!before.decided_by)
    return before.equal.length ? t("why.shares", { place: String(place), name }) : t("why.behind", { name });
  const key = t(`key.${before.decided_by}`);
  const values = { name, key, own: figures(before.own), theirs: figures(before.theirs) };
  return before.equal.length ? t("why.equal", { ...values, equal: before.equal.join(", ") }) : t("why.decided", values);
}

/** @param {{told: any, names: Map<number, string>}} props */
function Key({ told, names }) {
  const width = Array.isArray(told.value) ? told.value.length : 1;
  const lot = told.key === "LOT";
  return html`
    <details open=${told.key === "TP"}>
      <summary><b>${told.key}</b> ${lot ? "" : figures(told.value)} <span class="muted">${t(`key.${told.key}`)}</span></summary>
      ${
        lot || !told.parts.length
          ? html`<p class="muted">${lot ? t("why.lot") : t("why.nothing")}</p>`
          : html`
        <div class="scroll" tabindex="0" role="region" aria-label=${t(`key.${told.key}`)}>
          <table>
            <thead><tr><th scope="col" class="n">${t("round")}</th><th scope="col" class="n">${t("table")}</th><th scope="col">${t("opponent")}</th><th scope="col">${t("why.what")}</th><th scope="col" class="n">${t("why.term")}</th></tr></thead>
            <tbody>
              ${told.parts.map(
                (/** @type {any} */ part) => html`<tr>
                  <td class="n">${part.round || ""}</td><td class="n">${part.table || ""}</td>
                  <td>${part.opponent ? nameIn(names, part.opponent) : ""}</td>
                  <td lang=${boot.words[`part.${part.label}`] ? undefined : "en"}>${boot.words[`part.${part.label}`] ?? part.label}</td><td class="n">${figure(part.value)}</td>
                </tr>`,
              )}
            </tbody>
            <tfoot><tr><th scope="row" colspan="4">${t("why.sum")}</th><td class="n"><b>${sum(told.parts, width)}</b></td></tr></tfoot>
          </table>
        </div>`
      }
    </details>
  `;
}
