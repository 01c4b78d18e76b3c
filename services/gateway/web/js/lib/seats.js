// Who sits where, in words: the name of a seat's player as far as it is known.
import { boot } from "./boot.js";
import { html, signal } from "./html.js";
import { t } from "./words.js";

/** Names that the house has told, by player id. */
const names = signal(/** @type {Record<string, string>} */ ({}));

const lists = new Intl.ListFormat(boot.language, { type: "conjunction" });

/** @param {number} seat */
export const seatWords = (seat) => t("seat", { seat: String(seat) });

/**
 * @param {string[]} players by seat, as a match was opened: ids, or empty
 * @param {number} seat
 * @returns {string} empty for one whose name is not known
 */
function playerName(players, seat) {
  const player = players[seat] ?? "";
  const bot = /^bot:([a-z]+)/.exec(player);
  return bot ? t("bot", { level: bot[1] }) : (names.value[player] ?? "");
}

/**
 * What a seat is called in a sentence: by a name if it is the only one of that name here, else by where it is.
 * @param {string[]} players
 * @param {number} seat
 */
export function nameOf(players, seat) {
  const name = playerName(players, seat);
  if (!name) return seatWords(seat);
  const alone = players.every((_, other) => other === seat || playerName(players, other) !== name);
  return alone ? name : seatWords(seat);
}

/**
 * The seats by name, as a sentence lists them.
 * @param {string[]} players
 * @param {number[]} seats
 */
export const namesOf = (players, seats) => lists.format(seats.map((seat) => nameOf(players, seat)));

/**
 * A seat with its number, which the board and the sentences call it by, and the name of who sits there.
 * @param {{players: string[], seat: number}} props
 */
export const SeatName = ({ players, seat }) => {
  const name = playerName(players, seat);
  return html`${seatWords(seat)}${name ? html` <span class="player">${name}</span>` : null}`;
};
