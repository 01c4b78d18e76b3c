// The turn panel: whose turn it is, the question, the answers so far, and the one button that does it.
import { Choices } from "./choices.js";
import { ClockOf } from "./clocks.js";
import { html, useLayoutEffect, useRef } from "./html.js";
import { labelOf } from "./places.js";
import { namesOf } from "./seats.js";
import { t } from "./words.js";

/** @typedef {import("./turn.js").Turn} Turn */
/** @typedef {import("./table.js").Table} Table */

/**
 * @param {{table: Table, turn: Turn, place: import("@preact/signals").Signal<string>}} props `place` is where on the
 *   board the listed choices are
 */
export function Panel({ table, turn, place }) {
  const standing = turn.standing.value;
  const isAway = table.connection.value === "away";
  return html`
    <section class="panel card" data-standing=${standing} aria-labelledby="turn-title">
      <div class="panel-head">
        <h2 id="turn-title" tabindex="-1">${title(standing)}</h2>
        ${standing === "yours" ? html`<${ClockOf} table=${table} seat=${turn.seat} />` : null}
      </div>
      ${isAway ? html`<p class="notice bad" role="status">${t("turn.away")}</p>` : null}
      <${Refused} turn=${turn} />
      ${turn.dropped.value ? html`<p class="notice" role="status">${t("turn.dropped")}</p>` : null}
      ${
        standing === "yours"
          ? html`<${Question} table=${table} turn=${turn} place=${place} isAway=${isAway} />`
          : html`<${Waiting} table=${table} turn=${turn} standing=${standing} />`
      }
    </section>
  `;
}

/** @param {import("./turn.js").Standing} standing */
const title = (standing) => t(`turn.${standing}`);

/** @param {{table: Table, turn: Turn, standing: import("./turn.js").Standing}} props */
function Waiting({ table, turn, standing }) {
  const now = table.live.value;
  if (!now || standing === "arriving") return null;
  if (standing === "waiting")
    return html`<p>${t("turn.waits_for", { name: namesOf(now.players, now.pending_seats) })}</p>`;
  if (standing === "over") return html`<${Result} now=${now} seat=${turn.seat} />`;
  return html`<p>${t(`turn.${standing}.more`)}</p>`;
}

/** @param {{now: import("./table.js").Position, seat: number}} props */
function Result({ now, seat }) {
  const total = now.scores.find((score) => score.seat === seat)?.total ?? 0;
  const points = t("result.points", { n: total });
  const rank = now.ranks[seat];
  if (now.ranks.length === 1 || !rank) return html`<p class="result">${points}</p>`;
  const shared = now.ranks.filter((each) => each === rank).length > 1;
  const place =
    rank === 1
      ? t(shared ? "result.shared" : "result.won")
      : t("result.place", { rank: String(rank), of: String(now.ranks.length) });
  return html`<p class="result"><strong>${place}</strong> ${points}</p>`;
}

/** What the house would not do, beside what was tried. @param {{turn: Turn}} props */
function Refused({ turn }) {
  const problem = turn.problem.value;
  if (!problem) return null;
  if (problem.passing)
    return html`<div class="notice bad" role="alert">
      <p>${t("turn.unanswered")}</p>
      ${turn.ready.value?.sent ? html`<button type="button" disabled=${turn.sending.value} onClick=${turn.resume}>${t("again")}</button>` : null}
    </div>`;
  return html`<div class="notice bad" role="alert">
    ${turn.tried.value ? html`<p>${t("turn.refused", { what: turn.tried.value })}</p>` : null}
    <p lang="en">${problem.detail}</p>
    ${turn.standing.value === "yours" ? html`<p>${t("turn.anew")}</p>` : null}
  </div>`;
}

/** @param {{table: Table, turn: Turn, place: import("@preact/signals").Signal<string>, isAway: boolean}} props */
function Question({ table, turn, place, isAway }) {
  const prompt = useRef(/** @type {HTMLParagraphElement | null} */ (null));
  const told = turn.menu.value;
  const steps = turn.steps.value;
  const disabled = isAway || turn.sending.value || Boolean(turn.ready.value?.sent);
  const depth = useRef(-1);
  const isFromList = useRef(false);
  const list = useRef(/** @type {HTMLDivElement | null} */ (null));
  useLayoutEffect(() => {
    // Who has answered goes on from the next question; a page that is new moves nobody, nor does a click on the board.
    if (depth.current >= 0 && told && steps.length !== depth.current && !isInUse())
      prompt.current?.focus({ preventScroll: !isFromList.current });
    isFromList.current = false;
    if (told) depth.current = steps.length;
  }, [told, steps]);
  useLayoutEffect(() => {
    const first = list.current?.querySelector(".choices button");
    if (place.value && first instanceof HTMLElement) first.focus();
  }, [place.value]);
  const pick = (/** @type {import("./turn.js").Choice} */ choice) => {
    isFromList.current = true;
    turn.pick(choice);
  };
  const confirm = async () => {
    await turn.confirm();
    if (!isInUse()) document.getElementById("turn-title")?.focus({ preventScroll: true });
  };
  const isFiltered = Boolean(place.value) && told?.choices.some((choice) => choice.place !== place.value);
  if (!told) return html`<p class="muted" role="status">${t(turn.sending.value ? "turn.sending" : "turn.asking")}</p>`;
  return html`
    ${steps.length ? html`<${Crumbs} turn=${turn} disabled=${disabled} />` : null}
    <p class=${told.command ? "prompt summary" : "prompt"} ref=${prompt} tabindex="-1">${told.prompt}</p>
    ${table.isLive.value ? null : html`<p class="muted">${t("turn.past")}</p>`}
    ${told.choices.length && told.command ? html`<p>${t("turn.or_add")}</p>` : null}
    ${isFiltered ? html`<p class="muted" role="status">${t("place.listed")}</p>` : null}
    <div ref=${list}>
      <${Choices} key=${steps.length} choices=${told.choices} pick=${pick} disabled=${disabled} place=${place.value}
        everywhere=${() => {
          place.value = "";
        }} />
    </div>
    ${
      told.command
        ? html`<div class="confirm">
          <button type="button" class="main" disabled=${disabled} onClick=${confirm}>${t(turn.sending.value ? "turn.sending" : "turn.confirm")}</button>
          <button type="button" disabled=${disabled} onClick=${turn.start}>${t("turn.change")}</button>
        </div>`
        : null
    }
  `;
}

/** Somebody types, or reads elsewhere: the focus stays where it is. */
const isInUse = () => Boolean(document.activeElement?.closest("input, select, textarea, dialog, [role=region]"));

/** @param {{turn: Turn, disabled: boolean}} props */
const Crumbs = ({ turn, disabled }) => html`
  <div class="crumbs">
    <ol aria-label=${t("turn.so_far")}>
      ${turn.steps.value.map(
        (step, at) =>
          html`<li key=${at}>${labelOf(step)}${step.taken ? html` <span class="muted">(${t("turn.taken")})</span>` : null}</li>`,
      )}
    </ol>
    <button type="button" disabled=${disabled} onClick=${turn.back}>${t("turn.back")}</button>
  </div>
`;
