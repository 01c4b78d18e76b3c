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

/**
 * What to do with positions as a stream tells them, whole or as what has changed of the one before (`?patches=1`).
 * @param {(position: any) => void} take
 * @param {(position: any) => void} [reset] for a place in the match that was lost; like any other position if left out
 */
export function positionsTold(take, reset = take) {
  /** @type {Map<string, string>} the newest picture of each match */
  const pictures = new Map();
  const keeping = (/** @type {(position: any) => void} */ then) => (/** @type {any} */ told) => {
    pictures.set(told.match, told.svg);
    then(told);
  };
  const whole = keeping(take);
  return {
    position: whole,
    reset: keeping(reset),
    /** @param {any} told */
    patch({ before, edits, ...told }) {
      whole({ ...told, svg: applied(pictures.get(told.match) ?? "", edits) });
    },
  };
}
