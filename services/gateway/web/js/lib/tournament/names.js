// Names of people: as they are shown, in the order in which they are looked for, and as somebody types them.
import { boot } from "../boot.js";

/** @param {{name: string, player: string}} person */
export const nameOf = (person) => person.name || person.player;

const collator = new Intl.Collator(boot.language, { numeric: true });

/**
 * @param {{name: string, player: string, entry: number}} a
 * @param {{name: string, player: string, entry: number}} b
 */
export const byName = (a, b) => collator.compare(nameOf(a), nameOf(b)) || a.entry - b.entry;

/** Letters that Unicode does not take apart, as they are typed on a keyboard without them. */
const UNDIVIDED = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  þ: "th",
  ħ: "h",
  ı: "i",
  ŋ: "n",
  ŧ: "t",
};

/**
 * Without accents and case: "lukasz" finds Łukasz, "muller" finds Müller.
 * @param {string} text
 */
export const plain = (text) =>
  text
    .toLocaleLowerCase()
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .replace(/[^a-z]/g, (letter) => UNDIVIDED[/** @type {keyof typeof UNDIVIDED} */ (letter)] ?? letter);
