// What was done last: said, with a way back where there is one, and every published number that is another one now.
import { html } from "../html.js";
import { t } from "../words.js";
import { act, attempt, keepFocus, nameOf, outcome } from "./desk.js";

export function Outcome() {
  const told = outcome.value;
  if (!told) return null;
  const { said, problem, changes = [], undo, others = [], link } = told;
  const dismiss = () => {
    outcome.value = null;
    keepFocus("next");
  };
  return html`<section class=${problem ? "notice bad" : "notice outcome"} aria-label=${t("outcome.label")}>
    <div class="told">
      ${problem ? html`<p role="alert" lang=${problem.status ? "en" : undefined}>${problem.status ? problem.detail : t("unreachable")}</p>` : html`<p>${said}</p>`}
      <div class="row">
        ${
          undo
            ? html`<button type="button"
              onClick=${() => attempt(() => act(undo.command, undo.data, { said: undo.said })).then(() => keepFocus("next"))}>${t("undo")}</button>`
            : null
        }
        <button type="button" onClick=${dismiss}>${t("outcome.dismiss")}</button>
      </div>
    </div>
    ${
      link
        ? html`<div class="field"><label for="outcome-link">${t("links.one")}</label>
          <input id="outcome-link" readonly value=${link} spellcheck="false" onFocus=${(/** @type {any} */ field) => field.currentTarget.select()} /></div>`
        : null
    }
    ${others.length ? html`<p>${t("overtaken")}</p><ul lang="en">${others.map((each) => html`<li>${each}</li>`)}</ul>` : null}
    ${changes.length ? html`<details open><summary>${t("changes.title", { n: changes.length })}</summary><${Changes} changes=${changes} /></details>` : null}
  </section>`;
}

const SHOWN_MAX = 200;

/**
 * A line for each person and round, the place first.
 * @param {{changes: import("./desk.js").Change[]}} props
 */
export function Changes({ changes }) {
  /** @type {Map<string, import("./desk.js").Change[]>} */
  const lines = new Map();
  for (const each of changes) {
    const key = `${each.round} ${each.entry}`;
    lines.set(key, [...(lines.get(key) ?? []), each]);
  }
  return html`
    <div class="scroll changes" tabindex="0" role="region" aria-label=${t("changes.label")}>
      <table>
        <thead><tr><th scope="col" class="n">${t("round")}</th><th scope="col">${t("who")}</th><th scope="col">${t("changes.what")}</th></tr></thead>
        <tbody>${[...lines.values()].slice(0, SHOWN_MAX).map(
          (line) => html`<tr><td class="n">${line[0].round}</td><th scope="row">${nameOf(line[0].entry)}</th>
            <td>${line.map((each) => html`<${OneChange} key=${each.what} change=${each} /> `)}</td></tr>`,
        )}</tbody>
      </table>
    </div>
    ${lines.size > SHOWN_MAX ? html`<p class="muted">${t("more", { n: lines.size - SHOWN_MAX })}</p>` : null}
  `;
}

/** @param {{change: import("./desk.js").Change}} props */
const OneChange = ({ change }) => html`<span class="change">
  <span class="muted">${change.what === "place" ? t("changes.place") : change.what}</span>${" "}${change.before || "–"}${" "}
  <span aria-hidden="true">→</span><span class="unseen">${` ${t("changes.after")} `}</span>${" "}<strong>${change.after || "–"}</strong>
</span>`;
