// Any round of the event with its results, to correct what was wrong.
import { gameNamed } from "../boot.js";
import { html } from "../html.js";
import { t } from "../words.js";
import { desk, showRound } from "./desk.js";
import { TableCard } from "./round.js";

export function Results() {
  const now = desk.value;
  if (!now?.tournament.round) return html`<h2>${t("tab.results")}</h2><p>${t("round.none")}</p>`;
  const rounds = Array.from({ length: now.tournament.round }, (_, index) => index + 1).reverse();
  const round = now.round;
  return html`
    <h2>${t("tab.results")}</h2>
    <p>${t("results.hint")}</p>
    <div class="field"><label for="which-round">${t("round")}</label>
      <select id="which-round" onChange=${(/** @type {any} */ chosen) => showRound(Number(chosen.currentTarget.value))}>
        ${rounds.map((each) => html`<option value=${each} selected=${each === round?.round}>${t("round_n", { number: each })}</option>`)}
      </select></div>
    ${
      round
        ? html`<h3>${t("round_n", { number: round.round })} · ${gameNamed(round.game)?.title ?? round.game} <span class="tag">${t(`phase.${round.phase}`)}</span></h3>
          <ul class="cards tables">${round.tables.map((table) => html`<${TableCard} key=${table.number} round=${round} table=${table} />`)}</ul>`
        : null
    }
  `;
}
