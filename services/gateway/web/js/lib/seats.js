// Who sits where, in words: the name of a seat's player as far as it is known.
import { address, get, Problem } from "./api.js";
import { boot } from "./boot.js";
import { effect, html, signal } from "./html.js";
import { t } from "./words.js";

/** Names that the house has told, by player id. */
const names = signal(/** @type {Record<string, string>} */ ({}));

const lists = new Intl.ListFormat(boot.language, { type: "conjunction" });

/** Asked for in one question. */
const ASKED_MAX = 50;

/** @type {Set<string>} */
const asked = new Set();

/**
 * Asks the house what the players of a table are called, once. Without an answer they are called by their seats.
 * @param {import("./table.js").Table} table
 */
export const learnNames = (table) =>
  effect(() => {
    const unknown = (table.live.value?.players ?? []).filter((id) => id && !id.startsWith("bot:") && !asked.has(id));
    for (const id of unknown) asked.add(id);
    for (let from = 0; from < unknown.length; from += ASKED_MAX)
      get(address("/api/players/names", { player: unknown.slice(from, from + ASKED_MAX) })).then(
        (told) => {
          names.value = { ...names.peek(), ...told.names };
        },
        (error) => {
          if (!(error instanceof Problem)) throw error;
        },
      );
  });

/** @param {number} seat */
export const seatWords = (seat) => t("seat", { seat: String(seat) });

/**
 * @param {string[]} players by seat, as a match was opened: ids, or empty
 * @param {number} seat
 * @returns {string} empty for one whose name is not known
 */
function playerName(players, seat) {
  const player = players[seat] ?? "";
  const bot = /^bot:([^:@]+)(?:@\d+)?(?::(.+))?$/.exec(player);
  if (bot) return bot[2] ? t("bot.one", { level: bot[1], bot: bot[2] }) : t("bot", { level: bot[1] });
  return names.value[player] ?? "";
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
