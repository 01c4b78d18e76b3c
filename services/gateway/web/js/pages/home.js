// The house as one comes in: what is being played now, the events, where somebody plays, and a table of one's own.
import { Connection, Page } from "../lib/chrome.js";
import { Events } from "../lib/events.js";
import { FindPlayer } from "../lib/find.js";
import { effect, html, show } from "../lib/html.js";
import { complete, listen, running } from "../lib/lobby.js";
import { Practice } from "../lib/practice.js";
import { AllTables, Cards, Shown } from "../lib/tables.js";
import { t } from "../lib/words.js";

const lobby = listen();

effect(() => {
  document.title = complete.value ? `${t("live.count", { n: running.value })} · Tavolata` : "Tavolata";
});

const Home = () => html`
  <${Page} wide>
    <div class="row top">
      <h1>${t("home")}</h1>
      <${Connection} of=${lobby.connection} />
      ${complete.value ? html`<p class="muted">${t("live.count", { n: running.value })}</p>` : null}
      <a class="button" href="#practice">${t("practice.to")}</a>
    </div>
    <div class="front">
      <section aria-labelledby="live">
        <h2 id="live">${t("live.now")}</h2>
        <${Shown} />
      </section>
      <div>
        <${FindPlayer} />
        <${Events} />
      </div>
    </div>
    <${Cards} />
    <${Practice} />
    <${AllTables} />
  <//>
`;
show(html`<${Home} />`);
