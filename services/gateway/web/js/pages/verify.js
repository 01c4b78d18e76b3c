// An exported match, checked before one's eyes. Chain, promise and draws are checked in this browser, which asks nobody;
// only to decide every command again it asks a house, since that takes the rules of the game.

import { say } from "../lib/announcer.js";
import { newKey, Problem } from "../lib/api.js";
import { gameNamed } from "../lib/boot.js";
import { Page, Trouble } from "../lib/chrome.js";
import { html, show, signal } from "../lib/html.js";
import { Broken, checkChain, checkDraws, checkPromise, drawsIn, linesOf } from "../lib/verify/export.js";
import { t } from "../lib/words.js";

/**
 * @typedef {"waiting" | "checking" | "holds" | "fails"} State
 * @typedef {{key: string, state: State, done: number, of: number, broken?: {line: number, sentence: string, foreign?: boolean}}} Check
 */

const CHECKS = ["chain", "promise", "draws", "decisions"];
const DRAWS_SHOWN = 500;

const name = signal("");
const checks = signal(/** @type {Check[]} */ ([]));
const draws = signal(/** @type {import("../lib/verify/export.js").Drawn[]} */ ([]));
const verdict = signal(/** @type {any} */ (null));
const problem = signal(/** @type {Problem | null} */ (null));
const over = signal(false);
let run = 0;

/**
 * @param {string} key
 * @param {Partial<Check>} change
 */
function set(key, change) {
  checks.value = checks.value.map((check) => (check.key === key ? { ...check, ...change } : check));
}

/**
 * One check from its beginning to its end.
 * @param {string} key
 * @param {number} of
 * @param {(told: (done: number, of?: number) => void) => Promise<any>} work
 */
async function check(key, of, work) {
  const mine = run;
  set(key, { state: "checking", of });
  let shown = 0;
  try {
    const found = await work((done, all = of) => {
      if (mine !== run) throw new Error("another file has been chosen");
      const now = performance.now();
      if (now - shown > 50 || done === all) {
        shown = now;
        set(key, { done, of: all });
      }
    });
    set(key, { state: "holds" });
    return found;
  } catch (error) {
    if (error instanceof Broken)
      set(key, { state: "fails", broken: { line: error.line, sentence: t(`verify.${error.key}`) } });
    throw error;
  }
}

/**
 * @param {string} title
 * @param {Uint8Array} bytes
 */
async function verify(title, bytes) {
  run += 1;
  const mine = run;
  name.value = title;
  problem.value = null;
  verdict.value = null;
  draws.value = [];
  checks.value = CHECKS.map((key) => ({ key, state: "waiting", done: 0, of: 0 }));
  document.title = `${t("title.verify")}: ${title} · Tavolata`;
  say(t("verify.checking", { name: title }));
  try {
    const lines = await check("chain", 0, async (told) => {
      const found = linesOf(bytes);
      await checkChain(found, (done) => told(done, found.length));
      return found;
    });
    const { key } = await check("promise", 1, async (told) => {
      const kept = await checkPromise(lines);
      told(1);
      return kept;
    });
    const all = drawsIn(lines).length;
    await check("draws", all, (told) =>
      checkDraws(lines, key, (drawn) => {
        draws.value = [...draws.value, drawn];
        told(draws.value.length);
      }),
    );
    const report = await check("decisions", lines.length, (told) => decide(bytes, told));
    verdict.value = { holds: true, ...report };
    say(t("verify.verdict.holds", { name: report.match }));
  } catch (error) {
    if (mine !== run) return;
    if (error instanceof Problem) problem.value = error;
    else if (error instanceof Broken || error instanceof Undecided) {
      verdict.value = { holds: false };
      say(t("verify.verdict.fails"), { interrupt: true });
    } else throw error;
  }
}

/** The house's rules do not decide as the file says. */
class Undecided extends Error {}

/**
 * Sends the file to the house, which decides every command again.
 * @param {Uint8Array} bytes
 * @param {(done: number, of?: number) => void} told
 */
async function decide(bytes, told) {
  const headers = { "Content-Type": "application/x-ndjson", "Idempotency-Key": newKey() };
  const response = await fetch("/api/verify", { method: "POST", headers, body: new Uint8Array(bytes) }).catch(
    () => null,
  );
  if (!response) throw new Problem({ status: 0, code: "unreachable", detail: "" });
  if (!response.ok || !response.body)
    throw new Problem({ status: response.status, code: "", detail: "", ...(await response.json()) });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read().catch(() => ({ value: "", done: true }));
    if (done) throw new Problem({ status: 0, code: "unreachable", detail: "" });
    const lines = (rest + value).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines.filter(Boolean)) {
      const news = JSON.parse(line);
      if (news.event === "held") told(news.line, news.of);
      else if (news.event === "holds") return news;
      else if (news.event === "problem") throw new Problem({ status: 500, ...news });
      else {
        set("decisions", { state: "fails", broken: { line: news.line, sentence: news.detail, foreign: true } });
        throw new Undecided();
      }
    }
  }
}

/** @param {string} match */
async function fetchMatch(match) {
  try {
    const response = await fetch(`/api/matches/${encodeURIComponent(match)}/export`);
    if (!response.ok)
      throw new Problem({ status: response.status, code: "", detail: response.statusText, ...(await response.json()) });
    await verify(match, new Uint8Array(await response.arrayBuffer()));
  } catch (error) {
    problem.value = error instanceof Problem ? error : new Problem({ status: 0, code: "unreachable", detail: "" });
  }
}

/** @param {FileList | null | undefined} files */
async function take(files) {
  const file = files?.[0];
  if (file) await verify(file.name, new Uint8Array(await file.arrayBuffer()));
}

/** @param {{check: Check}} props */
const CheckRow = ({ check: { key, state, done, of, broken } }) => html`
  <li class="check" data-state=${state}>
    <h3>${t(`verify.check.${key}`)}</h3>
    <p class="muted">${t(`verify.check.${key}.about`)}</p>
    <progress max=${of || 1} value=${state === "holds" ? of || 1 : done} aria-label=${t(`verify.check.${key}`)}></progress>
    <p class="state">${t(`verify.state.${state}`)}${of ? html` · <span class="count">${t("verify.count", { done, of })}</span>` : null}</p>
    ${broken ? html`<p class="broken"><strong>${t("verify.line", { line: broken.line })}</strong> <span lang=${broken.foreign ? "en" : undefined}>${broken.sentence}</span></p>` : null}
  </li>
`;

/** @param {import("../lib/verify/luck.js").Spec} spec */
const asked = (spec) =>
  spec.roll
    ? t("verify.asked.roll", { n: spec.roll.count, sides: spec.roll.sides })
    : t("verify.asked.draw", { n: spec.draw?.count ?? 0, of: spec.draw?.cards.length ?? 0 });

const Draws = () =>
  draws.value.length
    ? html`<details class="card">
        <summary>${t("verify.draws.list", { n: draws.value.length })}</summary>
        <div class="scroll" tabindex="0" role="region" aria-label=${t("verify.check.draws")}>
          <table>
            <thead><tr><th class="n">${t("verify.draws.line")}</th><th>${t("verify.draws.id")}</th><th>${t("verify.draws.asked")}</th><th>${t("verify.draws.outcome")}</th><th>${t("verify.draws.again")}</th></tr></thead>
            <tbody>
              ${draws.value
                .slice(0, DRAWS_SHOWN)
                .map(
                  (each) =>
                    html`<tr key=${each.number}><td class="n">${each.number}</td><td>${each.id}</td><td>${asked(each.spec)}</td><td>${each.told.join(" ")}</td><td>${t(each.holds ? "verify.state.holds" : "verify.state.fails")}</td></tr>`,
                )}
            </tbody>
          </table>
        </div>
        ${draws.value.length > DRAWS_SHOWN ? html`<p>${t("verify.draws.more", { n: draws.value.length - DRAWS_SHOWN })}</p>` : null}
      </details>`
    : null;

const Verdict = () => {
  const found = verdict.value;
  if (!found) return null;
  if (!found.holds)
    return html`<div class="notice bad verdict"><h2>${t("verify.verdict.fails")}</h2><p>${t("verify.verdict.fails.about")}</p></div>`;
  return html`<div class="notice verdict good">
    <h2>${t("verify.verdict.holds", { name: found.match })}</h2>
    <p>${t("verify.verdict.about", { game: gameNamed(found.game)?.title ?? found.game, seats: found.seats, commits: found.commits, draws: found.draws, decisions: found.decisions })}</p>
    <p>${t("verify.verdict.root")} <code>${found.root}</code></p>
    ${found.deal ? html`<p>${t("verify.verdict.deal", { group: found.deal.group, tables: found.deal.tables })}</p>` : null}
  </div>`;
};

/** @param {DragEvent} event */
function drop(event) {
  event.preventDefault();
  over.value = false;
  take(event.dataTransfer?.files);
}

const Verify = () => html`
  <${Page}>
    <h1>${t("title.verify")}</h1>
    <p>${t("verify.about")}</p>
    <div class="drop card" data-over=${over.value}
      onDragOver=${(/** @type {DragEvent} */ event) => {
        event.preventDefault();
        over.value = true;
      }}
      onDragLeave=${() => {
        over.value = false;
      }}
      onDrop=${drop}>
      <label class="field" for="file"><span>${t("verify.choose")}</span></label>
      <input type="file" id="file" accept=".jsonl,.ndjson,application/x-ndjson"
        onChange=${(/** @type {any} */ event) => take(event.currentTarget.files)} />
      <p class="muted">${t("verify.drop")}</p>
      <form class="row" onSubmit=${(/** @type {any} */ event) => {
        event.preventDefault();
        const match = event.currentTarget.elements.match.value.trim();
        if (match) fetchMatch(match);
      }}>
        <label class="field"><span>${t("verify.name")}</span>
          <input name="match" required pattern="[A-Za-z0-9_\\-]{1,64}" autocomplete="off" spellcheck=${false} defaultValue=${String(new URLSearchParams(location.search).get("match") ?? "")} /></label>
        <button class="main">${t("verify.verify")}</button>
      </form>
    </div>
    <${Trouble} problem=${problem.value} />
    ${checks.value.length ? html`<h2>${t("verify.checks", { name: name.value })}</h2><ol class="checks">${checks.value.map((each) => html`<${CheckRow} key=${each.key} check=${each} />`)}</ol>` : null}
    <${Verdict} />
    <${Draws} />
    <p class="muted">${t("verify.yourself")} <code>tavolata verify FILE</code></p>
  <//>
`;

show(html`<${Verify} />`);
const named = new URLSearchParams(location.search).get("match");
if (named) fetchMatch(named);
