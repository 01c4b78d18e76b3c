// Every round: its game, how well it is paired, who had no table.
import { gameNamed } from "../boot.js";
import { html } from "../html.js";
import { t } from "../words.js";
import { api, event, now, useDocument } from "./event.js";
import { figure } from "./figures.js";
import { People } from "./pairings.js";
import { way } from "./tabs.js";

export const Rounds = () => html`
  <h2>${t("tab.rounds")}</h2>
  ${now.value && !now.value.round ? html`<p>${t("no_round")}</p>` : null}
  <ol class="rounds">
    ${Array.from({ length: now.value?.round ?? 0 }, (_, index) => html`<${Round} key=${index} number=${(now.value?.round ?? 0) - index} />`)}
  </ol>
`;

/** @param {{number: number}} props */
function Round({ number }) {
  const { told } = useDocument(`${api}/rounds/${number}`);
  return html`
    <li class="card">
      <h3>${t("round_n", { n: number })}${told ? html` <span class="muted">${gameNamed(told.game)?.title ?? told.game}</span> <span class="tag ${told.phase === "running" ? "live" : ""}">${t(`state.${told.phase}`)}</span>` : null}</h3>
      ${
        told
          ? html`
        <p>${t("tables", { n: told.tables.length })} ${told.quality ? quality(told.quality) : null}</p>
        <${People} words="byes" people=${told.byes} />
        <${People} words="absent" people=${told.absent} />
        <p class="row">
          <a class="button" href=${way("pairings", number)}>${t("tab.pairings")}<span class="unseen"> ${t("round_n", { n: number })}</span></a>
          ${told.phase === "closed" ? html`<a class="button" href=${way("standings", 0, number)}>${t("standings.after", { n: number })}</a>` : null}
          <a class="button" href="/t/${event}/print/${number}">${t("print")}<span class="unseen"> ${t("round_n", { n: number })}</span></a>
        </p>`
          : html`<p class="muted">${t("loading")}</p>`
      }
    </li>
  `;
}

/** How good a pairing is, in sentences. @param {any} told */
function quality(told) {
  const parts = [repeats(told.repeats, told.repeats_bound), spread(figure(told.spread), figure(told.spread_bound))];
  if (told.broken) parts.push(t("quality.broken", { n: told.broken }));
  if (told.misplaced) parts.push(t("quality.misplaced", { n: told.misplaced }));
  return parts.join(" ");
}

/**
 * @param {number} n
 * @param {number} least what counting alone makes certain
 */
function repeats(n, least) {
  if (!n) return t("quality.no_repeats");
  return least ? t("quality.repeats", { n, least }) : t("quality.repeats_only", { n });
}

/**
 * @param {string} sum
 * @param {string} bound what it would be if nobody minded meeting again
 */
function spread(sum, bound) {
  if (sum === "0") return t("quality.even");
  return sum === bound ? t("quality.spread_least", { spread: sum }) : t("quality.spread", { spread: sum, bound });
}
