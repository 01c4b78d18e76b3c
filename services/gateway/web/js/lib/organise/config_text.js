// A fresh configuration from what most events need to say; everything else is said in the file itself.

/**
 * @typedef {{name: string, game: string, rounds: number, smallest: number, target: number, largest: number, cap: number,
 *   check_in: boolean, turn: string, round: string, final: boolean}} Wanted
 */

/** @type {Wanted} */
export const USUAL = {
  name: "",
  game: "",
  rounds: 3,
  smallest: 3,
  target: 4,
  largest: 4,
  cap: 0,
  check_in: true,
  turn: "",
  round: "",
  final: false,
};

/** Where a key of the configuration stands in the form. */
export const FIELD_OF = /** @type {Record<string, keyof Wanted>} */ ({
  name: "name",
  "registration.cap": "cap",
  "stages[0].rounds": "rounds",
  "stages[0].smallest": "smallest",
  "stages[0].target": "target",
  "stages[0].largest": "largest",
  "stages[0].games": "game",
  "stages[0].games[0]": "game",
  "clocks.turn": "turn",
  "clocks.round": "round",
});

/** Points by place that there are for tables of each size. */
const schemeFor = (/** @type {Wanted} */ { smallest, largest }) =>
  smallest >= 3 && largest <= 4 ? "5-3-2-1" : smallest >= 3 && largest <= 5 ? "six-per-seat" : "normalised-place";

const text = JSON.stringify;

/** @param {Wanted} wanted */
export function configText(wanted) {
  const { name, game, rounds, smallest, target, largest, cap, check_in, turn, round, final } = wanted;
  const clocks = [turn && `turn = ${text(turn)}`, round && `round = ${text(round)}`].filter(Boolean);
  return [
    `name = ${text(name)}`,
    "",
    "[registration]",
    ...(cap ? [`cap = ${cap}`] : []),
    `check_in = ${check_in}`,
    "",
    "[scoring]",
    `scheme = ${text(schemeFor(wanted))}`,
    ...(clocks.length ? ["", "[clocks]", ...clocks] : []),
    "",
    "[[stages]]",
    'name = "Swiss"',
    'format = "swiss"',
    `games = [${text(game)}]`,
    `rounds = ${rounds}`,
    `smallest = ${smallest}`,
    `target = ${target}`,
    `largest = ${largest}`,
    ...(final
      ? [
          "",
          "[[stages]]",
          'name = "Final"',
          'format = "elimination"',
          `games = [${text(game)}]`,
          `entrants = ${target}`,
          `smallest = ${smallest}`,
          `target = ${target}`,
          `largest = ${largest}`,
          `final = ${target}`,
          'cut_ties = "lot"',
        ]
      : []),
    "",
  ].join("\n");
}

/** @param {string} name "Spring Cup 2026" → "spring-cup-2026" */
export const idFor = (name) =>
  name
    .normalize("NFD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 40);
