// The places of a board that can be chosen now, as buttons in the picture: by mouse, by touch and by keyboard.
import { boot } from "./boot.js";

const SVG = "http://www.w3.org/2000/svg";
const GAP = 3;

/**
 * Lays a button over every element that a choice stands for, and takes away those that lay there before. The button has
 * no words of its own, so that it is called by its label and not by what happens to be drawn below.
 * @param {SVGSVGElement} picture
 * @param {import("./turn.js").Choice[]} choices none: nothing can be chosen
 * @param {(choices: import("./turn.js").Choice[]) => string} label what a place with several is called
 * @param {string[]} chosen the places of the answers so far: they are marked
 */
export function dress(picture, choices, label, chosen) {
  const focused = picture.contains(document.activeElement) ? (document.activeElement?.id ?? "") : "";
  for (const old of picture.querySelectorAll(".place, .place-chosen")) old.remove();
  for (const place of chosen) {
    const element = place ? picture.querySelector(`#${CSS.escape(place)}`) : null;
    if (element instanceof SVGGraphicsElement) element.append(frame(element.getBBox(), "place-chosen"));
  }
  const places = byPlace(choices);
  picture.setAttribute("role", places.size ? "group" : "img");
  for (const [place, those] of places) {
    const element = picture.querySelector(`#${CSS.escape(place)}`);
    if (!(element instanceof SVGGraphicsElement)) continue;
    const box = element.getBBox();
    const button = element.appendChild(document.createElementNS(SVG, "g"));
    button.id = `place-${place}`;
    button.dataset.place = place;
    button.setAttribute("class", "place");
    button.setAttribute("role", "button");
    button.setAttribute("tabindex", "0");
    button.setAttribute("aria-label", those.length === 1 ? labelOf(those[0]) : label(those));
    button.append(frame(box, "place-dark"), frame(box, "place-light"));
    if (button.id === focused) button.focus();
  }
}

/** @param {import("./turn.js").Choice[]} choices */
function byPlace(choices) {
  const places = groupedBy(choices, (choice) => choice.place);
  places.delete("");
  return places;
}

/**
 * What a choice is called where it stands by itself: as the house calls it in a sentence, with a capital.
 * @param {{label: string}} choice
 */
export const labelOf = ({ label }) => label.charAt(0).toLocaleUpperCase(boot.language) + label.slice(1);

/**
 * In the order of the first of each group.
 * @param {import("./turn.js").Choice[]} choices
 * @param {(choice: import("./turn.js").Choice) => string} of
 */
export function groupedBy(choices, of) {
  /** @type {Map<string, import("./turn.js").Choice[]>} */
  const groups = new Map();
  for (const choice of choices) {
    const group = groups.get(of(choice));
    if (group) group.push(choice);
    else groups.set(of(choice), [choice]);
  }
  return groups;
}

/**
 * Two of them make the frame round a place, a light one on a dark one, so that it is seen on any ground. They take the
 * clicks between the parts of the place, too.
 * @param {DOMRect} box
 * @param {string} name
 */
function frame(box, name) {
  const rect = document.createElementNS(SVG, "rect");
  const values = { x: box.x - GAP, y: box.y - GAP, width: box.width + 2 * GAP, height: box.height + 2 * GAP, rx: 6 };
  for (const [name, value] of Object.entries(values)) rect.setAttribute(name, String(value));
  rect.setAttribute("class", name);
  return rect;
}

/**
 * The place that an event is about: a click on it, or Enter or Space on it.
 * @param {Event} event
 * @returns {string} empty if it is about none
 */
export function placeOf(event) {
  if (event instanceof KeyboardEvent && event.key !== "Enter" && event.key !== " ") return "";
  const place = event.target instanceof Element ? event.target.closest("[data-place]") : null;
  if (place && event instanceof KeyboardEvent) event.preventDefault();
  return place?.getAttribute("data-place") ?? "";
}
