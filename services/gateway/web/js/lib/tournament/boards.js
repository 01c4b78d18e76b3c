// Several tables at once: those that are chosen, or else the first that play; and the table of one entrant, in whatever
// round they are.
import { address } from "../api.js";
import { boot } from "../boot.js";
import { Connection } from "../chrome.js";
import { html, signal, useEffect, useId, useMemo } from "../html.js";
import { positionsTold } from "../picture.js";
import { follow } from "../stream.js";
import { t } from "../words.js";
import { api, now, useDocument, Wait } from "./event.js";
import { me } from "./me.js";
import { byName, nameOf } from "./names.js";

/** Of those that nobody has chosen; and at most. */
const BOARDS_FIRST = 4;
const BOARDS_MAX = 8;
/** What is chosen by hand: numbers of tables of one round. */
const chosen = signal({ round: 0, tables: /** @type {number[]} */ ([]) });
const followed = signal(me.peek());
/** By match, the newest that has been told; so what was there stays while another board is opened beside it. */
const positions = signal(/** @type {Record<string, any>} */ ({}));

export function Boards() {
  const round = now.value?.round ?? 0;
  const { told } = useDocument(round ? `${api}/rounds/0` : null);
  if (now.value && !round) return html`<h2>${t("tab.boards")}</h2><p>${t("no_round")}</p>`;
  if (!told) return html`<h2>${t("tab.boards")}</h2><${Wait} words=${t("loading")} />`;
  const tables = told.tables.filter((/** @type {any} */ each) => each.phase === "open" || each.phase === "done");
  const mine = chosen.value.round === told.round ? chosen.value.tables : first(tables);
  const theirs = tables.find((/** @type {any} */ table) =>
    table.places.some((/** @type {any} */ each) => each.entry === followed.value),
  );
  const numbers = [...new Set([...(theirs ? [theirs.number] : []), ...mine])].slice(0, BOARDS_MAX);
  const shown = numbers.flatMap((number) => tables.filter((/** @type {any} */ table) => table.number === number));
  return html`
    <h2>${t("tab.boards")}</h2>
    <${Choice} round=${told} tables=${tables} numbers=${numbers} />
    ${shown.length ? html`<${Wall} key=${shown.map((each) => each.match_id).join()} tables=${shown} />` : html`<p>${t("boards.none")}</p>`}
  `;
}

/** @param {any[]} tables */
function first(tables) {
  const open = tables.filter((table) => table.phase === "open");
  return (open.length ? open : tables).slice(0, BOARDS_FIRST).map((table) => table.number);
}

/** @param {{round: any, tables: any[], numbers: number[]}} props */
function Choice({ round, tables, numbers }) {
  const id = useId();
  const people = round.tables.flatMap((/** @type {any} */ table) => table.places).sort(byName);
  /** @param {number} number */
  const turn = (number) => {
    const tables = numbers.includes(number) ? numbers.filter((each) => each !== number) : [...numbers, number];
    chosen.value = { round: round.round, tables: tables.slice(-BOARDS_MAX) };
  };
  return html`
    <div class="tools">
      <div class="field">
        <label for="${id}-who">${t("boards.follow")}</label>
        <select id="${id}-who" value=${String(followed.value)} onChange=${(/** @type {any} */ change) => {
          followed.value = Number(change.currentTarget.value);
        }}>
          <option value="0">${t("boards.nobody")}</option>
          ${people.map((/** @type {any} */ each) => html`<option value=${String(each.entry)}>${nameOf(each)}</option>`)}
        </select>
      </div>
      <fieldset class="ways">
        <legend>${t("boards.choose", { n: BOARDS_MAX })}</legend>
        ${tables.map((table) => html`<label key=${table.number}><input type="checkbox" checked=${numbers.includes(table.number)} disabled=${!numbers.includes(table.number) && numbers.length >= BOARDS_MAX} onChange=${() => turn(table.number)} /> ${t("table_n", { n: table.number })}</label>`)}
      </fieldset>
    </div>
  `;
}

/** All boards on one connection. @param {{tables: any[]}} props */
function Wall({ tables }) {
  const stream = useMemo(() => {
    /** @param {any} told */
    const take = (told) => {
      positions.value = { ...positions.value, [told.match]: told };
    };
    const match = tables.map((each) => each.match_id);
    const url = (/** @type {string | undefined} */ after) =>
      address("/api/stream", { match, language: boot.language, after, patches: 1 });
    return follow(url, positionsTold(take), { matches: match.length });
  }, []);
  useEffect(() => stream.close, [stream]);
  return html`
    <${Connection} of=${stream.connection} />
    <div class="boards">${tables.map((table) => html`<${Live} key=${table.match_id} table=${table} now=${positions.value[table.match_id]} />`)}</div>
  `;
}

/** @param {{table: any, now: any}} props */
function Live({ table, now }) {
  return html`
    <section class="card live-board" aria-labelledby="board-${table.number}">
      <h3 id="board-${table.number}"><a href="/m/${table.match_id}">${t("table_n", { n: table.number })}</a></h3>
      ${now ? html`<img src=${picture(now.svg)} alt=${t("boards.picture", { n: table.number, names: table.places.map(nameOf).join(", ") })} />` : html`<${Wait} words=${t("loading")} />`}
      <ol class="seats" start="0">
        ${table.places.map((/** @type {any} */ each, /** @type {number} */ seat) => {
          const score = now?.scores.find((/** @type {any} */ one) => one.seat === seat);
          const turn = now?.pending_seats.includes(seat) && now.waiting === "seats";
          return html`<li key=${each.entry}><span class="who">${nameOf(each)}</span>
            <span class="result">${score ? score.total : ""}${turn ? html` <span class="tag live">${t("boards.turn")}</span>` : null}</span></li>`;
        })}
      </ol>
      ${now?.words.length ? html`<p class="muted">${now.words.join(" ")}</p>` : null}
    </section>
  `;
}

/** A picture of its own, so that what two boards call by the same name stays apart. @param {string} svg */
const picture = (svg) => `data:image/svg+xml,${encodeURIComponent(svg)}`;
