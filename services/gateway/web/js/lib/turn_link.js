// The revision in the address: `#42` while the past is looked at, nothing when live. A link that is shared says
// `?turn=42` instead, because what draws a card for it is not told what stands behind the `#`.
import { effect } from "@preact/signals";

/**
 * @param {URL} [url]
 * @returns {number | null | undefined} undefined: the address says nothing about it, but names a place of the page
 */
export function turnIn(url = new URL(location.href)) {
  const hash = url.hash.slice(1);
  if (hash && !/^\d{1,9}$/.test(hash)) return undefined;
  const turn = hash || url.searchParams.get("turn") || "";
  return /^\d{1,9}$/.test(turn) && Number(turn) > 0 ? Number(turn) : null;
}

/** @param {number | null} turn */
function addressOf(turn) {
  const url = new URL(location.href);
  url.searchParams.delete("turn");
  url.hash = turn === null ? "" : String(turn);
  return url.href.replace(/#$/, "");
}

/**
 * From now on the address says where the table is, and the table goes where the address says.
 * @param {import("./table.js").Table} table made with `at: turnIn() ?? null`, before anything is written here
 */
export function keepInAddress(table) {
  effect(() => {
    const turn = table.isLive.value ? null : table.at.value;
    const said = turnIn();
    if (said === turn || (said === undefined && turn === null)) return;
    // From live into the past is a step that the back button takes back; from one revision to another is not.
    if (said === null) history.pushState(null, "", addressOf(turn));
    else history.replaceState(null, "", addressOf(turn));
  });
  addEventListener("popstate", () => {
    const said = turnIn();
    if (said === null) table.backToLive();
    else if (said !== undefined) table.step(said);
  });
}

/**
 * A link to share, which also a card is drawn for.
 * @param {string} path
 * @param {number | null} turn
 */
export const turnLink = (path, turn) => new URL(turn === null ? path : `${path}?turn=${turn}`, location.href).href;
