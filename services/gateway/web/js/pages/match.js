// A match as a bystander sees it, or its referee or caster, live and at any revision.
import { ZoomedBoard } from "../lib/board.js";
import { boot } from "../lib/boot.js";
import { Connection, Nowhere, Page, Trouble } from "../lib/chrome.js";
import { ClockState, runClocks } from "../lib/clocks.js";
import { Directing } from "../lib/directing.js";
import { EventLink } from "../lib/event_link.js";
import { Eyes, eyesAt } from "../lib/eyes.js";
import { Facts, tellNews } from "../lib/facts.js";
import { gameTitle, stateOf } from "../lib/headline.js";
import { effect, html, show } from "../lib/html.js";
import { Scores } from "../lib/scores.js";
import { Share } from "../lib/share.js";
import { Keys, Now, Stepper, saidAt } from "../lib/stepper.js";
import { tableOf } from "../lib/table.js";
import { keepInAddress, turnIn } from "../lib/turn_link.js";
import { t } from "../lib/words.js";

const match = String(boot.of.match);
const table = tableOf({ match, viewer: eyesAt(match), at: turnIn() ?? null });
keepInAddress(table);
runClocks(table);
tellNews(table);

effect(() => {
  const live = table.live.value;
  if (!live) {
    if (table.problem.value && !table.problem.value.passing) document.title = `${t("not_here")} · Tavolata`;
    return;
  }
  const state = table.isLive.value ? stateOf(live) : t("revision.of", { n: table.at.value, of: table.newest.value });
  document.title = `${gameTitle(live.game)}: ${state} · ${table.match} · Tavolata`;
});

/** What can be taken along once nothing more follows, and what can be checked. */
const Proofs = () => html`
  <p class="row proofs">
    <a href=${`/verify?match=${table.match}`}>${t("verify")}</a>
    <a href=${`/api/matches/${table.match}/export`} download>${t("export")}</a>
  </p>
`;

const Match = () => {
  const live = table.live.value;
  const shown = table.shown.value;
  const problem = table.problem.value;
  const broken = table.connection.value === "away" || table.connection.value === "connecting";
  if (!live) {
    if (problem && !problem.passing)
      return html`<${Eyes} table=${table} /><${Nowhere} title=${t("not_here")} problem=${problem} />`;
    return html`<h1>${table.match}</h1><${Eyes} table=${table} /><${Trouble} problem=${problem} /><p class="muted">${t("arriving")}</p>`;
  }
  return html`
    <div class="match-head">
      <h1>${gameTitle(live.game)} <span class="match-id">${table.match}</span></h1>
      ${broken ? html`<${Connection} of=${table.connection} />` : null}
      <p class="state">${shown ? stateOf(shown) : ""}</p>
      <${EventLink} match=${table.match} />
    </div>
    <${Eyes} table=${table} />
    <${Directing} table=${table} />
    <${Trouble} problem=${problem} />
    <div class="match">
      <div class="match-board">
        ${
          shown
            ? html`
              <${ClockState} position=${shown} />
              <${ZoomedBoard} svg=${shown.svg} revision=${shown.revision}><${Now} table=${table} /><//>
            `
            : html`<${Now} table=${table} /><p class="muted">${t("arriving")}</p>`
        }
        <p class="last-said">${shown ? saidAt(table, shown.revision) : ""}</p>
        <${Stepper} table=${table} />
        <div class="row tools"><${Share} table=${table} />${table.canStep.value ? html`<${Keys} />` : null}</div>
        ${live.complete ? html`<${Proofs} />` : null}
      </div>
      <div class="match-side"><${Facts} table=${table} /><${Scores} table=${table} /></div>
    </div>
  `;
};

show(html`<${Page} wide><${Match} /><//>`);
