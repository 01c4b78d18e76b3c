// The clock of the round, and what an organiser does with it.
import { html, useEffect, useSignal } from "../html.js";
import { clockTime, duration, t } from "../words.js";
import { act, attempt, desk } from "./desk.js";
import { extend } from "./table_actions.js";

const pause = () =>
  act(
    "pause_clock",
    {},
    { said: t("done.paused"), undo: { command: "resume_clock", data: {}, said: t("done.resumed") } },
  );
const resume = () =>
  act(
    "resume_clock",
    {},
    { said: t("done.resumed"), undo: { command: "pause_clock", data: {}, said: t("done.paused") } },
  );

export function Clock() {
  const status = desk.value?.status;
  if (!status || !(status.ends_at || status.left_ms)) return null;
  const paused = status.left_ms > 0;
  return html`<div class="clock card">
    <p><span class="muted">${paused ? t("clock.paused") : t("clock.left")}</span>
      <strong class="time">${paused ? duration(status.left_ms) : html`<${Left} until=${status.ends_at} />`}</strong>
      ${paused ? null : html`<span class="muted">${t("clock.until", { time: clockTime(status.ends_at) })}</span>`}</p>
    <div class="row">
      <button type="button" onClick=${() => attempt(paused ? resume : pause)}>${paused ? t("do.resume") : t("do.pause")}</button>
      <button type="button" onClick=${() => extend(0)}>${t("do.extend")}</button>
    </div>
  </div>`;
}

const SECOND_MS = 1000;

/** @param {{until: string}} props */
function Left({ until }) {
  const now = useSignal(Date.now());
  useEffect(() => {
    const ticking = setInterval(() => {
      now.value = Date.now();
    }, SECOND_MS);
    return () => clearInterval(ticking);
  }, []);
  const left = Date.parse(until) - now.value;
  return left > 0
    ? html`<span role="timer">${duration(left)}</span>`
    : html`<span class="over">${t("clock.over")}</span>`;
}
