// "It is your turn": in the title, to those who listen, and as a notification for those who have asked for one.
import { effect, signal } from "@preact/signals";
import { say } from "./announcer.js";
import { html } from "./html.js";
import { t } from "./words.js";

const DRAWER = "notify";

/** What the browser says: `unknown` where it has no notifications. */
const permission = signal("Notification" in window ? Notification.permission : "unknown");
const wanted = signal(localStorage.getItem(DRAWER) === "yes");

async function toggle() {
  if (permission.value === "default") permission.value = await Notification.requestPermission();
  wanted.value = permission.value === "granted" && !wanted.value;
  localStorage.setItem(DRAWER, wanted.value ? "yes" : "no");
}

/** Asks for notifications, and calls them off. */
export const NotifyButton = () => {
  if (permission.value === "unknown") return null;
  if (permission.value === "denied") return html`<p class="muted">${t("notify.denied")}</p>`;
  const isOn = wanted.value && permission.value === "granted";
  return html`<button type="button" aria-pressed=${isOn} onClick=${toggle}>${t(isOn ? "notify.on" : "notify.off")}</button>`;
};

/**
 * Says it once whenever it becomes this seat's turn.
 * @param {import("@preact/signals").ReadonlySignal<import("./turn.js").Standing>} standing
 * @param {(standing: import("./turn.js").Standing) => string} title of the page
 * @param {string} tag of the match: a later notification takes the place of an older one
 */
export function callWhenDue(standing, title, tag) {
  let wasYours = false;
  /** @type {Notification | undefined} */
  let shown;
  effect(() => {
    const now = standing.value;
    document.title = title(now);
    const isYours = now === "yours";
    if (isYours && !wasYours) {
      say(t("turn.yours"), { interrupt: true });
      if (document.hidden && wanted.peek() && permission.peek() === "granted") shown = call(title(now), tag);
    }
    if (!isYours) shown?.close();
    wasYours = isYours;
  });
}

/**
 * @param {string} title
 * @param {string} tag
 */
function call(title, tag) {
  try {
    const notification = new Notification(title, { body: t("turn.yours"), tag });
    notification.onclick = () => {
      window.focus();
      notification.close();
    };
    return notification;
  } catch {
    return undefined; // Some browsers of phones let only a service worker show one.
  }
}
