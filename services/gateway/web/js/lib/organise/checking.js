// A configuration is looked at by the house while one types: what does not hold, with its key, and what may disappoint.
import { post } from "../api.js";
import { html, useEffect, useSignal } from "../html.js";
import { t } from "../words.js";
import { problemOf } from "./desk.js";

/**
 * @typedef {{holds: boolean, problem: string, key: string, warnings: {code: string, sentence: string}[]}} Check
 */

const TYPING_MS = 350;
const KEY = /does not hold: '?([\w.[\]]+)'?: /;

/** @type {Check} */
const UNKNOWN = { holds: false, problem: "", key: "", warnings: [] };

/**
 * @param {import("@preact/signals").Signal<string>} text
 * @param {import("@preact/signals").Signal<number>} [entrants] how many are expected
 */
export function useCheck(text, entrants) {
  const found = useSignal(UNKNOWN);
  const count = entrants?.value ?? 0;
  useEffect(() => {
    let overtaken = false;
    found.value = { ...found.value, holds: false };
    const soon = setTimeout(async () => {
      const told = await check(text.value, count);
      if (!overtaken) found.value = told;
    }, TYPING_MS);
    return () => {
      overtaken = true;
      clearTimeout(soon);
    };
  }, [text.value, count]);
  return found;
}

/**
 * @param {string} config_toml
 * @param {number} entrants
 * @returns {Promise<Check>}
 */
async function check(config_toml, entrants) {
  try {
    const { warnings } = await post("/api/tournaments/check", { config_toml, entrants });
    return { holds: true, problem: "", key: "", warnings };
  } catch (error) {
    const { detail } = problemOf(error);
    return { holds: false, problem: detail, key: KEY.exec(detail)?.[1] ?? "", warnings: [] };
  }
}

/** @param {{checked: Check}} props */
export const Checked = ({ checked }) => html`<div id="checked" role="status" class="checked">
  ${checked.problem ? html`<p class="wrong" lang="en">${checked.problem}</p>` : null}
  ${checked.holds ? html`<p class="holds">${t("check.holds")}</p>` : null}
  ${checked.warnings.length ? html`<p>${t("check.warnings")}</p><ul lang="en">${checked.warnings.map((each) => html`<li>${each.sentence}</li>`)}</ul>` : null}
</div>`;
