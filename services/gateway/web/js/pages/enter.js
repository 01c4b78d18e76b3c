// The way in: keeps the token behind # as this browser's session, and goes where it leads. It leaves the address first.
import { get, Problem, post } from "../lib/api.js";
import { boot } from "../lib/boot.js";
import { Page, ToTables, Trouble } from "../lib/chrome.js";
import { html, show, signal } from "../lib/html.js";
import { t } from "../lib/words.js";

const brought = location.hash.slice(1);
history.replaceState(null, "", location.pathname + location.search);

const problem = signal(/** @type {Problem | null} */ (null));
const waiting = signal(Boolean(brought));

/** Whose table it is, the page of an event asks once in a browser; who has come with a link of theirs is known. */
async function remember(/** @type {{player: string, event: string}} */ session) {
  try {
    const { entrants } = await get(`/api/tournaments/${session.event}`);
    const mine = entrants.find((/** @type {any} */ each) => each.player === session.player);
    if (mine) localStorage.setItem(`me/${session.event}`, String(mine.entry));
  } catch {
    // A browser that keeps nothing, or an event that is not there: the page asks who one is.
  }
}

/** @param {string} token */
async function enter(token) {
  waiting.value = true;
  problem.value = null;
  try {
    const session = await post("/api/session", { token });
    if (session.kind === "player" && session.event !== "*") await remember(session);
    location.replace(session.goes_to);
  } catch (error) {
    problem.value = error instanceof Problem ? error : null;
    waiting.value = false;
  }
}

/** A link may be pasted whole. @param {SubmitEvent} event */
function submit(event) {
  event.preventDefault();
  const typed = String(new FormData(/** @type {HTMLFormElement} */ (event.currentTarget)).get("token") ?? "").trim();
  if (typed) enter(typed.slice(typed.indexOf("#") + 1));
}

const Enter = () => html`<${Page}>
  <h1>${t("title.enter")}</h1>
  ${
    !boot.session.asks
      ? html`<p>${t("enter.open")}</p><${ToTables} />`
      : waiting.value
        ? html`<p role="status">${t("enter.wait")}</p>`
        : html`
          <${Trouble} problem=${problem.value} />
          <p>${t("enter.about")}</p>
          <form class="card" onSubmit=${submit}>
            <div class="field"><label for="token">${t("enter.token")}</label>
              <textarea id="token" name="token" rows="4" required autocomplete="off" spellcheck="false"></textarea></div>
            <div class="row"><button class="main">${t("enter.go")}</button></div>
          </form>
          <${ToTables} />`
  }
<//>`;

if (brought && boot.session.asks) enter(brought);
show(html`<${Enter} />`);
