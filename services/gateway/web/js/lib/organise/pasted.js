// People from a list that somebody pastes: a name a line, or name, contact and alias as a spreadsheet has them.

/**
 * @typedef {{name: string, contact: string, alias: string, player: string}} Person
 * @typedef {{line: number, why: "no_name" | "too_long" | "twice" | "columns"}} Wrong
 */

const COLUMNS = ["name", "contact", "alias"];
/** Characters, as the house keeps them. */
const LONGEST = { name: 100, contact: 200, alias: 40 };
const BOT = /^bot:[a-z0-9_]+(:[A-Za-z0-9_-]+)?$/;

/**
 * @param {string} text
 * @returns {{people: Person[], wrong: Wrong[]}}
 */
export function peopleIn(text) {
  const lines = text.split(/\r?\n/);
  const first = lines.find((line) => line.trim()) ?? "";
  const separator = [";", "\t"].find((each) => first.includes(each)) ?? ",";
  /** @type {Person[]} */
  const people = [];
  /** @type {Wrong[]} */
  const wrong = [];
  const seen = new Set();
  let columns = COLUMNS;
  lines.forEach((line, index) => {
    if (!line.trim()) return;
    const cells = cellsOf(line, separator);
    const named = cells.map((cell) => cell.toLowerCase());
    if (!people.length && !wrong.length && named.includes("name") && named.every((cell) => COLUMNS.includes(cell))) {
      columns = named;
      return;
    }
    const person = personOf(cells, columns);
    const why = cells.length > columns.length ? "columns" : problemOf(person, seen);
    if (why) wrong.push({ line: index + 1, why });
    else people.push(person);
  });
  return { people, wrong };
}

/**
 * @param {string[]} cells
 * @param {string[]} columns
 * @returns {Person}
 */
function personOf(cells, columns) {
  const at = (/** @type {string} */ name) => cells[columns.indexOf(name)] ?? "";
  const name = at("name");
  return BOT.test(name)
    ? { player: name, name: "", contact: "", alias: "" }
    : { player: "", name, contact: at("contact"), alias: at("alias") };
}

/**
 * @param {Person} person
 * @param {Set<string>} seen
 * @returns {Wrong["why"] | undefined}
 */
function problemOf(person, seen) {
  if (!person.name && !person.player) return "no_name";
  for (const [column, longest] of Object.entries(LONGEST)) {
    if (person[/** @type {keyof Person} */ (column)].length > longest) return "too_long";
  }
  const key = `${person.player}\n${person.name}\n${person.contact}`.toLowerCase();
  if (seen.has(key)) return "twice";
  seen.add(key);
  return undefined;
}

/**
 * Cells of a line, with quotes as spreadsheets write them.
 * @param {string} line
 * @param {string} separator
 */
function cellsOf(line, separator) {
  const cells = [""];
  let quoted = false;
  for (let at = 0; at < line.length; at++) {
    const sign = line[at];
    const last = cells.length - 1;
    if (quoted && sign === '"' && line[at + 1] === '"') {
      cells[last] += '"';
      at++;
    } else if (sign === '"' && (quoted || !cells[last].trim())) quoted = !quoted;
    else if (sign === separator && !quoted) cells.push("");
    else cells[last] += sign;
  }
  return cells.map((cell) => cell.trim());
}
