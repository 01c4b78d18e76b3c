// An event, to follow: where to sit, how everybody stands, the boards, and the files.
import { say } from "../lib/announcer.js";
import { Nowhere, Page } from "../lib/chrome.js";
import { effect, html, show } from "../lib/html.js";
import { Archive } from "../lib/tournament/archive.js";
import { Boards } from "../lib/tournament/boards.js";
import { Bracket, hasBracket } from "../lib/tournament/bracket.js";
import { lost, names, now } from "../lib/tournament/event.js";
import { Head, stateOf } from "../lib/tournament/head.js";
import { Me } from "../lib/tournament/me.js";
import { Pairings } from "../lib/tournament/pairings.js";
import { Rounds } from "../lib/tournament/rounds.js";
import { Standings } from "../lib/tournament/standings.js";
import { beginWith, place, TABS, way } from "../lib/tournament/tabs.js";
import { t } from "../lib/words.js";

const PARTS = {
  pairings: Pairings,
  standings: Standings,
  rounds: Rounds,
  bracket: Bracket,
  boards: Boards,
  archive: Archive,
};

/** Parts that use all the width there is. */
const WIDE = ["bracket", "boards"];

// The title says where one is and how it stands; a new round is told to those who listen, once.
let known = -1;
effect(() => {
  const event = now.value;
  if (!event) return;
  if (known < 0 && event.phase === "finished") beginWith("standings");
  document.title = `${t(`tab.${place.value.name}`)} · ${event.name} · ${stateOf(event)} · Tavolata`;
  if (known >= 0 && event.round > known) say(t("published", { round: String(event.round) }));
  known = event.round;
});

function Tournament() {
  if (lost.value) return html`<${Page}><${Nowhere} title=${t("no_event")} problem=${lost.value} /><//>`;
  const name = place.value.name;
  const Part = PARTS[/** @type {keyof typeof PARTS} */ (name)];
  const tabs = TABS.filter((each) => each !== "bracket" || name === each || hasBracket());
  return html`
    <${Page} wide>
      <${Head} />
      <${Me} names=${names.value} />
      <nav class="tabs no-print" aria-label=${t("tabs")}>
        ${tabs.map((each) => html`<a key=${each} href=${way(each)} aria-current=${each === name ? "true" : undefined}>${t(`tab.${each}`)}</a>`)}
      </nav>
      <section class="part" key=${name} data-narrow=${WIDE.includes(name) ? undefined : ""}><${Part} /></section>
    <//>
  `;
}
show(html`<${Tournament} />`);
