// What stays of the event: files to keep, how they are checked, and the end or another beginning.
import { html } from "../html.js";
import { t } from "../words.js";
import { ask } from "./asking.js";
import { act, desk, event, path } from "./desk.js";

const FILES = [
  ["export", "archive.log", `${event}.jsonl`],
  ["archive.json", "archive.document", `${event}.json`],
  ["standings.csv", "archive.standings", `${event}-standings.csv`],
  ["results.csv", "archive.results", `${event}-results.csv`],
];

const reopen = () =>
  ask({
    title: t("do.reopen"),
    says: t("ask.reopen_says"),
    confirm: t("do.reopen"),
    danger: true,
    act: ({ reason }) =>
      act(
        "reopen",
        { reason },
        {
          said: t("done.reopened"),
          undo: { command: "finish", data: {}, said: t("done.finished") },
        },
      ),
  });

export const Archive = () => html`
  <h2>${t("tab.archive")}</h2>
  <p>${t("archive.about")}</p>
  <ul class="plain files">${FILES.map(
    ([file, words, name]) =>
      html`<li><a class="button" href=${`${path}/${file}`} download=${name}>${name}</a> <span>${t(words)}</span></li>`,
  )}</ul>
  <h3>${t("archive.verify")}</h3>
  <p>${t("archive.verify_about")}</p>
  <div class="scroll" tabindex="0" role="region" aria-label=${t("archive.verify")}><pre>tavolata tournament verify ${event}.jsonl</pre></div>
  <p class="muted">${t("archive.commitment")} <code>${desk.value?.commitment}</code></p>
  ${desk.value?.tournament.phase === "finished" ? html`<h3>${t("archive.again")}</h3><button type="button" class="danger" onClick=${reopen}>${t("do.reopen")}</button>` : null}
`;
