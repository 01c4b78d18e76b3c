// Who did what, when and why, a page at a time; and a note of one's own in it.
import { get, Problem } from "../api.js";
import { Trouble } from "../chrome.js";
import { html, useEffect, useSignal } from "../html.js";
import { moment, t } from "../words.js";
import { act, attempt, desk, path } from "./desk.js";

export function Log() {
  const actions = useSignal(/** @type {any[]} */ ([]));
  const next = useSignal("");
  const house = useSignal(false);
  const problem = useSignal(/** @type {Problem | null} */ (null));
  const revision = desk.value?.tournament.revision;

  /** @param {string} page */
  async function read(page) {
    try {
      const told = await get(`${path}/actions`, { page, house: house.value ? "true" : "" });
      actions.value = page ? [...actions.value, ...told.actions] : told.actions;
      next.value = told.next;
      problem.value = null;
    } catch (error) {
      problem.value = error instanceof Problem ? error : null;
    }
  }
  useEffect(() => {
    read("");
  }, [revision, house.value]);

  return html`
    <h2>${t("tab.log")}</h2>
    <${Note} />
    <p class="row tick"><input type="checkbox" id="house-too" checked=${house.value} onChange=${(
      /** @type {any} */ ticked,
    ) => {
      house.value = ticked.currentTarget.checked;
    }} /><label for="house-too">${t("log.house")}</label></p>
    <${Trouble} problem=${problem.value} />
    <ol class="log">${actions.value.map(
      (each) => html`<li key=${each.revision}>
        <p><strong lang="en">${each.sentence}</strong>${each.changes ? html` <span class="tag">${t("log.changes", { n: each.changes })}</span>` : null}</p>
        ${each.reason ? html`<p class="reason">“${each.reason}”</p>` : null}
        <p class="muted">${each.actor.replace(/^organiser:/, "")} · <time datetime=${each.at}>${moment(each.at)}</time> · ${t("log.revision", { number: each.revision })}</p>
      </li>`,
    )}</ol>
    ${next.value ? html`<button type="button" onClick=${() => read(next.value)}>${t("log.more")}</button>` : null}
  `;
}

function Note() {
  /** @param {SubmitEvent} submitted */
  const submit = (submitted) => {
    submitted.preventDefault();
    const form = /** @type {HTMLFormElement} */ (submitted.currentTarget);
    const reason = String(new FormData(form).get("note") ?? "").trim();
    attempt(async () => {
      await act("comment", { reason }, { said: t("done.comment") });
      form.reset();
    });
  };
  return html`<form class="row note" onSubmit=${submit}>
    <div class="field"><label for="note">${t("log.note")}</label><input id="note" name="note" maxlength="500" required autocomplete="off" /></div>
    <button>${t("do.comment")}</button>
  </form>`;
}
