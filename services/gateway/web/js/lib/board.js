// The picture of a position, as the house draws it. A new picture takes the place of the old one, and the elements that
// stand under the same id in both stay the same elements: focus survives, and what has moved can be seen to move.
import { html, useLayoutEffect, useRef } from "./html.js";

const parser = new DOMParser();

/**
 * @param {string} text
 * @returns {SVGSVGElement | null}
 */
export function svgOf(text) {
  const root = parser.parseFromString(text, "image/svg+xml").documentElement;
  return root instanceof SVGSVGElement ? document.importNode(root, true) : null;
}

/**
 * @param {{svg: string, dress?: (svg: SVGSVGElement) => void}} props `dress` makes places of it clickable
 */
export function Board({ svg, dress }) {
  const place = useRef(/** @type {HTMLDivElement | null} */ (null));
  useLayoutEffect(() => {
    const picture = svgOf(svg);
    if (!picture || !place.current) return;
    dress?.(picture);
    place.current.replaceChildren(picture);
  }, [svg, dress]);
  return html`<div class="board" ref=${place}></div>`;
}
