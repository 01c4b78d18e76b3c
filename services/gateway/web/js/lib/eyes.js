// With whose eyes a match is looked at: a spectator's, or those of its referee or caster, where one is signed in as that.
// The house asks for itself; here is only what saves it the question.
import { boot } from "./boot.js";
import { eventOf } from "./event_link.js";
import { effect, html } from "./html.js";
import { session } from "./session.js";
import { t } from "./words.js";

const asked = new URLSearchParams(location.search).get("as");

/**
 * referee or caster, if a session is that of the match; else empty.
 * @param {string} match
 * @param {import("./boot.js").Session} of
 */
function officeAt(match, of) {
  if (of.kind !== "referee" && of.kind !== "caster") return "";
  const isTheirs = of.match ? of.match === match : of.event === "*" || of.event === eventOf(match);
  return isTheirs ? of.kind : "";
}

/**
 * As whom the page looks: as what one is, unless the address says spectator.
 * @param {string} match
 */
export function eyesAt(match) {
  effect(() => {
    // One who came from elsewhere, and is known only now: once more, as who they are.
    const late = officeAt(match, session.value);
    if (late && session.value !== boot.session && asked === null) location.replace(`?as=${late}${location.hash}`);
  });
  return (asked !== "spectator" && officeAt(match, boot.session)) || "spectator";
}

/**
 * From the one view to the other, and what it shows; nothing for those who have but one.
 * @param {{table: import("./table.js").Table}} props
 */
export function Eyes({ table }) {
  const office = officeAt(table.match, boot.session);
  if (!office) return null;
  const turn = table.isLive.value ? "" : `#${table.at.value}`;
  const way = (/** @type {string} */ viewer) =>
    html`<a class="button" href=${`?as=${viewer}${turn}`} aria-current=${table.viewer === viewer ? "page" : undefined}>${t(`eyes.${viewer}`)}</a>`;
  return html`
    <nav class="row eyes" aria-label=${t("eyes")}>
      ${way("spectator")} ${way(office)}
      ${table.viewer === "spectator" ? null : html`<span>${t(`eyes.${office}_sees`)}</span>`}
    </nav>
  `;
}
