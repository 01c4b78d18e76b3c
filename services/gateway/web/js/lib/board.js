// The picture of a position, as the house draws it. A new picture takes the place of the old one; what had the focus has
// it again, under the same id, and what the last commit moved or brought is seen to do so (motion.js).
import { html, useLayoutEffect, useRef, useSignal } from "./html.js";
import { move } from "./motion.js";
import { t } from "./words.js";

const parser = new DOMParser();
const ZOOMS = [1, 1.5, 2, 3, 4];

/**
 * @param {string} text
 * @returns {SVGSVGElement | null}
 */
export function svgOf(text) {
  const root = parser.parseFromString(text, "image/svg+xml").documentElement;
  return root instanceof SVGSVGElement ? document.importNode(root, true) : null;
}

/**
 * Height by width of a picture.
 * @param {string} text
 */
export function ratioOf(text) {
  const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(text) ?? ["", "1", "1"];
  return Number(height) / Number(width);
}

/**
 * @param {{svg: string, revision?: number, zoom?: number, dress?: (svg: SVGSVGElement) => void}} props
 *   `dress` makes places of it clickable, in the document, where they can be measured
 */
export function Board({ svg, revision = 0, zoom = 1, dress }) {
  const place = useRef(/** @type {HTMLDivElement | null} */ (null));
  const before = useRef(0);
  useLayoutEffect(() => {
    const picture = svgOf(svg);
    const room = place.current;
    if (!picture || !room) return;
    const old = room.querySelector("svg");
    const focused = room.contains(document.activeElement) ? document.activeElement?.id : "";
    room.replaceChildren(picture);
    dress?.(picture);
    if (focused) {
      const again = picture.querySelector(`#${CSS.escape(focused)}`);
      if (again instanceof SVGElement) again.focus();
    }
    if (old) move(old, picture, revision - before.current);
    before.current = revision;
  }, [svg, revision, dress]);
  useLayoutEffect(() => {
    place.current?.style.setProperty("--zoom", String(zoom));
  }, [zoom]);
  // Only what can be scrolled is a stop on the way through the page.
  const scrolled = zoom > 1 ? { tabindex: 0, role: "region", "aria-label": t("board") } : {};
  return html`<div class=${zoom > 1 ? "board zoomed" : "board"} ref=${place} ...${scrolled}></div>`;
}

/**
 * A board that can be made larger than the page is wide; it then scrolls inside its own region.
 * @param {{svg: string, revision?: number, children?: any, dress?: (svg: SVGSVGElement) => void}} props
 *   `children` stand beside the buttons
 */
export function ZoomedBoard({ svg, revision, children, dress }) {
  const at = useSignal(0);
  const to = (/** @type {number} */ zoom) => () => {
    at.value = Math.min(ZOOMS.length - 1, Math.max(0, zoom));
  };
  const least = at.value === 0;
  const most = at.value === ZOOMS.length - 1;
  return html`
    <div class="board-top">
      ${children}
      <div class="zoom" role="group" aria-label=${t("zoom")}>
        <button type="button" onClick=${to(at.value - 1)} aria-disabled=${least} aria-label=${t("zoom.out")}>−</button>
        <span class="zoom-now">${t("zoom.now", { n: Math.round(100 * ZOOMS[at.value]) })}</span>
        <button type="button" onClick=${to(at.value + 1)} aria-disabled=${most} aria-label=${t("zoom.in")}>+</button>
        <button type="button" onClick=${to(0)} aria-disabled=${least}>${t("zoom.fit")}</button>
      </div>
    </div>
    <${Board} svg=${svg} revision=${revision} zoom=${ZOOMS[at.value]} dress=${dress} />
  `;
}
