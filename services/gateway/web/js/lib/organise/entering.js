// People who enter: one by name, or a list that is pasted and looked at before it is sent.
import { newKey, post } from "../api.js";
import { Trouble } from "../chrome.js";
import { html, useId, useSignal } from "../html.js";
import { t } from "../words.js";
import { actor, event, load, path, problemOf, tell } from "./desk.js";
import { peopleIn } from "./pasted.js";

const AT_ONCE = 2000;

/**
 * @param {import("./pasted.js").Person[]} people
 * @param {boolean} unranked
 */
async function enter(people, unranked) {
  const entered = [];
  for (let first = 0; first < people.length; first += AT_ONCE) {
    const body = { actor: actor(), people: people.slice(first, first + AT_ONCE), unranked };
    entered.push(...(await post(`${path}/people`, body, { key: newKey() })).entrants);
  }
  await load();
  const waiting = entered.filter((each) => each.standing === "waiting").length;
  const said =
    entered.length === 1
      ? t("done.entered_one", { name: `${entered[0].name} (${entered[0].entry})` })
      : t("done.entered", { n: entered.length });
  tell({ said: waiting ? `${said} ${t("done.waiting", { n: waiting })}` : said });
}

export function Entering() {
  const problem = useSignal(/** @type {import("../api.js").Problem | null} */ (null));
  const waiting = useSignal(false);
  /** @param {() => Promise<void>} doing */
  async function trying(doing) {
    waiting.value = true;
    problem.value = null;
    try {
      await doing();
    } catch (error) {
      problem.value = problemOf(error);
    } finally {
      waiting.value = false;
    }
  }
  return html`
    <div class="entering">
      <${One} trying=${trying} waiting=${waiting.value} />
      <${Many} trying=${trying} waiting=${waiting.value} />
    </div>
    <${Trouble} problem=${problem.value} />
  `;
}

/** @typedef {{trying: (doing: () => Promise<void>) => Promise<void>, waiting: boolean}} Form */

/** @param {Form} props */
function One({ trying, waiting }) {
  const id = useId();
  /** @param {SubmitEvent} submitted */
  const submit = (submitted) => {
    submitted.preventDefault();
    const form = /** @type {HTMLFormElement} */ (submitted.currentTarget);
    const values = new FormData(form);
    const text = (/** @type {string} */ name) => String(values.get(name) ?? "").trim();
    trying(async () => {
      const person = { player: "", name: text("name"), contact: text("contact"), alias: text("alias") };
      await enter([person], values.has("unranked"));
      form.reset();
      /** @type {HTMLInputElement} */ (form.elements.namedItem("name")).focus();
    });
  };
  return html`<form class="card" onSubmit=${submit} aria-labelledby=${`${id}-title`}>
    <h3 id=${`${id}-title`}>${t("enter.one")}</h3>
    <div class="field"><label for=${`${id}-name`}>${t("enter.name")}</label>
      <input id=${`${id}-name`} name="name" required maxlength="100" autocomplete="off" /></div>
    <details><summary>${t("enter.more")}</summary>
      <div class="field"><label for=${`${id}-alias`}>${t("enter.alias")}</label>
        <input id=${`${id}-alias`} name="alias" maxlength="40" autocomplete="off" aria-describedby=${`${id}-alias-hint`} />
        <small class="muted" id=${`${id}-alias-hint`}>${t("enter.alias_hint")}</small></div>
      <div class="field"><label for=${`${id}-contact`}>${t("enter.contact")}</label>
        <input id=${`${id}-contact`} name="contact" maxlength="200" autocomplete="off" aria-describedby=${`${id}-contact-hint`} />
        <small class="muted" id=${`${id}-contact-hint`}>${t("enter.contact_hint")}</small></div>
      <p class="row tick"><input type="checkbox" id=${`${id}-unranked`} name="unranked" value="yes" />
        <label for=${`${id}-unranked`}>${t("enter.unranked")}</label></p>
    </details>
    <button class="main" disabled=${waiting}>${t("do.enter")}</button>
  </form>`;
}

/** @param {Form} props */
function Many({ trying, waiting }) {
  const id = useId();
  const text = useSignal("");
  const { people, wrong } = peopleIn(text.value);
  /** @param {SubmitEvent} submitted */
  const submit = (submitted) => {
    submitted.preventDefault();
    const form = /** @type {HTMLFormElement} */ (submitted.currentTarget);
    trying(async () => {
      await enter(people, new FormData(form).has("unranked"));
      text.value = "";
      form.querySelector("textarea")?.focus();
    });
  };
  return html`<form class="card" onSubmit=${submit} aria-labelledby=${`${id}-title`}>
    <h3 id=${`${id}-title`}>${t("enter.many")}</h3>
    <div class="field"><label for=${`${id}-text`}>${t("enter.list")}</label>
      <textarea id=${`${id}-text`} rows="5" value=${text.value} aria-describedby=${`${id}-hint`}
        onInput=${(/** @type {any} */ typed) => {
          text.value = typed.currentTarget.value;
        }}></textarea>
      <small class="muted" id=${`${id}-hint`}>${t("enter.list_hint")}</small></div>
    <p class="row tick"><input type="checkbox" id=${`${id}-unranked`} name="unranked" value="yes" />
      <label for=${`${id}-unranked`}>${t("enter.unranked")}</label></p>
    ${
      wrong.length
        ? html`<ul class="wrong">${wrong.slice(0, 10).map((each) => html`<li>${t("enter.line", { n: each.line })} ${t(`enter.${each.why}`)}</li>`)}</ul>`
        : null
    }
    <button class="main" disabled=${waiting || !people.length || wrong.length > 0}>${t("do.enter_many", { n: people.length })}</button>
    <p class="muted">${t("enter.terminal")} <code>tavolata tournament register ${event} --file people.csv</code></p>
  </form>`;
}
