// The luck of a match, drawn again from its seed: algorithm tavolata-luck-1, with nothing but the browser's own HMAC.
// docs/ARCHITECTURE.md describes it; docs/examples/verify_luck.py is the same in Python.

const utf8 = new TextEncoder();

/** @typedef {{roll?: {sides: number, count: number}, draw?: {cards: number[], count: number}}} Spec */

/** @param {string} hex */
export const bytesOf = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

/** @param {Uint8Array} bytes */
export const hexOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** @param {...Uint8Array} parts */
function joined(...parts) {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** @param {number} n */
function uint32(n) {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, n);
  return bytes;
}

/** @param {Uint8Array} bytes */
export async function sha256(bytes) {
  return hexOf(new Uint8Array(await crypto.subtle.digest("SHA-256", new Uint8Array(bytes))));
}

/** @param {Uint8Array} seed */
export const commitmentOf = (seed) => sha256(joined(utf8.encode("tavolata-luck-1\0"), seed));

/** @param {Uint8Array} key */
const hmacKey = (key) =>
  crypto.subtle.importKey("raw", new Uint8Array(key), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);

/**
 * The key that all draws of a match are made with: the seed, with the seats' own luck mixed in if any seat gave some.
 * @param {Uint8Array} seed
 * @param {string[]} nonces hex, in seat order
 */
export async function keyOf(seed, nonces) {
  if (!nonces.some((nonce) => nonce)) return hmacKey(seed);
  const message = joined(...nonces.map(bytesOf).flatMap((nonce) => [uint32(nonce.length), nonce]));
  return hmacKey(new Uint8Array(await crypto.subtle.sign("HMAC", await hmacKey(seed), message)));
}

/**
 * @param {CryptoKey} key
 * @param {string} drawId
 */
async function* words(key, drawId) {
  for (let block = 0; ; block++) {
    const message = joined(utf8.encode(drawId), new Uint8Array(1), uint32(block));
    const digest = new DataView(await crypto.subtle.sign("HMAC", key, message));
    for (let at = 0; at < 32; at += 4) yield digest.getUint32(at);
  }
}

/**
 * What a roll or a draw comes to.
 * @param {CryptoKey} key
 * @param {string} drawId
 * @param {Spec} spec
 */
export async function outcome(key, drawId, spec) {
  const source = words(key, drawId);
  const below = async (/** @type {number} */ n) => {
    for (;;) {
      const word = (await source.next()).value ?? 0;
      if (word < 2 ** 32 - (2 ** 32 % n)) return word % n;
    }
  };
  if (spec.roll) {
    const faces = [];
    for (let each = 0; each < spec.roll.count; each++) faces.push(1 + (await below(spec.roll.sides)));
    return faces;
  }
  const cards = [...(spec.draw?.cards ?? [])];
  const count = spec.draw?.count ?? 0;
  for (let k = 0; k < count; k++) {
    const j = k + (await below(cards.length - k));
    [cards[k], cards[j]] = [cards[j], cards[k]];
  }
  return cards.slice(0, count);
}
