// Find a player: a name or a part of it, and where its owner plays.
import { get, Problem } from "./api.js";
import { Trouble } from "./chrome.js";
import { html, signal } from "./html.js";
import { t, wordOr } from "./words.js";

/**
 * @typedef {{round: number, round_phase: string, table: number, seat: number, match: string, phase: string}} Where
 * @typedef {{tournament: string, name: string, entry: number, standing: string, now: Where | null}} Entered
 * @typedef {{player: string, name: string, entered: Entered[]}} Found
 */

/** After the last key. */
const PAUSE_MS = 250;

const found = signal(/** @type {Found[] | null} */ (null));
const trouble = signal(/** @type {Problem | null} */ (null));
let asked = "";
/** @type {ReturnType<typeof setTimeout> | undefined} */
let soon;

/** @param {string} text */
async function search(text) {
  clearTimeout(soon);
  if (text === asked) return;
  asked = text;
  if (!text) {
    found.value = null;
    trouble.value = null;
    return;
  }
  try {
    const told = await get("/api/players", { search: text });
    if (text !== asked) return; // something else is wanted by now
    found.value = told.players;
    trouble.value = null;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (text !== asked) return;
    asked = "";
    trouble.value = error;
  }
}

/** @param {Event} event */
function typed(event) {
  const text = /** @type {HTMLInputElement} */ (event.currentTarget).value.trim();
  clearTimeout(soon);
  soon = setTimeout(() => search(text), PAUSE_MS);
}

/** @param {Event} event */
function submitted(event) {
  event.preventDefault();
  const form = /** @type {HTMLFormElement} */ (event.currentTarget);
  search(String(new FormData(form).get("search") ?? "").trim());
}

/** @param {{where: Where}} props */
const Seat = ({ where }) => {
  const words = t("find.seat", { round: where.round, table: where.table });
  return where.phase === "open" ? html`<a class="target" href=${`/m/${where.match}`}>${words}</a>` : words;
};

/** @param {{one: Found}} props */
const Person = ({ one }) => html`
  <li>
    <strong>${one.name}</strong>
    ${one.entered.map(
      (entered) => html`<p key=${entered.tournament}>
        <a class="target" href=${`/t/${entered.tournament}`}>${entered.name}</a>
        ${entered.standing === "in" ? null : html` <span class="tag">${wordOr(`standing.${entered.standing}`, entered.standing)}</span>`}
        ${entered.now ? html` · <${Seat} where=${entered.now} />` : null}
      </p>`,
    )}
  </li>
`;

export const FindPlayer = () => html`
  <section aria-labelledby="find">
    <h2 id="find">${t("find")}</h2>
    <form role="search" onSubmit=${submitted}>
      <label class="field"><span>${t("find.name")}</span>
        <input type="search" name="search" maxlength="100" autocomplete="off" onInput=${typed} />
      </label>
    </form>
    <${Trouble} problem=${trouble.value} />
    <p role="status" class=${found.value?.length ? "unseen" : "muted"}>
      ${found.value ? (found.value.length ? t("find.count", { n: found.value.length }) : t("find.nobody")) : ""}
    </p>
    ${found.value?.length ? html`<ul class="found">${found.value.map((one) => html`<${Person} key=${one.player} one=${one} />`)}</ul>` : null}
  </section>
`;
