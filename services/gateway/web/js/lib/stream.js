// An open stream of the house: taken up again where it broke off, closed while nobody looks at the page,
// unless it has to be told even then.
import { signal } from "@preact/signals";

/** @typedef {"connecting" | "live" | "away" | "ended"} Connection */

/** A browser has six lines to a house for all its tabs, where there is no HTTP/2: who does not look gives theirs back. */
const HIDDEN_MS = 10_000;

/** Who is answered with an error asks again after a while, and then after a longer one. */
const PAUSE_MS = 1500;
const PAUSE_MS_MAX = 30_000;

/**
 * @param {(after: string | undefined) => string} url where the stream is; `after` is the last id that came
 * @param {Record<string, (data: any) => void>} on what to do with each kind of event
 * @param {{always?: boolean, matches?: number}} [how] `always`: also while nobody looks at the page; `matches`: how many
 *   are told of on it, for it is over when all of them are
 * @returns {{connection: import("@preact/signals").Signal<Connection>, close: () => void}}
 */
export function follow(url, on, { always = false, matches = 1 } = {}) {
  const connection = signal(/** @type {Connection} */ ("connecting"));
  /** @type {EventSource | undefined} */
  let source;
  /** @type {string | undefined} */
  let last;
  const over = new Set();
  let pause = PAUSE_MS;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let retry;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let hiding;

  const open = () => {
    clearTimeout(retry);
    source?.close();
    source = new EventSource(url(last));
    for (const [kind, act] of Object.entries(on)) {
      source.addEventListener(kind, (event) => {
        if (kind !== "away") connection.value = "live";
        if (event.lastEventId) last = event.lastEventId;
        act(JSON.parse(event.data));
      });
    }
    source.addEventListener("open", () => {
      pause = PAUSE_MS;
      connection.value = "live";
    });
    source.addEventListener("away", () => {
      connection.value = "away";
    });
    source.addEventListener("end", (event) => {
      over.add(JSON.parse(event.data).match);
      if (over.size < matches) return;
      connection.value = "ended";
      close();
    });
    source.addEventListener("problem", (event) => {
      over.add(JSON.parse(event.data).match);
      if (over.size >= matches) close();
    });
    source.addEventListener("error", () => {
      if (connection.value === "ended") return;
      connection.value = "away";
      // The browser comes again by itself, unless it was answered with an error.
      if (source?.readyState !== EventSource.CLOSED) return;
      retry = setTimeout(open, pause);
      pause = Math.min(2 * pause, PAUSE_MS_MAX);
    });
  };
  const close = () => {
    clearTimeout(retry);
    clearTimeout(hiding);
    source?.close();
    document.removeEventListener("visibilitychange", look);
  };
  const look = () => {
    clearTimeout(hiding);
    if (document.visibilityState === "hidden" && !always) hiding = setTimeout(() => source?.close(), HIDDEN_MS);
    else if (source?.readyState === EventSource.CLOSED) open();
  };
  document.addEventListener("visibilitychange", look);
  open();
  look(); // a tab may have been opened behind another one
  return { connection, close };
}
