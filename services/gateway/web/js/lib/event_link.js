// From a table of an event back to the event. The id of its match says which it may be; the house is asked whether it is.
import { get, Problem } from "./api.js";
import { html, useEffect, useSignal } from "./html.js";
import { t } from "./words.js";

/** Event and round; behind them which table, and which attempt at it. */
const OF_EVENT = /^(.+)-r(\d+)-t\d+(?:-x\d+)?$/;

/**
 * The event whose table it may be; empty for a single match.
 * @param {string} match
 */
export const eventOf = (match) => OF_EVENT.exec(match)?.[1] ?? "";

/** @param {{match: string}} props */
export function EventLink({ match }) {
  const name = useSignal("");
  const none = useSignal(false);
  const [, event, round] = OF_EVENT.exec(match) ?? [];
  useEffect(() => {
    if (!event) return;
    get(`/api/tournaments/${event}/status`).then(
      (told) => {
        name.value = told.tournament.name;
      },
      (error) => {
        if (!(error instanceof Problem)) throw error;
        none.value = true;
      },
    );
  }, [event]);
  if (!event || none.value) return null;
  // There is room for it from the start: the board below must not jump.
  return html`<p class="of-event">${name.value ? html`<a href=${`/t/${event}`}>${t("of_event", { name: name.value, round })}</a>` : null}</p>`;
}
