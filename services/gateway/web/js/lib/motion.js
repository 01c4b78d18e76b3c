// What the last commit did, made to be seen. The picture says it: `data-turned="3/16 540 540"` is a group that has come
// here by 3/16 of a turn about a point, `data-mark="..."` is something that is new whenever its mark is another than in
// the picture before. Nothing else moves, and nothing at all for those who have asked for less motion.

const TURN_MS = 900;
const FRESH_MS = 700;
/** A picture may stand for a few revisions that came quickly; a leap through the match is not a movement. */
const LEAP = 5;

const stillness = matchMedia("(prefers-reduced-motion: reduce)");

/**
 * @param {SVGSVGElement} before
 * @param {SVGSVGElement} after
 * @param {number} steps how many revisions later `after` is
 */
export function move(before, after, steps) {
  if (stillness.matches || steps < 1 || steps > LEAP) return;
  for (const each of after.querySelectorAll("[data-turned]")) turn(/** @type {SVGGraphicsElement} */ (each));
  for (const each of after.querySelectorAll("[data-mark]")) {
    if (before.querySelector(`#${CSS.escape(each.id)}`)?.getAttribute("data-mark") === each.getAttribute("data-mark"))
      continue;
    appear(/** @type {SVGGraphicsElement} */ (each));
  }
}

/**
 * Back to where the group was, and on from there the way it was turned, however far: the angle is told, not guessed.
 * @param {SVGGraphicsElement} group
 */
function turn(group) {
  const said = /^(-?\d+)\/(\d+) (\d+) (\d+)$/.exec(group.getAttribute("data-turned") ?? "");
  if (!said) return;
  const [part, whole, x, y] = said.slice(1).map(Number);
  const angle = (360 * part) / whole;
  const timing = { duration: TURN_MS, easing: "ease-in-out" };
  group.style.transformBox = "view-box";
  group.style.transformOrigin = `${x}px ${y}px`;
  group.animate([{ transform: `rotate(${-angle}deg)` }, { transform: "rotate(0deg)" }], timing);
  // What lies on it stays upright.
  for (const each of group.children) {
    if (!(each instanceof SVGGraphicsElement)) continue;
    each.style.transformBox = "fill-box";
    each.style.transformOrigin = "center";
    each.animate([{ transform: `rotate(${angle}deg)` }, { transform: "rotate(0deg)" }], timing);
  }
}

/** @param {SVGGraphicsElement} element */
function appear(element) {
  element.style.transformBox = "fill-box";
  element.style.transformOrigin = "center";
  element.animate(
    [
      { transform: "scale(1.5)", opacity: 0 },
      { transform: "scale(1)", opacity: 1 },
    ],
    { duration: FRESH_MS, easing: "ease-out" },
  );
}
