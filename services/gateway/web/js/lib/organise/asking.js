// One dialog for everything that is asked before it is done: what will happen, what is needed for it, and why.
import { signal } from "@preact/signals";
import { Trouble } from "../chrome.js";
import { html, useEffect, useId, useRef, useSignal } from "../html.js";
import { t } from "../words.js";
import { keepFocus, Overtaken, problemOf } from "./desk.js";

/**
 * @typedef {{name: string, label: string, kind?: "text" | "number" | "area" | "choice" | "tick", value?: string | number,
 *   choices?: [string | number, string][], hint?: string, required?: boolean, min?: number, max?: number}} Field
 * @typedef {{title: string, says?: string, fields?: Field[], body?: any, reason?: boolean, confirm: string,
 *   danger?: boolean, act: (values: Record<string, string>) => Promise<void>}} Question
 */

const question = signal(/** @type {Question | null} */ (null));

/** @param {Question} what */
export function ask(what) {
  question.value = what;
}

const REASON_LENGTH_MAX = 500;

/**
 * What was typed is the form's own and stays when the dialog is drawn anew.
 * @param {{field: Field}} props
 */
export function Entry({ field }) {
  const id = useId();
  const { name, label, kind = "text", value = "", choices = [], hint, required, min, max } = field;
  const described = hint ? `${id}-hint` : undefined;
  const input =
    kind === "choice"
      ? html`<select id=${id} name=${name} aria-describedby=${described}>
          ${choices.map(([key, words]) => html`<option value=${key} selected=${key === value}>${words}</option>`)}
        </select>`
      : kind === "area"
        ? html`<textarea id=${id} name=${name} rows="4" required=${required} aria-describedby=${described} defaultValue=${value}></textarea>`
        : html`<input id=${id} name=${name} type=${kind === "tick" ? "checkbox" : kind} defaultValue=${kind === "tick" ? "yes" : value}
            defaultChecked=${kind === "tick" && Boolean(value)} required=${required} min=${min} max=${max}
            maxlength=${kind === "text" ? REASON_LENGTH_MAX : undefined} autocomplete="off" aria-describedby=${described} />`;
  return html`<div class=${kind === "tick" ? "row tick" : "field"}>
    <label for=${id}>${label}</label>${input}
    ${hint ? html`<small class="muted" id=${described}>${hint}</small>` : null}
  </div>`;
}

/** The dialog; it stands once in the page. */
export function Asking() {
  const asked = question.value;
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const shown = useRef(/** @type {Question | null} */ (null));
  const problem = useSignal(/** @type {import("../api.js").Problem | null} */ (null));
  const waiting = useSignal(false);
  const title = useId();
  useEffect(() => {
    problem.value = null;
    shown.current = asked;
    if (asked) dialog.current?.showModal();
    else dialog.current?.close();
  }, [asked]);

  /** @param {SubmitEvent} event */
  async function submit(event) {
    event.preventDefault();
    if (!asked || waiting.value) return;
    const form = /** @type {HTMLFormElement} */ (event.currentTarget);
    const values = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value).trim()]));
    waiting.value = true;
    problem.value = null;
    try {
      await asked.act(values);
      question.value = null;
    } catch (error) {
      problem.value = problemOf(error);
    } finally {
      waiting.value = false;
    }
  }

  return html`<dialog ref=${dialog} class="asking" aria-labelledby=${title} onClose=${() => {
    // Told a moment after the fact: by then the next question may have been asked.
    if (dialog.current?.open || question.peek() !== shown.current) return;
    question.value = null;
    keepFocus("next");
  }}>
    ${
      asked
        ? html`<form method="dialog" onSubmit=${submit}>
          <h2 id=${title}>${asked.title}</h2>
          ${asked.says ? html`<p>${asked.says}</p>` : null}
          ${(asked.fields ?? []).map((field) => html`<${Entry} key=${field.name} field=${field} />`)}
          ${asked.body ?? null}
          ${asked.reason === false ? null : html`<${Entry} field=${{ name: "reason", label: t("ask.reason"), hint: t("ask.reason_hint") }} />`}
          <${Trouble} problem=${problem.value} />
          <${Others} problem=${problem.value} />
          <div class="row">
            <button class=${asked.danger ? "danger" : "main"} disabled=${waiting.value}>${asked.confirm}</button>
            <button type="button" onClick=${() => dialog.current?.close()}>${t("ask.cancel")}</button>
          </div>
        </form>`
        : null
    }
  </dialog>`;
}

/** @param {{problem: import("../api.js").Problem | null}} props */
export const Others = ({ problem }) =>
  problem instanceof Overtaken && problem.others.length
    ? html`<p>${t("overtaken")}</p><ul lang="en">${problem.others.map((each) => html`<li>${each}</li>`)}</ul>`
    : null;
