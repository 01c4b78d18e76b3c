// Links for the people of the event: whoever follows theirs plays their seats. Made on demand, and kept nowhere.
import { post } from "../api.js";
import { boot } from "../boot.js";
import { Trouble } from "../chrome.js";
import { html, useRef, useSignal } from "../html.js";
import { t } from "../words.js";
import { path, problemOf } from "./desk.js";

const HOURS = [2, 4, 8, 12, 24];
const USUAL = 12;

/** In an open house nobody needs one. */
export function Links() {
  const field = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  const links = useSignal(/** @type {{name: string, player: string, link: string}[]} */ ([]));
  const problem = useSignal(/** @type {import("../api.js").Problem | null} */ (null));
  const said = useSignal("");
  if (!boot.session.asks) return null;

  /** @param {SubmitEvent} event */
  async function make(event) {
    event.preventDefault();
    const hours = Number(new FormData(/** @type {HTMLFormElement} */ (event.currentTarget)).get("hours"));
    try {
      links.value = (await post(`${path}/access`, { hours })).links;
      problem.value = null;
      said.value = t("links.made", { n: links.value.length });
    } catch (error) {
      problem.value = problemOf(error);
    }
  }
  async function copy() {
    field.current?.select();
    try {
      await navigator.clipboard.writeText(field.current?.value ?? "");
      said.value = t("links.copied");
    } catch {
      said.value = t("links.selected"); // without a secure connection there is no clipboard
    }
  }
  const lines = links.value.map((each) => `${each.name || each.player}\t${each.link}`).join("\n");
  return html`<details class="more"><summary>${t("links.title")}</summary>
    <p>${t("links.about")}</p>
    <form class="row" onSubmit=${make}>
      <label>${t("links.hours")}
        <select name="hours">${HOURS.map((each) => html`<option value=${each} selected=${each === USUAL}>${t("links.n_hours", { n: each })}</option>`)}</select></label>
      <button>${t("links.make")}</button>
    </form>
    <${Trouble} problem=${problem.value} />
    <p role="status">${said.value}</p>
    ${
      lines
        ? html`<div class="field"><label for="links">${t("links.list")}</label>
          <textarea id="links" ref=${field} readonly rows=${Math.min(links.value.length + 1, 12)} value=${lines} spellcheck="false"></textarea>
          <div class="row"><button type="button" onClick=${copy}>${t("links.copy")}</button></div></div>`
        : null
    }
  </details>`;
}
