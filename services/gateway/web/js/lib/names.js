// What players are called: people by the names that the house tells, bots by what they can do.
import { get, Problem } from "./api.js";
import { signal } from "./html.js";
import { t, wordOr } from "./words.js";

/** In one question. */
const ASKED_MAX = 50;
/** For the names of a whole page to come together. */
const PAUSE_MS = 50;

/** By player id, as far as they are known. */
const names = signal(/** @type {Record<string, string>} */ ({}));
/** @type {Set<string>} */
const asked = new Set();
/** @type {string[]} */
let wanted = [];

/** A name that is shown is asked for, once. @param {string} player */
function want(player) {
  if (asked.has(player)) return;
  asked.add(player);
  if (!wanted.length) setTimeout(ask, PAUSE_MS);
  wanted.push(player);
}

function ask() {
  const all = wanted;
  wanted = [];
  for (let from = 0; from < all.length; from += ASKED_MAX) learn(all.slice(from, from + ASKED_MAX));
}

/** Whom the house does not know is called by the id; without an answer all are called by their seats. @param {string[]} players */
async function learn(players) {
  try {
    const told = await get("/api/players/names", { player: players });
    const ids = Object.fromEntries(players.map((player) => [player, player]));
    names.value = { ...names.peek(), ...ids, ...told.names };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
  }
}

/** @param {string} level */
export const levelWords = (level) => wordOr(`level.${level}`, level);

/**
 * Empty for nobody, and for somebody whose name has not been told. A bot is `bot:<level>`, with `@<pace>` and `:<which>`
 * behind it or without. What a seat is called stands in seats.js.
 * @param {string} player
 */
export function playerName(player) {
  const bot = /^bot:([^:@]+)(?:@\d+)?(?::(.+))?$/.exec(player);
  if (bot) {
    const level = levelWords(bot[1]);
    return bot[2] ? t("bot.one", { level, bot: bot[2] }) : t("bot", { level });
  }
  if (player) want(player);
  return names.value[player] ?? "";
}
