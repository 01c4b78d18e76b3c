// Places from scores: the most points are first, equal ones share a place.

/** @param {number[]} scores 61, 58, 58, 12 → 1, 2, 2, 4 */
export const placesOf = (scores) => scores.map((score) => 1 + scores.filter((other) => other > score).length);

/**
 * A result as the log has it: entrant, place, score.
 * @param {{entry: number}[]} people in seat order
 * @param {number[]} scores
 * @param {number[]} places
 */
export const resultIn = (people, scores, places) =>
  people.map((place, seat) => [place.entry, places[seat], scores[seat]]);
