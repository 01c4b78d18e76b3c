// Who is looking: chosen once for an event, kept on this device alone, and told where to sit in every round.
import { say } from "../announcer.js";
import { html, signal, useEffect, useId, useRef, useSignal } from "../html.js";
import { t } from "../words.js";
import { api, event, nameIn, useDocument } from "./event.js";
import { figure } from "./figures.js";

const KEY = `me/${event}`;

const kept = () => {
  try {
    return Number(localStorage.getItem(KEY)) || 0;
  } catch {
    return 0; // a browser that keeps nothing asks each time
  }
};

/** The entry of who is looking; 0 for a bystander. */
export const me = signal(kept());

/** @param {number} entry */
export function become(entry) {
  me.value = entry;
  try {
    if (entry) localStorage.setItem(KEY, String(entry));
    else localStorage.removeItem(KEY);
  } catch {
    // then it holds until the page is left
  }
}

/** What had the focus is gone when the card is another one. @param {number} entry @param {string} id */
function becomeAndGo(entry, id) {
  become(entry);
  requestAnimationFrame(() => document.getElementById(id)?.focus());
}

/** @param {{names: Map<number, string>}} props */
export const Me = ({ names }) => (me.value ? html`<${MyTable} names=${names} />` : html`<${Ask} names=${names} />`);

/** @param {{names: Map<number, string>}} props */
function Ask({ names }) {
  const list = useId();
  const wrong = useSignal(false);
  /** @param {SubmitEvent} submit */
  const choose = (submit) => {
    submit.preventDefault();
    const typed = String(new FormData(/** @type {HTMLFormElement} */ (submit.currentTarget)).get("who")).trim();
    const number = /\((\d+)\)$/.exec(typed);
    const named = [...names].filter(([, name]) => name.toLocaleLowerCase() === typed.toLocaleLowerCase());
    const entry = number ? Number(number[1]) : named.length === 1 ? named[0][0] : 0;
    wrong.value = !names.has(entry);
    if (!wrong.value) becomeAndGo(entry, "my-table");
  };
  if (!names.size) return null;
  return html`
    <form class="card me" onSubmit=${choose}>
      <label for="who-looks"><b>${t("me.ask")}</b> <span class="muted">${t("me.kept")}</span></label>
      <div class="row">
        <input id="who-looks" name="who" list=${list} autocomplete="off" required aria-describedby=${wrong.value ? `${list}-wrong` : undefined} aria-invalid=${wrong.value ? "true" : undefined} />
        <datalist id=${list}>${[...names].map(([entry, name]) => html`<option value="${name} (${entry})"></option>`)}</datalist>
        <button type="submit">${t("me.choose")}</button>
      </div>
      ${wrong.value ? html`<p id="${list}-wrong" class="bad-words" role="alert">${t("me.unknown")}</p>` : null}
    </form>
  `;
}

/** @param {{names: Map<number, string>}} props */
function MyTable({ names }) {
  const { told } = useDocument(`${api}/entrants/${me.value}`);
  const seat = told?.seat;
  const newest = told?.history[told.history.length - 1];
  useTold(told);
  return html`
    <section class="card me mine" aria-labelledby="my-table">
      <h2 id="my-table" tabindex="-1">${nameIn(names, me.value)}</h2>
      ${seat ? html`<${Seated} seat=${seat} history=${told.history} />` : null}
      ${told && !seat ? html`<p>${t(newest && newest.kind !== "table" ? `me.${newest.kind}` : "me.no_table")}</p>` : null}
      ${told?.line?.place ? html`<p>${t("me.place", { place: told.line.place, points: told.line.values[told.keys[0]] ?? "" })}</p>` : null}
      ${told?.history.length ? html`<${History} history=${told.history} />` : null}
      <p><button type="button" onClick=${() => becomeAndGo(0, "who-looks")}>${t("me.other")}</button></p>
    </section>
  `;
}

/**
 * Whoever listens is told of another seat as soon as there is one; of the one that was there before, the card tells.
 * @param {any} told
 */
function useTold(told) {
  const known = useRef("");
  const seat = told?.seat;
  const sits = seat ? `${seat.round} ${seat.table} ${seat.seat}` : "nowhere";
  useEffect(() => {
    if (!told) return;
    if (seat && known.current && known.current !== sits) {
      const where = t("me.sit", { table: seat.table, seat: String(seat.seat) });
      say(`${t("me.round", { round: seat.round })}: ${where}`);
    }
    known.current = sits;
  }, [told, sits]);
}

/** @param {{seat: any, history: any[]}} props */
function Seated({ seat, history }) {
  const table = history.find((each) => each.round === seat.round)?.table;
  const others = (table?.places ?? []).filter((/** @type {any} */ each) => each.entry !== me.value);
  const names = new Intl.ListFormat(document.documentElement.lang, { type: "conjunction" }).format(
    others.map((/** @type {any} */ each) => each.name || each.player),
  );
  return html`
    <p class="sit">${t("me.round", { round: seat.round })}: <b>${t("me.sit", { table: seat.table, seat: String(seat.seat) })}</b></p>
    <p>${names ? t("me.with", { names }) : null}</p>
    <p class="row">
      ${seat.phase === "open" ? html`<a class="button main" href="/m/${seat.match_id}/seat/${seat.seat}">${t("me.play")}</a>` : null}
      ${seat.phase === "open" || seat.phase === "done" ? html`<a class="button" href="/m/${seat.match_id}">${t("watch")}</a>` : null}
    </p>
  `;
}

/** @param {{history: any[]}} props */
const History = ({ history }) => html`
  <details>
    <summary>${t("me.rounds")}</summary>
    <ul class="plain">
      ${history.map((each) => {
        const mine = each.table?.places[each.seat];
        const where = each.table ? t("table_n", { n: each.table.number }) : t(`kind.${each.kind}`);
        const how = mine?.place ? `, ${t("place_n", { place: mine.place })}` : "";
        const what = each.points ? `, ${t("points_n", { points: figure(each.points) })}` : "";
        return html`<li key=${each.round}>${t("me.round", { round: each.round })}: ${where}${how}${what}</li>`;
      })}
    </ul>
  </details>
`;
