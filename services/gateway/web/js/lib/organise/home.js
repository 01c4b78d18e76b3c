// All events of the house, and the way to a new one.
import { get, Problem } from "../api.js";
import { Page, Trouble } from "../chrome.js";
import { html, signal } from "../html.js";
import { moment, t } from "../words.js";
import { Asking } from "./asking.js";
import { keepFocus } from "./desk.js";
import { Me } from "./me.js";
import { NewEvent } from "./new_event.js";

const events = signal(/** @type {any[] | null} */ (null));
const problem = signal(/** @type {Problem | null} */ (null));
const making = signal(location.hash === "#new");

async function load() {
  try {
    events.value = (await get("/api/tournaments")).tournaments;
    problem.value = null;
  } catch (error) {
    problem.value = error instanceof Problem ? error : null;
  }
}

export function Home() {
  return html`<${Page}>
    <h1>${t("home.title")}</h1>
    <${Me} hint />
    <${Trouble} problem=${problem.value} again=${load} />
    ${
      making.value
        ? html`<${NewEvent} close=${() => {
            making.value = false;
            keepFocus("new-event");
          }} />`
        : html`<p><button type="button" class="main" id="new-event" onClick=${() => {
            making.value = true;
            keepFocus("new-title");
          }}>${t("home.new")}</button></p>`
    }
    <h2>${t("home.events")}</h2>
    ${
      events.value?.length === 0
        ? html`<p>${t("home.none")}</p>`
        : html`<ul class="cards">${events.value?.map(
            (each) => html`<li class="card" key=${each.tournament_id}>
          <h3><a href=${`/organise/${each.tournament_id}`}>${each.name}</a></h3>
          <p><span class=${each.phase === "running" ? "tag live" : "tag"}>${t(`event.${each.phase}`)}</span> ${t("home.entrants", { n: each.entrants })}${each.round ? html` · ${t("round_n", { number: each.round })}` : null}</p>
          <p class="muted">${t("home.created", { when: moment(each.created_at) })}</p></li>`,
          )}</ul>`
    }
    <${Asking} />
  <//>`;
}

load();
