// A form for the options of a game, made of their JSON Schema: whatever a game can be asked for can be chosen here.
//
// An option is a switch, a choice, a number, a row of numbers, or JSON. One that is a choice or something else ("anyOf")
// has "another" among its choices, and then a field for it. What is left as printed is not sent.
import { html, useId } from "./html.js";
import { t, wordOr } from "./words.js";

/**
 * @typedef {{title?: string, description?: string, type?: string, enum?: string[], default?: unknown, minimum?: number,
 *   maximum?: number, prefixItems?: Schema[], anyOf?: Schema[]}} Schema
 * @typedef {Record<string, unknown>} Values as they are typed: JSON is text until it is read
 * @typedef {{game: string, name: string, schema: Schema, value: unknown, change: (value: unknown) => void,
 *   label: string, described?: string}} Control
 */

/** Text that stands for a value of its own kind, until the form is read. */
export class Typed {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }
}

/**
 * What is to be sent. Throws a `SyntaxError` where something that is typed is no JSON; its `message` is the option's name.
 * @param {Record<string, Schema>} properties
 * @param {Values} values
 */
export function read(properties, values) {
  /** @type {Record<string, unknown>} */
  const chosen = {};
  for (const [name, value] of Object.entries(values)) {
    let meant = value;
    if (value instanceof Typed) {
      try {
        meant = JSON.parse(value.text);
      } catch {
        throw new SyntaxError(name);
      }
    }
    if (JSON.stringify(meant) !== JSON.stringify(properties[name]?.default)) chosen[name] = meant;
  }
  return chosen;
}

/** @param {string} game @param {string} name @param {Schema} schema */
export const labelOf = (game, name, schema) => wordOr(`option.${game}.${name}`, schema.title ?? name);

/** @param {Control & {value: boolean}} control */
const Switch = ({ value, change, label, described }) => html`
  <label class="switch">
    <input type="checkbox" checked=${value} aria-describedby=${described}
      onChange=${(/** @type {any} */ event) => change(event.currentTarget.checked)} />
    <span>${label}</span>
  </label>
`;

/** @param {Control & {value: number, unseen?: boolean}} control */
const Whole = ({ schema, value, change, label, described, unseen }) => html`
  <label class="field"><span class=${unseen ? "unseen" : ""}>${label}</span>
    <input type="number" required min=${schema.minimum ?? 0} max=${schema.maximum} step="1" value=${value} aria-describedby=${described}
      onInput=${(/** @type {any} */ event) => change(event.currentTarget.valueAsNumber)} />
  </label>
`;

/** @param {Control & {value: number[]}} control */
const Row = ({ schema, value, change, label, described }) => html`
  <fieldset aria-describedby=${described}>
    <legend>${label}</legend>
    <div class="row">
      ${(schema.prefixItems ?? []).map(
        (
          each,
          place,
        ) => html`<${Whole} key=${place} unseen schema=${each} value=${value[place]} label=${t("option.place", { label, n: place + 1 })}
          change=${(/** @type {number} */ number) => change(value.map((old, at) => (at === place ? number : old)))} />`,
      )}
    </div>
  </fieldset>
`;

/** @param {Control} control */
const Json = ({ value, change, label, described }) => html`
  <label class="field"><span>${label}</span>
    <textarea rows="4" required spellcheck="false" aria-describedby=${described}
      onInput=${(/** @type {any} */ event) => change(new Typed(event.currentTarget.value))}>${value instanceof Typed ? value.text : ""}</textarea>
  </label>
`;

const ANOTHER = "\u0000another";

/** @param {Control} control */
const Choice = ({ game, name, schema, value, change, label, described }) => {
  const choices = schema.enum ?? schema.anyOf?.flatMap((each) => each.enum ?? []) ?? [];
  const other = schema.anyOf?.find((each) => !each.enum);
  const isOther = !choices.includes(/** @type {string} */ (value));
  const otherLabel = wordOr(`option.${game}.${name}.another`, t("option.another"));
  const choose = (/** @type {any} */ event) => {
    const key = event.currentTarget.value;
    change(key !== ANOTHER ? key : other?.type === "integer" ? 0 : new Typed(""));
  };
  return html`
    <label class="field"><span>${label}</span>
      <select onChange=${choose} aria-describedby=${described}>
        ${choices.map((each) => html`<option key=${each} value=${each} selected=${each === value}>${wordOr(`option.${game}.${name}.${each}`, each.replaceAll("_", " "))}</option>`)}
        ${other ? html`<option value=${ANOTHER} selected=${isOther}>${otherLabel}</option>` : null}
      </select>
    </label>
    ${isOther && other ? html`<${other.type === "integer" ? Whole : Json} schema=${other} value=${value} change=${change} label=${t("option.place", { label, n: otherLabel })} described=${described} />` : null}
  `;
};

/** @param {Schema} schema */
function controlOf(schema) {
  if (schema.type === "boolean") return Switch;
  if (schema.type === "integer") return Whole;
  if (schema.enum || schema.anyOf?.some((each) => each.enum)) return Choice;
  if (schema.prefixItems?.every((each) => each.type === "integer")) return Row;
  return Json;
}

/** @param {{game: string, name: string, schema: Schema, value: unknown, change: (value: unknown) => void}} props */
const Option = ({ game, name, schema, value, change }) => {
  const described = useId();
  const help = wordOr(`help.${game}.${name}`, "");
  const label = labelOf(game, name, schema);
  const text = help || (label === schema.title ? schema.description : "");
  return html`
    <div class="option" data-option=${name}>
      <${controlOf(schema)} game=${game} name=${name} schema=${schema} value=${value} change=${change} label=${label}
        described=${text ? described : undefined} />
      ${text ? html`<p id=${described} class="muted" lang=${help ? undefined : "en"}>${text}</p>` : null}
    </div>
  `;
};

/**
 * @param {{game: string, properties: Record<string, Schema>, values: Values, change: (values: Values) => void}} props
 *   `values` holds what has been touched
 */
export const Options = ({ game, properties, values, change }) => html`
  <div class="options">
    ${Object.entries(properties).map(
      ([name, schema]) => html`<${Option} key=${`${game}.${name}`} game=${game} name=${name} schema=${schema}
        value=${name in values ? values[name] : schema.default}
        change=${(/** @type {unknown} */ value) => change({ ...values, [name]: value })} />`,
    )}
  </div>
`;
