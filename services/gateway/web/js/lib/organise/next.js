// What comes next: the one thing that the event waits for, as the one big button.
import { html } from "../html.js";
import { t } from "../words.js";
import { ask } from "./asking.js";
import { act, attempt, desk, draftRound, keepFocus } from "./desk.js";

/**
 * @typedef {{says: string, words?: string, act?: () => Promise<void> | void, href?: string, also?: {words: string, act: () => Promise<void> | void}}} Step
 */

/** @param {string} command @param {string} said @param {import("./desk.js").Undo} [undo] */
const plain = (command, said, undo) => () => act(command, {}, { said, undo });

const registration = {
  open: () =>
    act(
      "open_registration",
      {},
      {
        said: t("done.registration_open"),
        undo: { command: "close_registration", data: {}, said: t("done.registration_closed") },
      },
    ),
  close: () =>
    act(
      "close_registration",
      {},
      {
        said: t("done.registration_closed"),
        undo: { command: "open_registration", data: {}, said: t("done.registration_open") },
      },
    ),
};
export const checkIn = {
  open: () =>
    act(
      "open_check_in",
      {},
      {
        said: t("done.check_in_open"),
        undo: { command: "close_check_in", data: {}, said: t("done.check_in_closed") },
      },
    ),
  close: () =>
    act(
      "close_check_in",
      {},
      {
        said: t("done.check_in_closed"),
        undo: { command: "open_check_in", data: {}, said: t("done.check_in_open") },
      },
    ),
};

/** Who is in, and how many of them are here. */
function heads() {
  const inside = desk.value?.entrants.filter((each) => each.standing === "in") ?? [];
  return { entrants: inside.length, here: inside.filter((each) => each.present).length };
}

/**
 * @param {import("./desk.js").Desk} now
 * @returns {Step}
 */
function stepOf(now) {
  const { tournament, status, config } = now;
  const checks = config.registration.check_in;
  const { entrants, here } = heads();
  switch (status.waits_for) {
    case "open_registration":
      return { says: t("next.created"), words: t("do.open_registration"), act: registration.open };
    case "close_registration": {
      const says = checks ? t("next.registration_here", { entrants, here }) : t("next.registration", { n: entrants });
      const close = { words: t("do.close_registration"), act: registration.close };
      if (!entrants) return { says, words: t("do.enter_people"), href: "#people", also: close };
      if (checks && !tournament.check_in_open && !here)
        return { says, words: t("do.open_check_in"), act: checkIn.open, also: close };
      return { says, ...close };
    }
    case "draft":
      if (!tournament.round && checks && !here) {
        const open = tournament.check_in_open;
        return {
          says: t("next.nobody_here"),
          words: open ? t("do.check_in") : t("do.open_check_in"),
          ...(open ? { href: "#people" } : { act: checkIn.open }),
          also: { words: t("do.reopen_registration"), act: registration.open },
        };
      }
      return {
        says: tournament.round
          ? t("next.round_closed", { number: tournament.round })
          : t("next.ready", { n: checks ? here : entrants }),
        words: t("do.draft", { number: tournament.round + 1 }),
        act: () => draftRound().then(goToRound),
        also: tournament.round ? undefined : { words: t("do.reopen_registration"), act: registration.open },
      };
    case "publish":
      return {
        says: t("next.drafted", { number: tournament.round + 1 }),
        words: t("do.publish", { number: tournament.round + 1 }),
        act: plain("publish_round", t("done.published", { number: tournament.round + 1 })),
        also: { words: t("do.discard"), act: discard },
      };
    case "start":
      return {
        says: t("next.published", { number: tournament.round }),
        words: t("do.start", { number: tournament.round }),
        act: plain("start_round", t("done.started", { number: tournament.round })),
      };
    case "results": {
      const left = status.waiting + status.open;
      return { says: t("next.results", { n: left, number: tournament.round }), words: t("do.results"), href: "#round" };
    }
    case "referee":
      return { says: t("next.referee", { n: status.disputed }), words: t("do.referee"), href: "#round" };
    case "cut":
      return { says: t("next.cut", { stage: tournament.stage_name }), words: t("do.cut"), act: cut };
    case "finish":
      return { says: t("next.finish"), words: t("do.finish"), act: finish };
    case "":
      return { says: t("next.finished"), words: t("do.archive"), href: "#archive" };
    default:
      return { says: t("next.trouble"), words: t("do.look"), href: "#round" };
  }
}

const goToRound = () => {
  location.hash = "#round";
};

export const discard = () =>
  ask({
    title: t("ask.discard"),
    says: t("ask.discard_says"),
    confirm: t("do.discard"),
    danger: true,
    act: ({ reason }) => act("discard_draft", { reason }, { said: t("done.discarded") }),
  });

export const cut = () =>
  ask({
    title: t("do.cut"),
    says: t("ask.cut_says", { stage: desk.value?.tournament.stage_name ?? "" }),
    fields: [{ name: "tied", label: t("ask.tied"), hint: t("ask.tied_hint") }],
    confirm: t("do.cut"),
    act: ({ tied, reason }) =>
      act(
        "make_cut",
        { tied: entriesIn(tied), reason },
        { said: t("done.cut"), undo: { command: "revoke_cut", data: {}, said: t("done.cut_revoked") } },
      ),
  });

const finish = () =>
  ask({
    title: t("do.finish"),
    says: t("ask.finish_says"),
    confirm: t("do.finish"),
    act: ({ reason }) =>
      act(
        "finish",
        { reason },
        {
          said: t("done.finished"),
          undo: { command: "reopen", data: {}, said: t("done.reopened") },
        },
      ),
  });

/** @param {string} text numbers with anything between */
export const entriesIn = (text) => (text.match(/\d+/g) ?? []).map(Number);

/** On a phone what was asked for would be below the edge. */
const toTabs = () => requestAnimationFrame(() => document.querySelector(".tabs")?.scrollIntoView());

export function Next() {
  const now = desk.value;
  if (!now) return null;
  const step = stepOf(now);
  const { also } = step;
  return html`<section class="next" aria-labelledby="next">
    <div>
      <h2 id="next" tabindex="-1">${t("next.title")}</h2>
      <p>${step.says}</p>
      ${now.status.trouble ? html`<p class="trouble" lang="en">${now.status.trouble}</p>` : null}
    </div>
    <div class="row">
      ${
        step.href
          ? html`<a class="button main" href=${step.href} onClick=${toTabs}>${step.words}</a>`
          : html`<button type="button" class="main" onClick=${() => attempt(async () => step.act?.()).then(() => keepFocus("next"))}>${step.words}</button>`
      }
      ${also ? html`<button type="button" onClick=${() => attempt(async () => also.act()).then(() => keepFocus("next"))}>${also.words}</button>` : null}
    </div>
  </section>`;
}
