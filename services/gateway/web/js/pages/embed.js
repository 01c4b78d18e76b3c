// A board for other pages to frame: the picture, what was said last, and a bar. It follows live, or stands at a turn.
import { Announcer } from "../lib/announcer.js";
import { Board } from "../lib/board.js";
import { boot } from "../lib/boot.js";
import { tellNews } from "../lib/facts.js";
import { gameTitle, stateOf } from "../lib/headline.js";
import { effect, html, show } from "../lib/html.js";
import { saidAt } from "../lib/stepper.js";
import { tableOf } from "../lib/table.js";
import { turnIn, turnLink } from "../lib/turn_link.js";
import { t } from "../lib/words.js";

const table = tableOf({ match: String(boot.of.match), at: turnIn() ?? null });
tellNews(table);

effect(() => {
  const shown = table.shown.value;
  if (shown) document.title = `${gameTitle(shown.game)}: ${stateOf(shown)} · Tavolata`;
});

const State = () => {
  const connection = table.connection.value;
  if (!table.isLive.value)
    return html`<span class="tag">${t("revision.of", { n: table.at.value, of: table.newest.value })}</span>`;
  if (table.live.value?.complete) return html`<span class="tag">${t("now.complete")}</span>`;
  if (connection === "live") return html`<span class="tag live">${t("now.live")}</span>`;
  return html`<span class="tag">${t(`connection.${connection}`)}</span>`;
};

const Embed = () => {
  const shown = table.shown.value;
  const problem = table.problem.value;
  const said = shown ? saidAt(table, shown.revision) || stateOf(shown) : "";
  const turn = table.isLive.value ? null : table.at.value;
  return html`
    <main class="embed" id="page" tabindex="-1">
      <h1 class="unseen">${shown ? `${gameTitle(shown.game)}: ${stateOf(shown)}` : table.match}</h1>
      ${shown ? html`<${Board} svg=${shown.svg} revision=${shown.revision} />` : null}
      <div class="embed-bar">
        <p class="embed-said" title=${said}>${problem ? html`<span lang="en">${problem.detail}</span>` : said}</p>
        <div class="embed-way">
          ${shown ? html`<${State} />` : null}
          <a href=${turnLink(`/m/${table.match}`, turn)} target="_blank" rel="noopener">${t("embed.open")}</a>
          ${turn === null ? null : html`<button type="button" onClick=${table.backToLive}>${t("past.live")}</button>`}
        </div>
      </div>
    </main>
    <${Announcer} />
  `;
};

show(html`<${Embed} />`);
