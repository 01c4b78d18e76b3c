// Files to take away, and how to check that the house has kept its promise.
import { html } from "../html.js";
import { t } from "../words.js";
import { api, event, full, now, useDocument } from "./event.js";

const FILES = ["export", "archive.json", "results.csv", "standings.csv"];

export function Archive() {
  const rounds = now.value?.round ?? 0;
  return html`
    <h2>${t("tab.archive")}</h2>
    <ul class="plain files">
      ${FILES.map((file) => html`<li key=${file}><a class="button" href="${api}/${file}" download>${t(`file.${file}`)}</a> <span>${t(`file.${file}.what`)}</span></li>`)}
    </ul>
    <p>${t("file.separator")} <a href="${api}/results.csv?separator=%3B" download>results.csv</a>, <a href="${api}/standings.csv?separator=%3B" download>standings.csv</a></p>
    <h3>${t("verify")}</h3>
    <p>${t("verify.how")}</p>
    <pre class="command"><code>tavolata tournament verify ${event}.jsonl</code></pre>
    <p>${t("verify.round")}</p>
    <pre class="command"><code>tavolata tournament verify-pairing ${event} ${rounds || 1}</code></pre>
    <h3>${t("seeds")}</h3>
    <p>${t("seeds.why")}</p>
    <dl class="pairs">
      <div><dt>${t("seeds.promise")}</dt><dd><code>${full.value?.commitment ?? "…"}</code></dd></div>
      ${Array.from({ length: rounds }, (_, index) => html`<${Seed} key=${index} number=${index + 1} />`)}
    </dl>
  `;
}

/** @param {{number: number}} props */
function Seed({ number }) {
  const { told } = useDocument(`${api}/rounds/${number}`);
  return html`<div><dt>${t("round_n", { n: number })}</dt><dd><code>${told?.seed ?? "…"}</code></dd></div>`;
}
