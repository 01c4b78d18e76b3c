// Organise: the events of the house, or one of them from its creation to its archive.
import { Connection, Nowhere, Page, Trouble } from "../lib/chrome.js";
import { html, show, signal, useEffect } from "../lib/html.js";
import { Archive } from "../lib/organise/archive.js";
import { Asking } from "../lib/organise/asking.js";
import { desk, event, load, lost, path, round, showRound } from "../lib/organise/desk.js";
import { Home } from "../lib/organise/home.js";
import { Log } from "../lib/organise/log.js";
import { Me } from "../lib/organise/me.js";
import { Next } from "../lib/organise/next.js";
import { Outcome } from "../lib/organise/outcome.js";
import { People } from "../lib/organise/people.js";
import { Results } from "../lib/organise/results.js";
import { RoundNow } from "../lib/organise/round.js";
import { Settings } from "../lib/organise/settings.js";
import { Standings } from "../lib/organise/standings.js";
import { follow } from "../lib/stream.js";
import { t } from "../lib/words.js";

/** @type {Record<string, any>} */
const TABS = {
  people: People,
  round: RoundNow,
  results: Results,
  standings: Standings,
  log: Log,
  archive: Archive,
  settings: Settings,
};
const REFRESH_MS = 250;

const tab = signal(tabAsked());
const stream = event
  ? follow((after) => (after ? `${path}/stream?after=${after}` : `${path}/stream`), { tournament: moved })
  : null;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let soon;

function tabAsked() {
  const asked = location.hash.slice(1);
  return asked in TABS ? asked : "";
}

/** Many things at once are looked at once. @param {{revision: number}} told */
function moved(told) {
  if (told.revision <= (desk.value?.tournament.revision ?? -1)) return;
  clearTimeout(soon);
  soon = setTimeout(load, REFRESH_MS);
}

addEventListener("hashchange", () => {
  tab.value = tabAsked();
  // Only among the results is there an older round to be seen.
  if (tab.value !== "results" && round.value) showRound(0);
});

/** @param {import("../lib/organise/desk.js").Desk} now */
const usualTab = (now) =>
  now.tournament.round || now.draft ? (now.tournament.phase === "finished" ? "standings" : "round") : "people";

function Organise() {
  const now = desk.value;
  const nowhere = !now && lost.value && !lost.value.passing;
  const chosen = tab.value || (now ? usualTab(now) : "people");
  const Shown = TABS[chosen];
  const why = lost.value?.status === 404 ? t("no_event") : t("title.organise");
  const title = now ? `${now.tournament.name} · ${t(`tab.${chosen}`)}` : nowhere ? why : "";
  useEffect(() => {
    if (title) document.title = `${title} · Tavolata`;
  }, [title]);
  useEffect(() => {
    if (nowhere) stream?.close();
  }, [nowhere]);
  if (nowhere) {
    return html`<${Page}><p><a href="/organise">${t("home.title")}</a></p><${Nowhere} title=${why} problem=${lost.value} /><//>`;
  }
  return html`<${Page}>
    <p class="row head"><a href="/organise">${t("home.title")}</a> <${Me} /> <${Connection} of=${/** @type {any} */ (stream).connection} /></p>
    <h1>${now?.tournament.name ?? event}</h1>
    ${
      now
        ? html`<p class="row"><span class=${now.tournament.phase === "running" ? "tag live" : "tag"}>${t(`event.${now.tournament.phase}`)}</span>
      <span>${t("home.entrants", { n: now.tournament.entrants })}</span>
      ${now.tournament.round ? html`<span>${now.tournament.stage_name} · ${t("round_n", { number: now.tournament.round })}</span>` : null}</p>`
        : null
    }
    <${Trouble} problem=${lost.value} again=${load} />
    <${Next} />
    <${Outcome} />
    <nav class="tabs" aria-label=${t("tabs")}>${Object.keys(TABS).map((each) => html`<a href=${`#${each}`} aria-current=${each === chosen ? "page" : undefined}>${t(`tab.${each}`)}</a>`)}</nav>
    ${now ? html`<${Shown} />` : null}
    <${Asking} />
  <//>`;
}

if (event) load();
show(event ? html`<${Organise} />` : html`<${Home} />`);
