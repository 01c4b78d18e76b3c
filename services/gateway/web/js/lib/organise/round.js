// The round that is played: its clock, the tables that are slow or outstanding first, and what can be done at each.
import { boot, gameNamed } from "../boot.js";
import { html, signal } from "../html.js";
import { figure } from "../tournament/figures.js";
import { clockTime, duration, t } from "../words.js";
import { ask } from "./asking.js";
import { Clock } from "./clock.js";
import { act, desk, event, nameOf } from "./desk.js";
import { Draft, Figures } from "./draft.js";
import { adjudicate, correct, enterResult } from "./result.js";
import { enterSlips } from "./slips.js";
import * as at from "./table_actions.js";

/** @typedef {import("./desk.js").Table} Table */

const PAGE = 40;
const outstanding = signal(false);
const shown = signal(PAGE);

/** @param {Table} table */
export const isOutstanding = (table) => table.phase === "waiting" || table.phase === "open" || table.disputed;

const cancel = () =>
  ask({
    title: t("ask.cancel_round", { number: desk.value?.tournament.round ?? 0 }),
    says: t("ask.cancel_round_says"),
    confirm: t("do.cancel_round"),
    danger: true,
    act: ({ reason }) =>
      act("cancel_round", { reason }, { said: t("done.cancelled", { number: desk.value?.tournament.round ?? 0 }) }),
  });

const closeArena = () =>
  ask({
    title: t("do.close_arena"),
    says: t("ask.close_arena_says"),
    confirm: t("do.close_arena"),
    danger: true,
    act: ({ reason }) => act("close_arena", { reason }, { said: t("done.arena_closed") }),
  });

export function RoundNow() {
  const now = desk.value;
  if (!now) return null;
  const { round, draft, status, tournament } = now;
  // What was played before stands among the results.
  if (draft) return html`<${Draft} />`;
  if (!round) return html`<h2>${t("tab.round")}</h2><p>${t("round.none")}</p>`;
  const arena = now.config.stages[tournament.stage].format === "arena";
  return html`
    <section aria-labelledby="round-title">
      <h2 id="round-title">${t("round_n", { number: round.round })} · ${gameNamed(round.game)?.title ?? round.game} <span class=${round.phase === "running" ? "tag live" : "tag"}>${t(`phase.${round.phase}`)}</span></h2>
      <p class="row"><a class="button" href=${`/t/${event}/print/${round.round}`}>${t("round.print")}</a>
        <a class="button" href=${`/t/${event}`}>${t("round.public")}</a></p>
      ${
        round.phase === "running"
          ? html`<${Clock} />
          <p>${t("round.tables", { done: status.done, of: round.tables.length })}
            ${status.expected_end ? html` <span class="muted">${t("round.expected", { time: clockTime(status.expected_end), early: clockTime(status.earliest_end), late: clockTime(status.latest_end) })}</span>` : null}</p>
          <${Slowest} />`
          : null
      }
      <${Tables} round=${round} />
      ${round.byes.length ? html`<p>${t("round.byes")} ${round.byes.map((each) => nameOf(each.entry)).join(", ")}</p>` : null}
      ${round.absent.length ? html`<p>${t("round.absent")} ${round.absent.map((each) => nameOf(each.entry)).join(", ")}</p>` : null}
      <details class="more"><summary>${t("round.more")}</summary>
        <${Figures} quality=${round.quality} />
        <div class="row">
          ${arena ? html`<button type="button" class="danger" onClick=${closeArena}>${t("do.close_arena")}</button>` : null}
          <button type="button" class="danger" onClick=${cancel}>${t("do.cancel_round")}</button>
        </div>
      </details>
    </section>
  `;
}

const SLOW_SHOWN = 3;

function Slowest() {
  const slow = desk.value?.status.slowest.slice(0, SLOW_SHOWN) ?? [];
  if (!slow.length) return null;
  return html`<div class="slowest"><h3>${t("round.slowest")}</h3>
    <ul class="plain">${slow.map(
      (
        /** @type {any} */ each,
      ) => html`<li key=${each.number}><strong>${t("table_n", { number: each.number })}</strong> ${t("round.playing", { time: duration(each.playing_ms) })}
        <a class="button" href=${`/m/${each.match_id}`}>${t("do.watch")}</a></li>`,
    )}</ul></div>`;
}

/** @param {{round: import("./desk.js").Round}} props */
function Tables({ round }) {
  const playing =
    round.phase === "running" ? round.tables.filter((each) => each.phase !== "done" && each.phase !== "void") : [];
  const wanted = outstanding.value ? round.tables.filter(isOutstanding) : round.tables;
  return html`
    <div class="row filter">
      <p class="row tick"><input type="checkbox" id="outstanding" checked=${outstanding.value} onChange=${(
        /** @type {any} */ ticked,
      ) => {
        outstanding.value = ticked.currentTarget.checked;
      }} /><label for="outstanding">${t("round.only_outstanding", { n: round.tables.filter(isOutstanding).length })}</label></p>
      ${playing.length > 1 ? html`<button type="button" onClick=${() => enterSlips(round.round, playing)}>${t("do.enter_slips")}</button>` : null}
    </div>
    ${wanted.length ? null : html`<p>${t("round.nothing_outstanding")}</p>`}
    <ul class="cards tables">${wanted.slice(0, shown.value).map((table) => html`<${TableCard} key=${table.number} round=${round} table=${table} />`)}</ul>
    ${
      wanted.length > shown.value
        ? html`<button type="button" onClick=${() => {
            shown.value += PAGE;
          }}>${t("more", { n: wanted.length - shown.value })}</button>`
        : null
    }
  `;
}

/** @param {{round: import("./desk.js").Round, table: Table}} props */
export function TableCard({ round, table }) {
  const id = `table-${round.round}-${table.number}`;
  const playing = table.phase === "open" || table.phase === "waiting";
  const running = round.phase === "running";
  const closed = round.phase === "closed";
  const name = t("table_n", { number: table.number });
  /** @type {[boolean, string, (round: number, table: Table) => void][]} */
  const ways = [
    [table.phase === "done" && !table.disputed, "dispute", at.dispute],
    [table.phase === "done", "survivors", at.survivors],
    [playing && running, "no_show", at.noShow],
    [playing, "substitute", at.substitute],
    [playing && boot.session.asks, "seat_link", at.seatLink],
    [playing || table.phase === "void", "adjudicate", adjudicate],
    [table.phase !== "void", "void_table", at.voidTable],
    [true, "replay", at.replay],
  ];
  const elimination = desk.value?.config.stages[desk.value.tournament.stage].format === "elimination";
  return html`<li class="card table" aria-labelledby=${id} data-phase=${table.phase} id=${`t${table.number}`}>
    <h3 id=${id}>${name} <${TableState} table=${table} /></h3>
    <ol class="seats">${table.places.map(
      (
        place,
      ) => html`<li key=${place.entry}>${place.place ? html`<strong class="place">${place.place}.</strong> ` : null}${nameOf(place.entry)}
        ${place.no_show ? html` <span class="tag">${t("round.did_not_come")}</span>` : null}
        ${place.place ? html`<span class="score">${place.score}${place.points ? html` <span class="muted">→ ${figure(place.points)}</span>` : null}</span>` : null}</li>`,
    )}</ol>
    <div class="row">
      ${playing && running ? html`<button type="button" aria-describedby=${id} onClick=${() => enterResult(round.round, table)}>${t("do.enter_result")}</button>` : null}
      ${table.disputed ? html`<button type="button" class="main" aria-describedby=${id} onClick=${() => at.confirm(round.round, table)}>${t("do.confirm")}</button>` : null}
      ${table.phase === "done" ? html`<button type="button" aria-describedby=${id} onClick=${() => correct(round.round, table, closed)}>${t("do.correct")}</button>` : null}
      ${table.match_id && table.phase !== "waiting" ? html`<a class="button" href=${`/m/${table.match_id}`} aria-describedby=${id}>${t("do.watch")}</a>` : null}
    </div>
    <details class="menu"><summary aria-label=${t("menu", { name })}>${t("menu_short")}</summary>
      <div class="row">
        ${ways.filter(([may, way]) => may && (way !== "survivors" || elimination)).map(([, way, doing]) => html`<button type="button" onClick=${() => doing(round.round, table)}>${t(`do.${way}`)}</button>`)}
        ${running ? html`<button type="button" onClick=${() => at.extend(table.number)}>${t("do.extend")}</button>` : null}
      </div>
      ${
        table.phase === "open"
          ? html`<p class="muted">${t("round.seats")} ${table.places.map((place, seat) => html`<a href=${`/m/${table.match_id}/seat/${seat}`}>${nameOf(place.entry)}</a> `)}</p>`
          : null
      }
    </details>
  </li>`;
}

/** @param {{table: Table}} props */
const TableState = ({ table }) => html`
  <span class=${table.phase === "open" ? "tag live" : "tag"}>${t(`table_phase.${table.phase}`)}</span>
  ${table.disputed ? html` <span class="tag bad">${t("table_phase.disputed")}</span>` : null}
  ${table.adjudicated ? html` <span class="tag">${t("table_phase.adjudicated")}</span>` : null}
  ${table.time_called ? html` <span class="tag">${t("table_phase.time_called")}</span>` : null}
`;
