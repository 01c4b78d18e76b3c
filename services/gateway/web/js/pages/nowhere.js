// An address where no page is: says so, and leads back.
import { Page, ToTables } from "../lib/chrome.js";
import { html, show } from "../lib/html.js";
import { t } from "../lib/words.js";

show(html`
  <${Page}>
    <h1>${t("title.nowhere")}</h1>
    <p>${t("nowhere.about")}</p>
    <${ToTables} />
  <//>
`);
