// The draft of a round: how good it is, and two who change places when one has been chosen and then the other.
import { html, signal, useEffect } from "../html.js";
import { figure } from "../tournament/figures.js";
import { t } from "../words.js";
import { ask } from "./asking.js";
import { act, attempt, desk, draftRound, nameOf, outcome } from "./desk.js";

const chosen = signal(0);
/** How good the draft was before the last change of places. */
const before = signal(/** @type {import("./desk.js").Quality | null} */ (null));

/** @param {number} entry */
function choose(entry) {
  if (!chosen.value) chosen.value = entry;
  else if (chosen.value === entry) chosen.value = 0;
  else swap([chosen.value, entry]);
}

/** @param {number[]} entries */
function swap(entries) {
  const was = desk.value?.draft?.quality ?? null;
  const [one, other] = entries.map(nameOf);
  chosen.value = 0;
  return attempt(async () => {
    const said = t("done.swapped", { one, other });
    await act(
      "swap_in_draft",
      { entries },
      { said, undo: { command: "swap_in_draft", data: { entries }, said: t("done.swapped_back", { one, other }) } },
    );
    before.value = was;
    /** @type {HTMLElement | null} */ (document.querySelector(`[data-entry="${entries[1]}"]`))?.focus();
  });
}

const again = () =>
  ask({
    title: t("ask.again"),
    says: t("ask.again_says"),
    confirm: t("do.draft_again"),
    act: async ({ reason }) => {
      await act("discard_draft", { reason }, { said: t("done.discarded") });
      before.value = null;
      await draftRound(reason);
    },
  });

export function Draft() {
  const draft = desk.value?.draft;
  useEffect(() => {
    const forget = (/** @type {KeyboardEvent} */ pressed) => {
      if (pressed.key === "Escape") chosen.value = 0;
    };
    document.addEventListener("keydown", forget);
    return () => document.removeEventListener("keydown", forget);
  }, []);
  if (!draft) return null;
  return html`<section aria-labelledby="draft-title">
    <h2 id="draft-title">${t("draft.title", { number: draft.round })} <span class="tag">${t("draft.not_public")}</span></h2>
    <${Figures} quality=${draft.quality} before=${outcome.value?.undo?.command === "swap_in_draft" ? before.value : null} />
    <p>${chosen.value ? t("draft.choose_other", { name: nameOf(chosen.value) }) : t("draft.hint")}</p>
    <ul class="cards tables">${draft.tables.map(
      (table) => html`<li class="card" key=${table.number}><h3>${t("table_n", { number: table.number })}</h3>
        <ul class="seats">${table.places.map((place) => html`<li key=${place.entry}><${Seat} entry=${place.entry} /></li>`)}</ul></li>`,
    )}
    ${
      draft.byes.length
        ? html`<li class="card"><h3>${t("draft.byes")}</h3>
          <ul class="seats">${draft.byes.map((each) => html`<li key=${each.entry}><${Seat} entry=${each.entry} /></li>`)}</ul></li>`
        : null
    }</ul>
    <div class="row">
      <button type="button" onClick=${again}>${t("do.draft_again")}</button>
    </div>
    <p class="muted">${t("draft.seeds")}</p>
  </section>`;
}

/** @param {{entry: number}} props */
const Seat = ({ entry }) =>
  html`<button type="button" class="seat" data-entry=${entry} aria-pressed=${chosen.value === entry ? "true" : "false"} onClick=${() => choose(entry)}>${nameOf(entry)}</button>`;

/**
 * @param {{quality: import("./desk.js").Quality, before?: import("./desk.js").Quality | null}} props
 */
export function Figures({ quality, before: was }) {
  /** @type {[keyof import("./desk.js").Quality, string][]} */
  const figures = [
    ["repeats", t("quality.repeats", { bound: quality.repeats_bound })],
    ["spread", t("quality.spread", { bound: figure(quality.spread_bound) })],
  ];
  if (quality.broken || was?.broken) figures.push(["broken", t("quality.broken")]);
  if (quality.misplaced || was?.misplaced) figures.push(["misplaced", t("quality.misplaced")]);
  return html`<dl class="figures">${figures.map(
    ([key, words]) => html`<div class=${was && was[key] !== quality[key] ? "changed" : ""}>
      <dt>${words}</dt>
      <dd>${was && was[key] !== quality[key] ? html`<span class="muted">${figure(String(was[key]))} →</span> ` : null}<strong>${figure(String(quality[key]))}</strong></dd></div>`,
  )}</dl>`;
}
