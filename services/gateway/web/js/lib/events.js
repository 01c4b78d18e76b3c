// The events of the house as cards: those that are going on first, then the newest.
import { html, useSignal } from "./html.js";
import { complete, tournaments } from "./lobby.js";
import { t } from "./words.js";

/** @typedef {import("./lobby.js").Tournament} Tournament */

const SHOWN_MAX = 6;
const PHASES = ["running", "registration", "ready", "created", "finished"];

/** @param {Tournament} a @param {Tournament} b */
const before = (a, b) => PHASES.indexOf(a.phase) - PHASES.indexOf(b.phase) || b.created_at.localeCompare(a.created_at);

/** @param {{of: Tournament}} props */
const Card = ({ of }) => html`
  <li class="card event">
    <h3><a class="target" href=${`/t/${of.tournament}`}>${of.name}</a></h3>
    <p class="row">
      <span class=${of.phase === "running" ? "tag live" : "tag"}>${t(`phase.${of.phase}`)}</span>
      ${of.round ? html`<span>${t("round", { n: of.round })}${of.phase === "running" && of.round_phase ? ` · ${t(`round.${of.round_phase}`)}` : ""}</span>` : null}
      <span class="muted">${t("entrants", { n: of.entrants })}</span>
    </p>
  </li>
`;

export const Events = () => {
  const all = useSignal(false);
  const events = [...tournaments.value.values()].sort(before);
  return html`
    <section aria-labelledby="events">
      <h2 id="events">${t("events")}</h2>
      ${
        events.length || !complete.value
          ? html`<ul class="events">${(all.value ? events : events.slice(0, SHOWN_MAX)).map((event) => html`<${Card} key=${event.tournament} of=${event} />`)}</ul>`
          : html`<p class="muted">${t("events.none")} <a href="/organise">${t("events.make")}</a></p>`
      }
      ${
        events.length > SHOWN_MAX && !all.value
          ? html`<button type="button" onClick=${() => {
              all.value = true;
            }}>${t("events.all", { n: events.length })}</button>`
          : null
      }
    </section>
  `;
};
