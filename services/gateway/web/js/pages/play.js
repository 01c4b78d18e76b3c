// A match as a player sees it: what a bystander is shown, the own hand, and the turn in the making.

import { ZoomedBoard } from "../lib/board.js";
import { boot } from "../lib/boot.js";
import { Connection, Page, Trouble } from "../lib/chrome.js";
import { runClocks } from "../lib/clocks.js";
import { Facts, tellNews } from "../lib/facts.js";
import { gameTitle } from "../lib/headline.js";
import { computed, html, show, signal, useLayoutEffect, useRef, useSignalEffect } from "../lib/html.js";
import { LeaveButton } from "../lib/leave.js";
import { callWhenDue, NotifyButton } from "../lib/notify.js";
import { Panel } from "../lib/panel.js";
import { dress, placeOf } from "../lib/places.js";
import { Scores } from "../lib/scores.js";
import { seatWords } from "../lib/seats.js";
import { Keys, Now, Stepper } from "../lib/stepper.js";
import { tableOf } from "../lib/table.js";
import { turnOf } from "../lib/turn.js";
import { keepInAddress, turnIn } from "../lib/turn_link.js";
import { t } from "../lib/words.js";

const match = String(boot.of.match);
const seat = Number(boot.of.seat);
const table = tableOf({ match, viewer: `seat:${seat}`, at: turnIn() ?? null });
const turn = turnOf(table, seat);
keepInAddress(table);
tellNews(table);
runClocks(table);

/** The place of the board whose choices alone are listed; empty for all. */
const place = signal("");

function name() {
  const game = table.live.value?.game;
  return game ? `${gameTitle(game)}, ${seatWords(seat)}` : seatWords(seat);
}
callWhenDue(
  turn.standing,
  (standing) => {
    const state = { yours: `● ${t("turn.yours")} – `, over: `${t("turn.over")} – ` }[String(standing)] ?? "";
    return `${state}${name()} · Tavolata`;
  },
  `${match}/${seat}`,
);

/** What can be chosen on the board: nothing while the past is looked at, or while nothing can be sent. */
const offered = computed(() =>
  table.isLive.value && table.connection.value === "live" && !turn.sending.value && turn.standing.value === "yours"
    ? (turn.menu.value?.choices ?? [])
    : [],
);

/** What has been chosen there already. */
const chosen = computed(() => (table.isLive.value ? turn.steps.value.map((step) => step.place) : []));

const several = (/** @type {import("../lib/turn.js").Choice[]} */ choices) => t("place.several", { n: choices.length });
const dressAgain = (/** @type {SVGSVGElement} */ picture) => dress(picture, offered.peek(), several, chosen.peek());

/** The board; a place with one choice is that choice, one with several opens the list of them. */
function Playing() {
  const room = useRef(/** @type {HTMLDivElement | null} */ (null));
  const position = table.shown.value;
  const svg = position?.svg ?? "";
  useLayoutEffect(() => {
    const picture = room.current?.querySelector(".board svg");
    if (picture instanceof SVGSVGElement) dressAgain(picture);
  }, [svg, offered.value, chosen.value]);
  const act = (/** @type {Event} */ event) => {
    const at = placeOf(event);
    const those = at ? offered.peek().filter((choice) => choice.place === at) : [];
    if (those.length === 1) turn.pick(those[0]);
    else if (those.length) place.value = at;
  };
  return html`<div class="playing" ref=${room} onClick=${act} onKeyDown=${act}>
    ${position ? html`<${ZoomedBoard} svg=${svg} revision=${position.revision} dress=${dressAgain}><${Now} table=${table} /><//>` : null}
  </div>`;
}

/** The seat at its table. */
const Seated = () => html`
  <div class="play">
    <div class="play-board">
      <${Playing} />
    </div>
    <div class="play-turn"><${Panel} table=${table} turn=${turn} place=${place} /></div>
    <div class="play-step"><${Stepper} table=${table} /></div>
    <div class="play-more">
      <${Scores} table=${table} mine=${seat} />
      <${Facts} table=${table} />
      <div class="row play-foot">
        <a class="button" href=${`/m/${match}`}>${t("play.watch")}</a>
        ${turn.standing.value === "over" ? html`<a class="button" href="/">${t("to_tables")}</a>` : html`<${NotifyButton} />`}
        <${LeaveButton} turn=${turn} />
      </div>
      <${Keys} />
    </div>
  </div>
`;

function Play() {
  useSignalEffect(() => {
    // Another question has other places.
    turn.menu.value;
    place.value = "";
  });
  const lost = !table.live.value && table.problem.value && !table.problem.value.passing;
  return html`
    <${Page} wide>
      <div class="row play-head">
        <h1>${name()}</h1>
        ${lost ? null : html`<${Connection} of=${table.connection} />`}
      </div>
      <${Trouble} problem=${table.problem.value} />
      ${lost ? html`<p class="row"><a class="button" href=${`/m/${match}`}>${t("play.watch")}</a> <a class="button" href="/">${t("to_tables")}</a></p>` : null}
      ${table.live.value ? html`<${Seated} />` : null}
    <//>
  `;
}
show(html`<${Play} />`);
