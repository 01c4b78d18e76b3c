// The rules of the event, to be changed as long as they can be: the whole file, checked while one types.
import { get } from "../api.js";
import { html, useEffect, useSignal } from "../html.js";
import { t } from "../words.js";
import { ask } from "./asking.js";
import { Checked, useCheck } from "./checking.js";
import { attempt, desk, load, path, send, tell } from "./desk.js";

export function Settings() {
  const now = desk.value;
  const text = useSignal("");
  useEffect(() => {
    attempt(async () => {
      text.value = (await get(`${path}/configuration`)).config_toml;
    });
  }, []);
  const checked = useCheck(text);
  const change = () =>
    ask({
      title: t("do.configure"),
      says: t("ask.configure_says"),
      confirm: t("do.configure"),
      danger: true,
      act: async ({ reason }) => {
        await send("configuration", { config_toml: text.value, reason });
        await load();
        tell({ said: t("done.configured") });
      },
    });
  return html`
    <h2>${t("tab.settings")}</h2>
    <p>${now?.tournament.round ? t("settings.begun") : t("settings.open")}</p>
    <div class="field"><label for="config">${t("settings.file")}</label>
      <textarea id="config" class="toml" lang="en" rows="24" spellcheck="false" value=${text.value} aria-describedby="checked"
        aria-invalid=${checked.value.problem ? "true" : undefined}
        onInput=${(/** @type {any} */ typed) => {
          text.value = typed.currentTarget.value;
        }}></textarea></div>
    <${Checked} checked=${checked.value} />
    <button type="button" class="main" disabled=${!checked.value.holds} onClick=${change}>${t("do.configure")}</button>
  `;
}
