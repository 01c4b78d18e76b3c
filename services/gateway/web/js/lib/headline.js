// What a match is about just now, in one sentence: on the page, in its title, on an embedded board.
import { gameNamed } from "./boot.js";
import { namesOf } from "./seats.js";
import { t } from "./words.js";

/** @typedef {import("./table.js").Position} Position */

/** Beyond so many, seats are counted and not named. */
const NAMED_MAX = 4;

/** @param {string} key of a game */
export const gameTitle = (key) => gameNamed(key)?.title ?? key;

/** @param {Position} position */
export function stateOf(position) {
  if (position.waiting === "house") return t("state.house");
  if (position.waiting === "seats") {
    const seats = position.pending_seats;
    if (seats.length > NAMED_MAX) return t("state.many", { n: seats.length });
    return t("state.seats", { name: namesOf(position.players, seats), n: seats.length });
  }
  const first = position.ranks.flatMap((rank, seat) => (rank === 1 ? [seat] : []));
  if (first.length === 0) return t("state.over");
  return t("state.won", { name: namesOf(position.players, first), n: first.length });
}
