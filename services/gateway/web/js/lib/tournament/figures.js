// Exact figures of the house as people read them: "5/2" is 2.5, "10/3" is 3 1/3.
const DECIMALS = 3;

/** @param {bigint} n */
const positive = (n) => (n < 0n ? -n : n);

/**
 * @param {string} text an integer or a fraction in lowest terms; anything else stays as it is
 */
export function figure(text) {
  const parts = /^(-?\d+)\/(\d+)$/.exec(text);
  if (!parts) return text;
  return shown(BigInt(parts[1]), BigInt(parts[2]));
}

/**
 * @param {bigint} above
 * @param {bigint} below more than 0
 */
function shown(above, below) {
  const sign = above < 0n ? "-" : "";
  const whole = positive(above) / below;
  const rest = positive(above) % below;
  if (!rest) return `${sign}${whole}`;
  const thousands = rest * 10n ** BigInt(DECIMALS);
  if (thousands % below === 0n) {
    const decimals = String(thousands / below)
      .padStart(DECIMALS, "0")
      .replace(/0+$/, "");
    return `${sign}${whole}.${decimals}`;
  }
  return whole ? `${sign}${whole} ${rest}/${below}` : `${sign}${rest}/${below}`;
}

/**
 * A number of parts of a point as points.
 * @param {number} parts
 * @param {number} unit how many of them are one point
 */
export const points = (parts, unit) => shown(BigInt(parts), BigInt(unit));

/** @param {string | string[] | null} told the figure of a key in an explanation; PLACES has several numbers */
export const figures = (told) =>
  told === null ? "–" : Array.isArray(told) ? told.map(figure).join("-") : figure(told);

/**
 * What terms add up to, added here and not believed.
 * @param {{value: string, component: number}[]} terms
 * @param {number} width how many numbers the key has
 */
export function sum(terms, width) {
  /** @type {[bigint, bigint][]} */
  const sums = Array.from({ length: width }, () => [0n, 1n]);
  for (const { value, component } of terms) {
    const [above, below] = value.split("/");
    const [a, b] = [BigInt(above), BigInt(below ?? "1")];
    const [c, d] = sums[component];
    sums[component] = [a * d + c * b, b * d];
  }
  return sums.map(([above, below]) => shown(...lowest(above, below))).join("-");
}

/**
 * @param {bigint} above
 * @param {bigint} below
 * @returns {[bigint, bigint]}
 */
function lowest(above, below) {
  let [a, b] = [positive(above), below];
  while (b) [a, b] = [b, a % b];
  return [above / a, below / a];
}
