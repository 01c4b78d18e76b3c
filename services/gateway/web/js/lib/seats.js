// Who sits where, in words: the seat as the board calls it, and the name of its player as far as it is known.
import { boot } from "./boot.js";
import { html } from "./html.js";
import { playerName } from "./names.js";
import { t } from "./words.js";

const lists = new Intl.ListFormat(boot.language, { type: "conjunction" });

/** @param {number} seat */
export const seatWords = (seat) => t("seat", { seat: String(seat) });

/**
 * By name as far as there is one, else by the seat.
 * @param {{seat: number, player: string}} place
 */
export const whoIs = ({ seat, player }) => playerName(player) || seatWords(seat);

/**
 * @param {string[]} players by seat, as a match was opened: ids, or empty
 * @param {number} seat
 */
const playerAt = (players, seat) => whoIs({ seat, player: players[seat] ?? "" });

/**
 * What a seat is called in a sentence: by a name if it is the only one of that name here, else by where it is.
 * @param {string[]} players
 * @param {number} seat
 */
export function nameOf(players, seat) {
  const name = playerAt(players, seat);
  const alone = players.every((_, other) => other === seat || playerAt(players, other) !== name);
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
  const [where, name] = [seatWords(seat), playerAt(players, seat)];
  return html`${where}${name === where ? null : html` <span class="player">${name}</span>`}`;
};

/**
 * The same beside the number of the seat, for whoever sees it: the number is said, and only the name is shown.
 * @param {{seat: number, player: string}} props
 */
export const SeatLine = ({ seat, player }) => {
  const [where, name] = [seatWords(seat), playerName(player)];
  return name ? html`<span class="unseen">${where}: </span>${name}` : where;
};
