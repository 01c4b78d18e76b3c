// Leaving a match for good, behind a dialog that says what that means.
import { Trouble } from "./chrome.js";
import { html, useId, useRef } from "./html.js";
import { t } from "./words.js";

/** @param {{turn: import("./turn.js").Turn}} props */
export function LeaveButton({ turn }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const title = useId();
  const standing = turn.standing.value;
  if (standing === "over" || standing === "left" || standing === "arriving") return null;
  return html`
    <button type="button" class="danger" onClick=${() => dialog.current?.showModal()}>${t("leave")}</button>
    <dialog ref=${dialog} class="card leave" aria-labelledby=${title}>
      <h2 id=${title}>${t("leave.title")}</h2>
      <p>${t("leave.means")}</p>
      <${Trouble} problem=${turn.leaving.value} />
      <div class="row">
        <button type="button" onClick=${() => dialog.current?.close()}>${t("leave.stay")}</button>
        <button type="button" class="danger" disabled=${turn.sending.value} onClick=${turn.leave}>${t("leave.go")}</button>
      </div>
    </dialog>
  `;
}
