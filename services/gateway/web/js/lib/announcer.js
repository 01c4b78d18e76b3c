// What is said to those who listen. Politely; only "it is your turn" interrupts.
import { signal } from "@preact/signals";
import { html } from "./html.js";

const polite = signal("");
const urgent = signal("");
let twice = false;

/**
 * @param {string} sentence
 * @param {{interrupt?: boolean}} [how]
 */
export function say(sentence, { interrupt = false } = {}) {
  // The same text twice is read once: a blank that nobody hears makes it another one.
  twice = !twice;
  (interrupt ? urgent : polite).value = twice ? `${sentence}\u00a0` : sentence;
}

export const Announcer = () => html`
  <div class="unseen" role="status" aria-live="polite">${polite}</div>
  <div class="unseen" role="alert">${urgent}</div>
`;
