// A new event: from what most need to say, or from a file that the handbook explains, checked while one types.
import { get, newKey, post } from "../api.js";
import { boot } from "../boot.js";
import { Trouble } from "../chrome.js";
import { html, useEffect, useId, useSignal } from "../html.js";
import { t } from "../words.js";
import { Checked, useCheck } from "./checking.js";
import { configText, FIELD_OF, idFor, USUAL } from "./config_text.js";
import { called, problemOf } from "./desk.js";

const FORM = "form";
/** The key is kept while the same file is sent: whoever presses twice has one event. */
const keys = new Map();

/** @param {{close: () => void}} props */
export function NewEvent({ close }) {
  const templates = useSignal(/** @type {{name: string, about: string, config_toml: string}[]} */ ([]));
  const start = useSignal(FORM);
  const wanted = useSignal({ ...USUAL, game: boot.games[0]?.key ?? "" });
  const text = useSignal(configText(wanted.value));
  const id = useSignal("");
  const entrants = useSignal(0);
  const problem = useSignal(/** @type {import("../api.js").Problem | null} */ (null));
  const waiting = useSignal(false);
  const checked = useCheck(text, entrants);
  useEffect(() => {
    get("/api/templates").then(
      (told) => {
        templates.value = told.templates;
      },
      () => {},
    );
  }, []);

  /** @param {string} name */
  const begin = (name) => {
    start.value = name;
    const template = templates.value.find((each) => each.name === name);
    text.value = template ? template.config_toml : configText(wanted.value);
  };
  /** @param {string} key @param {unknown} value */
  const want = (key, value) => {
    wanted.value = { ...wanted.value, [key]: value };
    text.value = configText(wanted.value);
  };
  const name = /^name\s*=\s*"([^"]*)"/m.exec(text.value)?.[1] ?? "";
  const event = id.value || idFor(name);
  /** @param {SubmitEvent} submitted */
  async function create(submitted) {
    submitted.preventDefault();
    waiting.value = true;
    problem.value = null;
    const body = { id: event, config_toml: text.value, organiser: called() };
    const sent = JSON.stringify(body);
    if (!keys.has(sent)) keys.set(sent, newKey());
    try {
      const told = await post("/api/tournaments", body, { key: keys.get(sent) });
      location.assign(`/organise/${told.id}`);
    } catch (error) {
      problem.value = problemOf(error);
      waiting.value = false;
    }
  }

  return html`<form class="card new-event" onSubmit=${create} aria-labelledby="new-title">
    <h2 id="new-title" tabindex="-1">${t("home.new")}</h2>
    <div class="field"><label for="start">${t("new.start")}</label>
      <select id="start" onChange=${(/** @type {any} */ chosen) => begin(chosen.currentTarget.value)}>
        <option value=${FORM}>${t("new.form")}</option>
        ${templates.value.map((each) => html`<option value=${each.name} lang="en">${each.name.replaceAll("_", " ")}</option>`)}
      </select></div>
    ${start.value === FORM ? html`<${Simple} wanted=${wanted.value} want=${want} wrong=${FIELD_OF[checked.value.key]} problem=${checked.value.problem} />` : html`<p class="muted" lang="en">${templates.value.find((each) => each.name === start.value)?.about}</p>`}
    <details open=${start.value !== FORM}><summary>${t("new.file")}</summary>
      <div class="field"><label for="config">${t("settings.file")}</label>
        <textarea id="config" class="toml" lang="en" rows="20" spellcheck="false" value=${text.value} aria-describedby="checked"
          aria-invalid=${checked.value.problem ? "true" : undefined} onInput=${(/** @type {any} */ typed) => {
            text.value = typed.currentTarget.value;
          }}></textarea></div>
      <p class="muted">${t("new.file_hint")}</p>
    </details>
    <div class="pair">
      <div class="field"><label for="event-id">${t("new.id")}</label>
        <input id="event-id" value=${event} pattern="[A-Za-z0-9_\\-]{1,40}" maxlength="40" required aria-describedby="id-hint" onInput=${(
          /** @type {any} */ typed,
        ) => {
          id.value = typed.currentTarget.value;
        }} /><small class="muted" id="id-hint">${t("new.id_hint")}</small></div>
      <div class="field"><label for="expected">${t("new.expected")}</label>
        <input id="expected" type="number" min="0" max="12000" value=${entrants.value || ""} aria-describedby="expected-hint" onInput=${(
          /** @type {any} */ typed,
        ) => {
          entrants.value = Number(typed.currentTarget.value) || 0;
        }} /><small class="muted" id="expected-hint">${t("new.expected_hint")}</small></div>
    </div>
    <${Checked} checked=${name || start.value !== FORM ? checked.value : { ...checked.value, problem: "" }} />
    <${Trouble} problem=${problem.value} />
    <div class="row"><button class="main" disabled=${waiting.value || !checked.value.holds}>${t("do.create")}</button>
      <button type="button" onClick=${close}>${t("ask.cancel")}</button></div>
  </form>`;
}

/**
 * @param {{wanted: import("./config_text.js").Wanted, want: (key: string, value: unknown) => void,
 *   wrong: string | undefined, problem: string}} props
 */
function Simple({ wanted, want, wrong, problem }) {
  const id = useId();
  /** @param {keyof import("./config_text.js").Wanted} key @param {Record<string, unknown>} [more] */
  const field = (key, more = {}) => {
    const number = typeof wanted[key] === "number";
    const bad = wrong === key && (key !== "name" || wanted.name);
    return html`<div class="field"><label for=${`${id}-${key}`}>${t(`new.${key}`)}</label>
      <input id=${`${id}-${key}`} type=${number ? "number" : "text"} value=${wanted[key]} autocomplete="off" aria-invalid=${bad ? "true" : undefined}
        aria-describedby=${bad ? `${id}-${key}-wrong` : undefined} ...${more}
        onInput=${(/** @type {any} */ typed) => want(key, number ? Number(typed.currentTarget.value) : typed.currentTarget.value.trim())} />
      ${bad ? html`<small class="wrong" lang="en" id=${`${id}-${key}-wrong`}>${problem.replace(/^.*does not hold: \S+: /, "")}</small>` : null}</div>`;
  };
  /** @param {"check_in" | "final"} key */
  const tick = (
    key,
  ) => html`<p class="row tick"><input type="checkbox" id=${`${id}-${key}`} checked=${wanted[key]} onChange=${(/** @type {any} */ ticked) => want(key, ticked.currentTarget.checked)} />
    <label for=${`${id}-${key}`}>${t(`new.${key}`, { n: wanted.target })}</label></p>`;
  return html`<div class="simple">
    ${field("name", { required: true, maxlength: 200, class: "long" })}
    <div class="field"><label for=${`${id}-game`}>${t("new.game")}</label>
      <select id=${`${id}-game`} onChange=${(/** @type {any} */ chosen) => want("game", chosen.currentTarget.value)}>
        ${boot.games.map((game) => html`<option value=${game.key} selected=${game.key === wanted.game}>${game.title} (${game.seats[0]}–${game.seats[1]})</option>`)}
      </select></div>
    ${field("rounds", { min: 1, max: 100 })}
    ${field("smallest", { min: 2, max: 16 })}
    ${field("target", { min: 2, max: 16 })}
    ${field("largest", { min: 2, max: 16 })}
    ${field("cap", { min: 0, max: 12000 })}
    ${field("turn", { placeholder: "90s" })}
    ${field("round", { placeholder: "50m" })}
    ${tick("check_in")}
    ${tick("final")}
  </div>`;
}
