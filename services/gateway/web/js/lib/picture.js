// The picture of a position put together from the one before it: the text of the old one with a few edits.

/**
 * @typedef {[keep: number, drop: number, text: string]} Edit keep so many characters, pass over so many, write the text
 */

/**
 * The text of the new picture, byte for byte as the house has drawn it; what is behind the last edit is kept.
 * @param {string} before
 * @param {Edit[]} edits
 * @returns {string}
 */
export function applied(before, edits) {
  let after = "";
  let at = 0;
  for (const [keep, drop, text] of edits) {
    after += before.slice(at, at + keep) + text;
    at += keep + drop;
  }
  return after + before.slice(at);
}
