// The page "tournament".
import { Page } from "../lib/chrome.js";
import { html, show } from "../lib/html.js";

show(html`<${Page}><h1>Tavolata</h1><//>`);
