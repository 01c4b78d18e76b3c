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
    ${[...groups].map(([name, those]) => html`<${Group} key=${name} name=${name} choices=${those} pick=${pick} disabled=${disabled} />`)}
  `;
}

/**
 * Choices under what they have in common; by themselves where that is nothing.
 * @param {{name: string, choices: import("./turn.js").Choice[], disabled: boolean,
 *   pick: (choice: import("./turn.js").Choice) => void}} props
 */
function Group({ name, choices, pick, disabled }) {
  const title = useId();
  const rests = choices.map(({ label }) => label.slice(name.length).replace(/^,?\s*/, ""));
  const longest = Math.max(...rests.map((rest) => rest.length));
  const size = !name ? "" : longest <= 3 ? "number" : longest <= 12 ? "short" : "";
  const list = html`<ul class=${`choices ${size}`}>
    ${choices.map(
      (choice, at) => html`<li key=${choice.key}>
        <button type="button" disabled=${disabled} aria-label=${name ? labelOf(choice) : undefined} onClick=${() => pick(choice)}>
          ${name ? labelOf({ label: rests[at] }) : labelOf(choice)}
        </button>
      </li>`,
    )}
  </ul>`;
  if (!name) return list;
  return html`<div class="choices-group" role="group" aria-labelledby=${title}><h3 id=${title}>${labelOf({ label: name })}</h3>${list}</div>`;
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
  const isSane = groups.size > 1 && groups.size <= MANY && !groups.has("");
  return isSane ? groups : new Map([["", choices]]);
}
