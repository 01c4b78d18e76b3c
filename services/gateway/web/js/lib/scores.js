// The seats: who sits there, whose turn it is, how long they have, what they have made and what they strive for.
import { ClockOf } from "./clocks.js";
import { html, useSignal } from "./html.js";
import { SeatName } from "./seats.js";
import { t } from "./words.js";

/** @typedef {import("./table.js").Table} Table */
/** @typedef {import("./table.js").Position} Position */
/** @typedef {import("./table.js").SeatScore} SeatScore */

/** Of more seats than these the objectives are folded away. */
const OPEN_MAX = 4;
/** More seats than these are a crowd, */
const CROWD_MIN = 24;
/** of which so many are shown at first. */
const AHEAD_MAX = 12;

/** @param {{score: SeatScore}} props */
const Objectives = ({ score }) =>
  score.objectives.length
    ? html`<ul class="objectives" aria-label=${t("objectives")}>
        ${score.objectives.map(
          (each) => html`<li key=${each.key} class=${each.met ? "met" : ""}>
            <span>${each.label}</span>
            <span class="n">${each.met ? html`<strong>✓ ${t("objective.met")}</strong>` : t("objective.have", { have: each.have, need: each.need })}</span>
            <progress max=${Math.max(1, each.need)} value=${each.met ? Math.max(1, each.need) : Math.min(each.have, each.need)} aria-hidden="true"></progress>
          </li>`,
        )}
      </ul>`
    : null;

/** @param {{score: SeatScore, children?: any}} props */
const Lines = ({ score, children }) =>
  score.lines.length > 1 || children
    ? html`<details>
        <summary>${t("lines")}</summary>
        ${children}
        <table class="lines"><tbody>
          ${score.lines.map((line) => html`<tr key=${line.key} class=${line.points ? "" : "nothing"}><th scope="row">${line.label}</th><td class="n">${line.points}</td></tr>`)}
          <tr class="sum"><th scope="row">${t("total")}</th><td class="n">${score.total}</td></tr>
        </tbody></table>
      </details>`
    : null;

/**
 * @param {{table: Table, position: Position, score: SeatScore}} props
 */
function Place({ table, position, score }) {
  const { seat } = score;
  const rank = position.ranks[seat];
  const asked = position.waiting === "seats" && position.pending_seats.includes(seat);
  return html`<li class="seat card" data-asked=${asked} data-first=${rank === 1}>
    <div class="seat-head">
      <h3><${SeatName} players=${position.players} seat=${seat} /></h3>
      ${rank ? html`<span class=${rank === 1 ? "tag first" : "tag"}>${t("rank", { n: rank })}</span>` : null}
      ${asked ? html`<span class="tag turn">${t("asked")}</span>` : null}
      ${position.left.includes(seat) ? html`<span class="tag gone">${t("has_left")}</span>` : null}
      <${ClockOf} table=${table} seat=${seat} />
      <span class="points"><span class="unseen">${t("total")} </span>${score.total}</span>
    </div>
    ${
      position.scores.length > OPEN_MAX
        ? html`<${Lines} score=${score}><${Objectives} score=${score} /><//>`
        : html`<${Objectives} score=${score} /><${Lines} score=${score} />`
    }
  </li>`;
}

/**
 * In the order of the ranks, once there are any; of a crowd those ahead come first, and the others when they are asked for.
 * @param {{table: Table, mine?: number}} props `mine` is a seat that is shown in any case
 */
export function Scores({ table, mine = -1 }) {
  const all = useSignal(false);
  const position = table.shown.value;
  if (!position) return null;
  const { ranks } = position;
  const crowd = position.scores.length > CROWD_MIN;
  const before = (/** @type {SeatScore} */ a, /** @type {SeatScore} */ b) =>
    (ranks.length ? ranks[a.seat] - ranks[b.seat] : crowd ? b.total - a.total : 0) || a.seat - b.seat;
  const ordered = position.scores.toSorted(before);
  const isFew = crowd && !all.value;
  const scores = isFew ? ordered.filter((each, place) => place < AHEAD_MAX || each.seat === mine) : ordered;
  return html`
    <section aria-labelledby="scores-title">
      <h2 id="scores-title" tabindex="-1">${t("scores")}</h2>
      <ol class="seats">
        ${scores.map((score) => html`<${Place} key=${score.seat} table=${table} position=${position} score=${score} />`)}
      </ol>
      ${
        isFew
          ? html`<p><button type="button" onClick=${() => {
              all.value = true;
              requestAnimationFrame(() => document.getElementById("scores-title")?.focus());
            }}>${t("scores.all", { n: ordered.length })}</button></p>`
          : null
      }
    </section>
  `;
}
