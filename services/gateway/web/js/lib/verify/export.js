// An exported match in the browser: its lines, and what can be checked of them without asking anybody.
import { bytesOf, commitmentOf, keyOf, outcome, sha256 } from "./luck.js";

/**
 * @typedef {{match: string, revision: number, prev: string,
 *   command: {type: string, data: any}, events: {type: string, data: any}[]}} Commit
 * @typedef {{bytes: Uint8Array, commit: Commit}} Line
 * @typedef {{number: number, id: string, spec: import("./luck.js").Spec, told: number[], holds: boolean}} Drawn
 */

/** Why an export does not hold: `line` counts from 1, `key` is the sentence. */
export class Broken extends Error {
  /**
   * @param {number} line
   * @param {string} key
   */
  constructor(line, key) {
    super(key);
    this.line = line;
    this.key = key;
  }
}

const GENESIS = "0".repeat(64);
const text = new TextDecoder("utf-8", { fatal: true });

/**
 * @param {Uint8Array} bytes the file
 * @returns {Line[]}
 */
export function linesOf(bytes) {
  const lines = [];
  for (let from = 0; from < bytes.length; ) {
    const feed = bytes.indexOf(10, from);
    const to = feed < 0 ? bytes.length : feed;
    const line = bytes.subarray(from, to);
    try {
      lines.push({ bytes: line, commit: commitIn(JSON.parse(text.decode(line))) });
    } catch {
      throw new Broken(lines.length + 1, "broken.form");
    }
    from = to + 1;
  }
  if (!lines.length) throw new Broken(1, "broken.empty");
  return lines;
}

/** @param {any} found */
function commitIn(found) {
  const holds =
    typeof found.match === "string" &&
    typeof found.prev === "string" &&
    Number.isInteger(found.revision) &&
    typeof found.command?.type === "string" &&
    Array.isArray(found.events);
  if (!holds) throw new TypeError("no commit");
  return found;
}

/**
 * Every line names the hash of the line before it, and its place.
 * @param {Line[]} lines
 * @param {(done: number) => void} told
 */
export async function checkChain(lines, told) {
  let before = GENESIS;
  for (const [index, { bytes, commit }] of lines.entries()) {
    if (commit.revision !== index + 1 || commit.match !== lines[0].commit.match)
      throw new Broken(index + 1, "broken.place");
    if (commit.prev !== before) throw new Broken(index + 1, "broken.chain");
    before = await sha256(bytes);
    told(index + 1);
  }
  return before;
}

/**
 * The seed that was revealed at the end is the one that was promised at the beginning.
 * @param {Line[]} lines
 * @returns {Promise<{key: CryptoKey, commitment: string}>}
 */
export async function checkPromise(lines) {
  const opened = lines[0].commit.events.find((event) => event.type === "tavolata.match_opened")?.data;
  const revealed = lines[lines.length - 1].commit.events.find((event) => event.type === "tavolata.seed_revealed")?.data;
  if (!opened) throw new Broken(1, "broken.opening");
  if (!revealed) throw new Broken(lines.length, "broken.unfinished");
  const seed = bytesOf(String(revealed.seed));
  const commitment = await commitmentOf(seed);
  if (commitment !== opened.commitment) throw new Broken(lines.length, "broken.promise");
  return { key: await keyOf(seed, opened.nonces ?? []), commitment };
}

/** @param {Line[]} lines */
export const drawsIn = (lines) =>
  lines
    .map((line, index) => ({ line, number: index + 1 }))
    .filter(({ line }) => line.commit.command.type === "luck.resolve");

/**
 * Every draw comes out again.
 * @param {Line[]} lines
 * @param {CryptoKey} key
 * @param {(drawn: Drawn) => void} told
 */
export async function checkDraws(lines, key, told) {
  for (const { line, number } of drawsIn(lines)) {
    const { draw_id: id, spec, outcome: said } = line.commit.command.data;
    const again = await outcome(key, String(id), spec);
    const holds = again.length === said.length && again.every((card, place) => card === said[place]);
    told({ number, id, spec, told: said, holds });
    if (!holds) throw new Broken(number, "broken.draw");
  }
}
