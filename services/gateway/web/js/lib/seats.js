// Who sits where, in words: the name of a seat's player as far as it is known.
import { signal } from "@preact/signals";
import { t } from "./words.js";

/** Names that the house has told, by player id. */
const names = signal(/** @type {Record<string, string>} */ ({}));

/** @param {number} seat */
export const seatWords = (seat) => t("seat", { seat: String(seat) });

/**
 * @param {string[]} players by seat, as a match was opened: ids, or empty
 * @param {number} seat
 */
export function nameOf(players, seat) {
  const player = players[seat] ?? "";
  const bot = /^bot:([a-z]+)/.exec(player);
  if (bot) return t("bot", { level: bot[1] });
  return names.value[player] ?? seatWords(seat);
}

/**
 * The seats by name, as a sentence lists them.
 * @param {string[]} players
 * @param {number[]} seats
 * @param {string} language
 */
export const namesOf = (players, seats, language) =>
  new Intl.ListFormat(language, { type: "conjunction" }).format(seats.map((seat) => nameOf(players, seat)));
