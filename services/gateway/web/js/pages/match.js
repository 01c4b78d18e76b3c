// A match as a bystander sees it, live and at any revision.
import { address, get } from "../lib/api.js";
import { Board } from "../lib/board.js";
import { boot } from "../lib/boot.js";
import { Connection, Page } from "../lib/chrome.js";
import { html, show, signal } from "../lib/html.js";
import { follow } from "../lib/stream.js";

const match = String(boot.of.match);
const position = signal(/** @type {any} */ (null));
const facts = signal(/** @type {any[]} */ ([]));

get(`/api/matches/${match}/facts`, { language: boot.language }).then((told) => {
  facts.value = told.facts;
});
const stream = follow((after) => address(`/api/matches/${match}/stream`, { language: boot.language, after }), {
  position: (told) => {
    position.value = told;
  },
  reset: (told) => {
    position.value = told;
  },
  fact: (told) => {
    facts.value = [...facts.value, told];
  },
});

const Match = () => html`
  <${Page} wide>
    <h1>${match}</h1>
    <${Connection} of=${stream.connection} />
    ${position.value ? html`<${Board} svg=${position.value.svg} />` : null}
    <ol class="facts">${facts.value.map((fact) => html`<li key=${fact.revision}>${fact.words.join(" ")}</li>`)}</ol>
  <//>
`;
show(html`<${Match} />`);
