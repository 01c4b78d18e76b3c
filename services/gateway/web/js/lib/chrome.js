// The frame round every page: the name of the house, where one can go, the language, the theme.
import { Announcer } from "./announcer.js";
import { boot } from "./boot.js";
import { html, signal } from "./html.js";
import { Who } from "./session.js";
import { t, wordOr } from "./words.js";

const NAMES = { en: "English", it: "Italiano", fr: "Français", ko: "한국어" };
const THEMES = ["auto", "light", "dark"];
const YEAR_S = 31_536_000;

const theme = signal(document.documentElement.dataset.theme ?? "auto");

/**
 * @param {string} name
 * @param {string} value
 */
function keep(name, value) {
  // biome-ignore lint/suspicious/noDocumentCookie: the server reads it with the next page; the Cookie Store API is not everywhere
  document.cookie = `${name}=${value}; Path=/; Max-Age=${YEAR_S}; SameSite=Lax`;
}

/** @param {Event} event */
function chooseLanguage(event) {
  keep("language", /** @type {HTMLSelectElement} */ (event.currentTarget).value);
  const here = new URL(location.href);
  here.searchParams.delete("lang");
  if (here.href === location.href) location.reload();
  else location.replace(here);
}

/** @param {Event} event */
function chooseTheme(event) {
  theme.value = /** @type {HTMLSelectElement} */ (event.currentTarget).value;
  document.documentElement.dataset.theme = theme.value;
  keep("theme", theme.value);
}

/**
 * @param {{href: string, page: string, words: string}} props
 */
const Way = ({ href, page, words }) => html`
  <a href=${href} aria-current=${boot.page === page ? "page" : undefined}>${words}</a>
`;

/** @param {{children: any, wide?: boolean}} props */
export const Page = ({ children, wide = false }) => html`
  <header class="bar">
    <a class="brand" href="/"><img src="${document.querySelector("link[rel=icon]")?.getAttribute("href")}" alt="" width="28" height="28" /> Tavolata</a>
    <nav aria-label=${t("nav.label")}>
      <${Way} href="/" page="home" words=${t("nav.home")} />
      <${Way} href="/organise" page="organise" words=${t("nav.organise")} />
      <${Way} href="/verify" page="verify" words=${t("nav.verify")} />
    </nav>
    <${Who} />
    <div class="choosers">
      <label><span class="unseen">${t("language")}</span>
        <select onChange=${chooseLanguage}>
          ${boot.languages.map((each) => html`<option value=${each} selected=${each === boot.language} lang=${each}>${NAMES[/** @type {keyof typeof NAMES} */ (each)] ?? each}</option>`)}
        </select>
      </label>
      <label><span class="unseen">${t("theme")}</span>
        <select onChange=${chooseTheme}>
          ${THEMES.map((each) => html`<option value=${each} selected=${each === theme.peek()}>${t(`theme.${each}`)}</option>`)}
        </select>
      </label>
    </div>
  </header>
  <main id="page" tabindex="-1" class=${wide ? "wide" : ""}>${children}</main>
  <footer class="foot"><p>${t("foot")}</p></footer>
  <${Announcer} />
`;

/**
 * What went wrong, where it was tried.
 * @param {{problem: import("./api.js").Problem | null | undefined, again?: () => void}} props
 */
export const Trouble = ({ problem, again }) =>
  problem
    ? html`<div class="notice bad" role="alert">
        ${problem.status === 0 ? html`<p>${t("unreachable")}</p>` : html`<${Said} problem=${problem} />`}
        ${again ? html`<button type="button" onClick=${again}>${t("again")}</button>` : null}
      </div>`
    : null;

/**
 * In the language of the page what one can mend oneself; else as the house says it.
 * @param {{problem: import("./api.js").Problem}} props
 */
const Said = ({ problem }) => {
  const known = wordOr(`trouble.${problem.code}`, "");
  return known
    ? html`<p>${known}</p>${problem.status === 401 ? html`<p><a class="button" href="/enter">${t("who.in")}</a></p>` : null}`
    : html`<p lang="en">${problem.detail}</p>`;
};

/** @param {{of: import("@preact/signals").Signal<string>}} props */
export const Connection = ({ of }) => html`
  <p class="connection" data-state=${of.value} role="status">${t(`connection.${of.value}`)}</p>
`;

/** The way out of a page that has nothing to show. */
export const ToTables = () => html`<p><a class="button" href="/">${t("to_tables")}</a></p>`;

/**
 * Instead of a page that there is nothing for.
 * @param {{title: string, problem: import("./api.js").Problem | null}} props
 */
export const Nowhere = ({ title, problem }) => html`
  <h1>${title}</h1>
  <${Trouble} problem=${problem} />
  <${ToTables} />
`;
