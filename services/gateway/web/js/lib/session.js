// Who one is here, in a house that asks: said in the frame of every page, with the way out.
import { get, post } from "./api.js";
import { boot } from "./boot.js";
import { html, signal } from "./html.js";
import { t } from "./words.js";

export const session = signal(boot.session);

// Whoever follows a link from elsewhere brings no cookie with the page itself, but with all that it asks for.
if (boot.session.asks && !boot.session.kind) {
  get("/api/session")
    .then((told) => {
      session.value = told;
    })
    .catch(() => {});
}

async function signOut() {
  await post("/api/session", {}, { method: "DELETE" }).catch(() => {});
  location.reload();
}

/** An open house asks nobody, and says nothing. */
export const Who = () =>
  boot.session.asks
    ? html`<div class="who">${
        session.value.kind
          ? html`<span>${t(`who.${session.value.kind}`)}</span> <button type="button" onClick=${signOut}>${t("who.out")}</button>`
          : html`<a href="/enter">${t("who.in")}</a>`
      }</div>`
    : null;
