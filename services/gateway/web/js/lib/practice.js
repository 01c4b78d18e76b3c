// A table to practise at: a game, how many, what bots, which variant; then one sits on seat 0 of it.
import { get, newKey, Problem, post } from "./api.js";
import { boot } from "./boot.js";
import { Trouble } from "./chrome.js";
import { html, signal, useEffect } from "./html.js";
import { levelWords } from "./names.js";
import { labelOf, Options, read } from "./options.js";
import { t } from "./words.js";

/**
 * @typedef {{key: string, title: string, seats: {min: number, max: number}, levels: string[],
 *   options: {properties: Record<string, import("./options.js").Schema>}}} Game
 */

const PACES_MS = [0, 700, 1500, 3000];
/** Levels in the order of liking: the first that a game has is what it begins with. */
const LIKED = ["medium", "greedy"];

const games = signal(/** @type {Game[]} */ ([]));
const chosen = signal(boot.games[0]?.key ?? "");
const seats = signal(2);
const level = signal("");
const pace = signal(PACES_MS[1]);
const values = signal(/** @type {import("./options.js").Values} */ ({}));
const trouble = signal(/** @type {Problem | null} */ (null));
/** An option that cannot be read. */
const unread = signal("");
const busy = signal(false);
/** The table that was asked for last, and the key of that: the same again is the same table. */
let asked = { body: "", key: "" };

/** @param {Game} game */
function take(game) {
  chosen.value = game.key;
  seats.value = Math.min(Math.max(2, game.seats.min), game.seats.max);
  level.value = LIKED.find((each) => game.levels.includes(each)) ?? game.levels[0];
  values.value = {};
  trouble.value = null;
  unread.value = "";
}

async function load() {
  try {
    games.value = (await get("/api/games")).games;
    trouble.value = null;
    if (games.value[0]) take(games.value[0]);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    trouble.value = error;
  }
}

/** @param {Event} event @param {Game} game */
async function start(event, game) {
  event.preventDefault();
  trouble.value = null;
  unread.value = "";
  /** @type {Record<string, unknown>} */
  let options;
  try {
    options = read(game.options.properties, values.value);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    unread.value = labelOf(game.key, error.message, game.options.properties[error.message]);
    return;
  }
  const wanted = { game: game.key, seats: seats.value, level: level.value, pace_ms: pace.value, options };
  const body = JSON.stringify(wanted);
  if (body !== asked.body) asked = { body, key: newKey() };
  busy.value = true;
  try {
    const table = await post("/api/practice", wanted, { key: asked.key });
    asked = { body: "", key: "" };
    location.assign(`/m/${table.match}/seat/${table.seat}`);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    trouble.value = error;
  } finally {
    busy.value = false;
  }
}

/** @param {{game: Game}} props */
const Form = ({ game }) => html`
  <form class="card practice" onSubmit=${(/** @type {Event} */ event) => start(event, game)}>
    <div class="basics">
      <label class="field"><span>${t("practice.game")}</span>
        <select name="game" onChange=${(/** @type {any} */ event) => take(/** @type {Game} */ (games.value.find((each) => each.key === event.currentTarget.value)))}>
          ${games.value.map((each) => html`<option key=${each.key} value=${each.key} selected=${each.key === game.key}>${each.title}</option>`)}
        </select>
      </label>
      <label class="field"><span>${t("practice.seats", { min: game.seats.min, max: game.seats.max })}</span>
        <input type="number" name="seats" required step="1" min=${game.seats.min} max=${game.seats.max} value=${seats.value}
          onInput=${(/** @type {any} */ event) => {
            seats.value = event.currentTarget.valueAsNumber;
          }} />
      </label>
      ${
        seats.value === 1
          ? html`<p class="muted">${t("practice.solo")}</p>`
          : html`
            <label class="field"><span>${t("practice.level")}</span>
              <select name="level" onChange=${(/** @type {any} */ event) => {
                level.value = event.currentTarget.value;
              }}>
                ${game.levels.map((each) => html`<option key=${each} value=${each} selected=${each === level.value}>${levelWords(each)}</option>`)}
              </select>
            </label>
            <label class="field"><span>${t("practice.pace")}</span>
              <select name="pace" onChange=${(/** @type {any} */ event) => {
                pace.value = Number(event.currentTarget.value);
              }}>
                ${PACES_MS.map((each) => html`<option key=${each} value=${each} selected=${each === pace.value}>${each ? t("practice.pace.each", { seconds: each / 1000 }) : t("practice.pace.none")}</option>`)}
              </select>
            </label>`
      }
    </div>
    <details>
      <summary>${t("practice.options")}</summary>
      <${Options} game=${game.key} properties=${game.options.properties} values=${values.value}
        change=${(/** @type {import("./options.js").Values} */ touched) => {
          values.value = touched;
        }} />
    </details>
    ${unread.value ? html`<div class="notice bad" role="alert"><p>${t("option.bad_json", { label: unread.value })}</p></div>` : null}
    <${Trouble} problem=${trouble.value} />
    <button type="submit" class="main" disabled=${busy.value}>${t("practice.start")}</button>
  </form>
`;

export const Practice = () => {
  useEffect(() => {
    load();
  }, []);
  const game = games.value.find((each) => each.key === chosen.value);
  return html`
    <section aria-labelledby="practice">
      <h2 id="practice">${t("practice")}</h2>
      <p>${t("practice.about")}</p>
      ${game ? html`<${Form} game=${game} />` : html`<${Trouble} problem=${trouble.value} again=${load} />`}
    </section>
  `;
};
