// Links to take away: to what is on screen, and a board for another page. Always as a bystander sees it: who is given a
// link must not be given a hand.
import { address } from "./api.js";
import { ratioOf } from "./board.js";
import { boot } from "./boot.js";
import { html, useRef, useSignal } from "./html.js";
import { turnLink } from "./turn_link.js";
import { t } from "./words.js";

/** @typedef {import("./table.js").Table} Table */

const ratios = new Intl.NumberFormat(boot.language, { maximumFractionDigits: 3 });

const EMBED_WIDTH = 800;
/** What an embedded board has below its picture, whatever its width. */
const EMBED_BAR = 56;

/**
 * @param {{label: string, text: string, rows?: number}} props
 */
function Copied({ label, text, rows = 2 }) {
  const field = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  const done = useSignal("");
  const copy = async () => {
    field.current?.select();
    try {
      await navigator.clipboard.writeText(text);
      done.value = t("copied");
    } catch {
      // Without a secure connection there is no clipboard: it is selected, and can be copied by hand.
      done.value = t("copy.selected");
    }
  };
  return html`<div class="field">
    <label>${label}<textarea readonly rows=${rows} ref=${field} value=${text} spellcheck="false"></textarea></label>
    <div class="row"><button type="button" onClick=${copy}>${t("copy")}</button><span role="status">${done}</span></div>
  </div>`;
}

/** @param {{table: Table}} props */
export function Share({ table }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const position = table.shown.value;
  if (!position) return null;
  const turn = table.isLive.value ? null : table.at.value;
  const ratio = ratioOf(position.svg);
  const height = Math.round(EMBED_WIDTH * ratio) + EMBED_BAR;
  const embed = `<iframe src="${turnLink(`/embed/m/${table.match}`, turn)}" title="${t("embed.title", { match: table.match })}" width="${EMBED_WIDTH}" height="${height}" style="border:0"></iframe>`;
  const raw = address(`/api/matches/${table.match}/board.svg`, {
    language: boot.language,
    revision: turn ?? undefined,
  });
  return html`
    <button type="button" onClick=${() => dialog.current?.showModal()}>${t("share")}</button>
    <dialog class="share" ref=${dialog} aria-labelledby="share-title">
      <h2 id="share-title">${t("share")}</h2>
      <${Copied} label=${turn === null ? t("share.match") : t("share.turn", { n: turn })} text=${turnLink(`/m/${table.match}`, turn)} />
      <${Copied} label=${t("share.embed")} text=${embed} rows=${4} />
      <p class="muted">${t("share.ratio", { ratio: ratios.format(ratio), bar: EMBED_BAR })}</p>
      <p><a href=${raw}>${t("share.svg")}</a></p>
      <form method="dialog"><button>${t("close")}</button></form>
    </dialog>
  `;
}
