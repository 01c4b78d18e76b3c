// Where on the page of an event one is: a fragment of the address, so that it survives a reload and can be sent to others.
// "#standings/1/2" is the tab and what it was asked for.
import { signal } from "../html.js";

export const TABS = ["pairings", "standings", "rounds", "bracket", "boards", "archive"];

/** Where one is whose address names no tab. */
let first = TABS[0];

const read = () => {
  const [name, ...asked] = location.hash.slice(1).split("/");
  return TABS.includes(name) ? { name, asked: asked.map((each) => Number(each) || 0) } : { name: first, asked: [] };
};

/** @type {import("@preact/signals").Signal<{name: string, asked: number[]}>} */
export const place = signal(read());

addEventListener("hashchange", () => {
  if (location.hash !== "#page") place.value = read();
});

/** @param {string} name for whoever has not chosen a tab */
export function beginWith(name) {
  first = name;
  place.value = read();
}

/**
 * @param {string} name
 * @param {number[]} asked zeros at the end are left out
 */
export function way(name, ...asked) {
  const parts = [...asked];
  while (parts.length && !parts[parts.length - 1]) parts.pop();
  return `#${[name, ...parts].join("/")}`;
}

/**
 * Goes there without another entry in the history: for what is chosen within a tab.
 * @param {string} name
 * @param {number[]} asked
 */
export function turn(name, ...asked) {
  history.replaceState(null, "", way(name, ...asked));
  place.value = read();
}
