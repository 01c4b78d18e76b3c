// A dialog over the page: opened by a button, closed by Escape, its own button or a click beside it; then the focus is
// where it was.
import { html, useEffect, useId, useRef } from "../html.js";
import { t } from "../words.js";

/** @param {{title: string, close: () => void, children: any}} props */
export function Dialog({ title, close, children }) {
  const element = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const heading = useId();
  useEffect(() => {
    const before = document.activeElement;
    element.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  /** @param {MouseEvent} click */
  const beside = (click) => {
    if (click.target === element.current) element.current?.close();
  };
  return html`
    <dialog class="why" ref=${element} aria-labelledby=${heading} onClose=${close} onClick=${beside}>
      <div class="why-inside">
        <div class="why-head">
          <h2 id=${heading}>${title}</h2>
          <button type="button" onClick=${() => element.current?.close()}>${t("close")}</button>
        </div>
        ${children}
      </div>
    </dialog>
  `;
}
