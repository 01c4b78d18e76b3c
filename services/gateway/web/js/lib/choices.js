// The answers to a question as a list of buttons; a long list is in groups and can be filtered by typing.
import { html, useId, useSignal } from "./html.js";
import { groupedBy, labelOf } from "./places.js";
import { t } from "./words.js";

/** More than these, and there is a filter. */
const MANY = 12;

/**
 * @param {{choices: import("./turn.js").Choice[], pick: (choice: import("./turn.js").Choice) => void, disabled: boolean,
 *   place: string, everywhere: () => void}} props `place` shows only what stands for one place of the board;
 *   `everywhere` shows all again
 */
export function Choices({ choices, pick, disabled, place, everywhere }) {
  const wanted = useSignal("");
  const field = useId();
  const here = place ? choices.filter((choice) => choice.place === place) : choices;
  const words = wanted.value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = here.filter((choice) => words.every((word) => choice.label.toLowerCase().includes(word)));
  const groups = grouped(found);
  return html`
    ${place && here.length < choices.length ? html`<p class="row"><button type="button" onClick=${everywhere}>${t("choices.all", { n: choices.length })}</button></p>` : null}
    ${
      here.length > MANY
        ? html`<div class="row choices-filter">
          <label for=${field}>${t("choices.filter")}</label>
          <input id=${field} type="search" autocomplete="off" value=${wanted.value} disabled=${disabled}
            onKeyDown=${(/** @type {KeyboardEvent} */ event) => {
              if (event.key === "Enter" && found.length === 1) pick(found[0]);
            }}
            onInput=${(/** @type {InputEvent} */ event) => {
              wanted.value = /** @type {HTMLInputElement} */ (event.currentTarget).value;
            }} />
          <span class="muted" role="status">${t("choices.count", { n: found.length })}</span>
        </div>`
        : null
    }
    ${[...groups].map(
      ([name, those]) => html`
      <div key=${name} role=${groups.size > 1 ? "group" : undefined} aria-label=${groups.size > 1 ? name : undefined}>
        <ul class="choices">
          ${those.map(
            (choice) => html`<li key=${choice.key}>
              <button type="button" disabled=${disabled} onClick=${() => pick(choice)}>${labelOf(choice)}</button>
            </li>`,
          )}
        </ul>
      </div>`,
    )}
  `;
}

/**
 * Labels that begin alike stand together: what is before the first comma, or before the number.
 * @param {import("./turn.js").Choice[]} choices
 * @returns {Map<string, import("./turn.js").Choice[]>}
 */
function grouped(choices) {
  if (choices.length <= MANY) return new Map([["", choices]]);
  const groups = groupedBy(choices, ({ label }) =>
    label.includes(",") ? label.split(",")[0] : label.replace(/\s*\d.*$/, ""),
  );
  return groups.size <= MANY ? groups : new Map([["", choices]]);
}
