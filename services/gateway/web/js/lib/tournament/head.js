// The head of an event: what it is, where it has come to, how long the round still goes, and what it waits for.
import { Connection } from "../chrome.js";
import { html, useEffect, useSignal } from "../html.js";
import { clockTime, duration, t } from "../words.js";
import { api, connection, now, useDocument } from "./event.js";

/** @param {any} event in short */
export function stateOf(event) {
  if (event.phase !== "running" || !event.round) return t(`phase.${event.phase === "running" ? "ready" : event.phase}`);
  return t(`round.${event.round_phase}`, { round: String(event.round) });
}

export function Head() {
  const { told } = useDocument(now.value ? `${api}/status` : null);
  const event = now.value;
  if (!event) return html`<h1>${t("title.tournament")}</h1><${Connection} of=${connection} />`;
  return html`
    <h1>${event.name}</h1>
    <p class="lead">
      <strong>${stateOf(event)}</strong>
      ${event.stage_name ? html` <span class="tag">${event.stage_name}</span>` : null}
      <span class="tag">${t("entrants", { n: event.entrants })}</span>
    </p>
    ${told ? html`<${Getting} status=${told} />` : null}
    <${Connection} of=${connection} />
  `;
}

/** @param {{status: any}} props */
function Getting({ status }) {
  const total = status.waiting + status.open + status.done;
  const phase = status.tournament.round_phase;
  return html`
    <div class="getting">
      ${
        total && phase !== "closed"
          ? html`<p>
              <label for="tables-done">${t("tables_done", { n: status.done, total })}</label>
              <progress id="tables-done" max=${total} value=${status.done}></progress>
            </p>`
          : null
      }
      <${Clock} ends=${status.ends_at} left=${status.left_ms} />
      ${
        status.expected_end && phase === "running"
          ? html`<p>${t("forecast", {
              expected: clockTime(status.expected_end),
              earliest: clockTime(status.earliest_end),
              latest: clockTime(status.latest_end),
            })}</p>`
          : null
      }
      ${status.waits_for && !status.trouble ? html`<p class="muted">${t(`waits.${status.waits_for}`)}</p>` : null}
      ${status.trouble ? html`<p class="notice bad" lang="en">${status.trouble}</p>` : null}
    </div>
  `;
}

/**
 * The clock of the round. It is no live region: who listens would hear every second of it.
 * @param {{ends: string, left: number}} props
 */
function Clock({ ends, left }) {
  const moment = useSignal(Date.now());
  useEffect(() => {
    if (!ends) return undefined;
    const tick = setInterval(() => {
      moment.value = Date.now();
    }, 1000);
    return () => clearInterval(tick);
  }, [ends]);
  if (!ends) return left ? html`<p class="clock">${t("clock.paused")} <b>${duration(left)}</b></p>` : null;
  const remains = Date.parse(ends) - moment.value;
  if (remains <= 0) return html`<p class="clock"><b>${t("clock.over")}</b></p>`;
  return html`<p class="clock">${t("clock.runs")} <b role="timer">${duration(remains)}</b> <span class="muted">(${t("clock.until", { time: clockTime(ends) })})</span></p>`;
}
