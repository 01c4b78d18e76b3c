// What a referee does to a running match from its page: its clocks stand still, go on, have more time, or none.
import { Problem, post } from "./api.js";
import { Trouble } from "./chrome.js";
import { html, useId, useRef, useSignal } from "./html.js";
import { t } from "./words.js";

const MORE_MINUTES = 5;
const MINUTE_MS = 60_000;

/** For whoever looks as the referee: what they press goes by how the clocks stand now. @param {{table: import("./table.js").Table}} props */
export function Directing({ table }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const title = useId();
  const problem = useSignal(/** @type {Problem | null} */ (null));
  const sending = useSignal(false);
  const now = table.live.value;
  if (table.viewer !== "referee" || !now?.clock || now.waiting === "over") return null;

  const direct =
    (/** @type {string} */ act, ms = 0) =>
    async () => {
      if (sending.value) return;
      sending.value = true;
      problem.value = null;
      try {
        await post(`/api/matches/${table.match}/directions`, { act, ms });
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        problem.value = error;
      } finally {
        sending.value = false;
        dialog.current?.close();
      }
    };
  const button = (/** @type {string} */ act, ms = 0) =>
    html`<button type="button" aria-disabled=${sending.value} onClick=${direct(act, ms)}>${t(`direct.${act}`, { n: ms / MINUTE_MS })}</button>`;
  return html`
    <div class="row" role="group" aria-label=${t("direct")}>
      ${button(now.clock.paused ? "resume" : "pause")} ${button("extend", MORE_MINUTES * MINUTE_MS)}
      ${now.clock.called ? null : html`<button type="button" class="danger" onClick=${() => dialog.current?.showModal()}>${t("direct.call_time")}</button>`}
    </div>
    <${Trouble} problem=${problem.value} />
    <dialog ref=${dialog} class="card" aria-labelledby=${title}>
      <h2 id=${title}>${t("direct.call_time")}</h2>
      <p>${t("direct.call_time_means")}</p>
      <div class="row">
        <button type="button" onClick=${() => dialog.current?.close()}>${t("direct.cancel")}</button>
        <button type="button" class="danger" disabled=${sending.value} onClick=${direct("call_time")}>${t("direct.call_time")}</button>
      </div>
    </dialog>
  `;
}
