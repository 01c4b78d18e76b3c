// The event that this page follows: how it stands, and documents that are asked again after it has changed. One stream
// tells that it has; what is shown is then asked for with its ETag, so what is as it was costs an empty answer.
import { address, get, Problem } from "../api.js";
import { boot } from "../boot.js";
import { computed, effect, html, signal, useEffect, useSignal } from "../html.js";
import { follow } from "../stream.js";
import { t } from "../words.js";

export const event = String(boot.of.event);
export const api = `/api/tournaments/${event}`;

/** @type {import("@preact/signals").Signal<any>} the event in short, as the stream tells it */
export const now = signal(null);

/** Counts what made documents old. */
const changes = signal(0);

const AT_LEAST_MS = 300;
const SPREAD_MS = 2500;
const LOOK_MS = 60_000;

/** @type {ReturnType<typeof setTimeout> | undefined} */
let due;

/** Many changes are one question, and not everybody who hears of them asks in the same moment. */
function askSoon() {
  if (due !== undefined) return;
  const wait = AT_LEAST_MS + Math.random() * SPREAD_MS;
  due = setTimeout(() => {
    due = undefined;
    changes.value += 1;
  }, wait);
}

const stream = follow((after) => address(`${api}/stream`, { after }), {
  tournament: (told) => {
    const before = now.peek();
    now.value = told;
    if (before && before.revision !== told.revision) askSoon();
  },
});
export const connection = stream.connection;

/** @type {import("@preact/signals").Signal<Problem | null>} why there is nothing to follow */
export const lost = signal(null);

// A stream that is refused does not say why; a question is told.
effect(() => {
  if (connection.value !== "away" || now.peek()) return;
  get(`${api}/status`).catch((error) => {
    if (!(error instanceof Problem) || error.passing) return;
    lost.value = error;
    document.title = `${t("no_event")} · Tavolata`;
    stream.close();
  });
});

// A forecast grows old though nothing has happened.
setInterval(() => {
  if (document.visibilityState === "visible" && now.peek()?.round_phase === "running") askSoon();
}, LOOK_MS);

/**
 * A document of the house, kept up to date while it is shown.
 * @param {string | null} url none is asked for while it is null
 * @returns {{told: any, problem: Problem | null, again: () => void}}
 */
export function useDocument(url) {
  const answer = useSignal(/** @type {{url: string | null, told: any}} */ ({ url: null, told: null }));
  const problem = useSignal(/** @type {Problem | null} */ (null));
  const tries = useSignal(0);
  const asked = `${changes.value} ${tries.value}`;
  useEffect(() => {
    if (!url) return undefined;
    let gone = false;
    void asked;
    get(url).then(
      (told) => {
        if (gone) return;
        answer.value = { url, told };
        problem.value = null;
      },
      (error) => {
        if (!gone) problem.value = error instanceof Problem ? error : null;
      },
    );
    return () => {
      gone = true;
    };
  }, [url, asked]);
  const again = () => {
    tries.value += 1;
  };
  return { told: answer.value.url === url ? answer.value.told : null, problem: problem.value, again };
}

/** @type {import("@preact/signals").Signal<any>} the event with its configuration and everybody who has entered */
export const full = signal(null);

/** Public names by entry. */
export const names = computed(
  () =>
    new Map(
      (full.value?.entrants ?? []).map((/** @type {any} */ each) => [
        Number(each.entry),
        String(each.name || each.player),
      ]),
    ),
);

// It is long for a large event, and few changes touch it: people who come and go, stages that begin.
const edition = computed(() => (now.value ? `${now.value.entrants} ${now.value.phase} ${now.value.stage}` : ""));
effect(() => {
  if (!edition.value) return;
  get(api).then(
    (told) => {
      full.value = told;
    },
    () => {}, // names stand in every round, too; what is missing then is said where it is shown
  );
});

/**
 * @param {Map<number, string>} known
 * @param {number} entry
 */
export const nameIn = (known, entry) => known.get(entry) ?? `#${entry}`;

/** What stands where a document is still to come. @param {{words: string}} props */
export const Wait = ({ words }) => html`<p class="muted" aria-busy="true">${words}</p>`;
