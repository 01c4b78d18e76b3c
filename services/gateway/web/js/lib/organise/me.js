// Who organises: the name that stands in the log beside everything that is done on this page.
import { html } from "../html.js";
import { t } from "../words.js";
import { introduce, organiser } from "./desk.js";

const NAME_LENGTH_MAX = 60;

/** @param {{hint?: boolean}} props */
export const Me = ({ hint = false }) => html`<div class="me">
  <label for="me">${t("me")}</label>
  <input id="me" value=${organiser.value} maxlength=${NAME_LENGTH_MAX} autocomplete="nickname" placeholder="organiser"
    aria-describedby=${hint ? "me-hint" : undefined} onInput=${(/** @type {any} */ typed) => introduce(typed.currentTarget.value)} />
  ${hint ? html`<small class="muted" id="me-hint">${t("me.hint")}</small>` : null}
</div>`;
