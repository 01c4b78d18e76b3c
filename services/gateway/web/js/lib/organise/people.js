// The people of the event: who is in, who is here, and what can be done about each.
import { html, useSignal } from "../html.js";
import { t } from "../words.js";
import { attempt, desk, nameOf } from "./desk.js";
import { Entering } from "./entering.js";
import { Links } from "./links.js";
import { checkIn as window_ } from "./next.js";
import * as act from "./people_actions.js";

const PAGE = 60;
/** @type {Record<string, (one: any, other: any) => number>} */
const ORDERS = {
  entry: (one, other) => one.entry - other.entry,
  name: (one, other) => (one.name || one.player).localeCompare(other.name || other.player),
  absent: (one, other) => Number(one.present) - Number(other.present) || one.entry - other.entry,
};

export function People() {
  const now = desk.value;
  const sought = useSignal("");
  const order = useSignal("entry");
  const shown = useSignal(PAGE);
  /** Open at first where nobody has entered; then as its reader leaves it. */
  const beginning = useSignal(desk.value?.entrants.length === 0);
  if (!now) return null;
  const checks = now.config.registration.check_in;
  const text = sought.value.toLowerCase();
  const found = now.entrants
    .filter((each) => !text || `${each.name} ${each.player} ${each.entry}`.toLowerCase().includes(text))
    .sort(ORDERS[order.value]);
  const waiting = found.filter((each) => each.standing === "waiting");
  const others = found.filter((each) => each.standing !== "waiting");
  const inside = now.entrants.filter((each) => each.standing === "in");
  const here = inside.filter((each) => each.present).length;
  const open = now.tournament.phase !== "finished";
  return html`
    <h2>${t("tab.people")}</h2>
    ${
      checks
        ? html`<div class="row">
          <p class="count"><strong>${t("people.here", { n: here })}</strong> ${t("people.of", { n: inside.length })}</p>
          ${open && now.tournament.phase !== "created" ? html`<${CheckInWindow} open=${now.tournament.check_in_open} />` : null}
        </div>`
        : html`<p class="count"><strong>${t("people.in", { n: inside.length })}</strong></p>`
    }
    ${now.tournament.phase !== "created" && open ? html`<details class="more" open=${beginning.value}><summary>${t("people.enter")}</summary><${Entering} /></details>` : null}
    ${
      now.entrants.length
        ? html`<div class="row finding">
          <div class="field"><label for="find">${t("people.find")}</label>
            <input id="find" type="search" value=${sought.value} autocomplete="off" onInput=${(
              /** @type {any} */ typed,
            ) => {
              sought.value = typed.currentTarget.value;
            }} /></div>
          <div class="field"><label for="order">${t("people.order")}</label>
            <select id="order" onChange=${(/** @type {any} */ chosen) => {
              order.value = chosen.currentTarget.value;
            }}>
              ${["entry", "name", ...(checks ? ["absent"] : [])].map((each) => html`<option value=${each}>${t(`order.${each}`)}</option>`)}
            </select></div>
        </div>
        <ul class="people">${others.slice(0, shown.value).map((each) => html`<${Person} key=${each.entry} who=${each} checks=${checks && open} />`)}</ul>
        ${
          others.length > shown.value
            ? html`<button type="button" onClick=${() => {
                shown.value += PAGE;
              }}>${t("more", { n: others.length - shown.value })}</button>`
            : null
        }`
        : html`<p>${t("people.nobody")}</p>`
    }
    ${waiting.length ? html`<h3>${t("people.waiting", { n: waiting.length })}</h3><ul class="people">${waiting.map((each) => html`<${Person} key=${each.entry} who=${each} checks=${false} />`)}</ul>` : null}
    ${inside.length ? html`<${Links} />` : null}
    <${Wishes} />
    <${Penalties} />
  `;
}

/** @param {{open: boolean}} props */
const CheckInWindow = ({ open }) => html`
  <button type="button" onClick=${() => attempt(open ? window_.close : window_.open)}>
    ${open ? t("do.close_check_in") : t("do.open_check_in")}</button>
  ${open || desk.value?.tournament.phase === "running" ? html`<button type="button" onClick=${() => attempt(act.checkInAll)}>${t("do.check_in_all")}</button>` : null}
`;

/** @param {{who: import("./desk.js").Entrant, checks: boolean}} props */
function Person({ who, checks }) {
  const { standing, present } = who;
  const inside = standing === "in";
  return html`<li class="person" data-here=${checks && inside && present ? "yes" : undefined}>
    <span class="entry">${who.entry}</span>
    <span class="name">${who.name || who.player}
      ${inside ? null : html` <span class="tag">${t(`standing.${standing}`)}</span>`}
      ${who.ranked ? null : html` <span class="tag">${t("people.unranked")}</span>`}
      ${who.seed ? html` <span class="tag">${t("people.seed", { number: who.seed })}</span>` : null}
      ${who.fixed_table ? html` <span class="tag">${t("people.table", { number: who.fixed_table })}</span>` : null}
    </span>
    ${
      inside && checks
        ? html`<button type="button" class="toggle" aria-pressed=${present ? "true" : "false"} aria-label=${t("people.here_label", { name: nameOf(who.entry) })} onClick=${() => attempt(() => act.checkIn(who, !present))}>${present ? t("people.is_here") : t("people.not_here")}</button>`
        : null
    }
    <${Menu} who=${who} />
  </li>`;
}

/** @param {{who: import("./desk.js").Entrant}} props */
function Menu({ who }) {
  const now = desk.value;
  if (!now) return null;
  const begun = now.tournament.round > 0;
  const heats = now.config.stages[now.tournament.stage].format === "heats";
  const inside = who.standing === "in";
  /** @type {[boolean, string, (who: import("./desk.js").Entrant) => void, boolean?][]} */
  const ways = [
    [who.standing === "waiting", "admit", act.admit],
    [!begun && (inside || who.standing === "waiting"), "withdraw", act.withdraw],
    [begun && who.standing === "waiting", "withdraw", act.withdraw],
    [begun && inside, "drop", act.drop],
    [who.standing === "dropped", "return", act.comeBack],
    [inside, "fix_table", act.fixTable],
    [inside && heats, "enter_heats", act.enterHeats],
    [inside, "penalise", act.penalise],
    [now.tournament.stage > 0 && inside, "decline_place", act.decline],
    [!who.player.startsWith("bot:"), "erase", act.erase],
  ];
  return html`<details class="menu"><summary aria-label=${t("menu", { name: nameOf(who.entry) })}>${t("menu_short")}</summary>
    <div class="row">${ways.filter(([may]) => may).map(([, name, doing]) => html`<button type="button" onClick=${() => doing(who)}>${t(`do.${name}`)}</button>`)}</div>
  </details>`;
}

const Wishes = () => html`<details class="more"><summary>${t("people.wishes")}</summary>
  <div class="row">
    <button type="button" onClick=${act.setSeeds}>${t("do.set_seeds")}</button>
    <button type="button" onClick=${act.keepApart}>${t("do.keep_apart")}</button>
  </div>
  <ul class="plain">${desk.value?.apart.map(
    (pair) => html`<li>${pair.entries.map(nameOf).join(" – ")}
      <span class="muted">${pair.points ? t("apart.worth", { n: pair.points }) : t("apart.always")} ${pair.last ? t("apart.rounds", { first: pair.first, last: pair.last }) : t("apart.from", { first: pair.first })}</span>
      <button type="button" onClick=${() => attempt(() => act.letMeet(pair))}>${t("do.let_meet")}</button></li>`,
  )}</ul>
</details>`;

const Penalties = () =>
  desk.value?.penalties.length
    ? html`<h3>${t("people.penalties")}</h3>
      <ul class="plain">${desk.value.penalties.map(
        (
          each,
        ) => html`<li>${each.number}. ${nameOf(each.entry)}: ${t(`penalty.${each.kind}`)}${each.kind === "points" ? ` −${each.points}` : ""}, ${t("round_n", { number: each.round })}
          <button type="button" onClick=${() => act.revokePenalty(each)}>${t("do.revoke_penalty")}</button></li>`,
      )}</ul>`
    : null;
