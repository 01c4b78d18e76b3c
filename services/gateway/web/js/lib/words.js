// The sentences of the page's language. "{n}" is filled in; a key with plural forms has them as "key#one", "key#other".
import { boot } from "./boot.js";

const plurals = new Intl.PluralRules(boot.language);
const numbers = new Intl.NumberFormat(boot.language);
const clockTimes = new Intl.DateTimeFormat(boot.language, { hour: "2-digit", minute: "2-digit" });
const moments = new Intl.DateTimeFormat(boot.language, { dateStyle: "medium", timeStyle: "short" });

/**
 * @param {string} key
 * @param {Record<string, string | number>} [values] `n` chooses the plural form
 */
export function t(key, values = {}) {
  const n = values.n;
  const form =
    typeof n === "number" ? (boot.words[`${key}#${plurals.select(n)}`] ?? boot.words[`${key}#other`]) : undefined;
  const sentence = form ?? boot.words[key] ?? key;
  return sentence.replace(/\{(\w+)\}/g, (whole, name) => {
    const value = values[name];
    return value === undefined ? whole : typeof value === "number" ? numbers.format(value) : value;
  });
}

/**
 * The sentence of a key that is put together from what the house says, if the page has one; else `otherwise`.
 * @param {string} key
 * @param {string} otherwise
 */
export const wordOr = (key, otherwise) => boot.words[key] ?? otherwise;

/** @param {string} at an instant of the house, ISO in UTC */
export const clockTime = (at) => clockTimes.format(new Date(at));

/** @param {string} at an instant of the house, ISO in UTC */
export const moment = (at) => moments.format(new Date(at));

/** @param {number} ms as m:ss, or h:mm:ss; a part of a second counts as one */
export function duration(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  return h ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}
