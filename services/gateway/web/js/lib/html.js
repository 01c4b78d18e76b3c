// Preact with htm: markup in tagged templates, no build step.
import htm from "htm";
import { h, render } from "preact";

export { batch, computed, effect, signal, untracked, useComputed, useSignal, useSignalEffect } from "@preact/signals";
export { createContext, Fragment } from "preact";
export { useCallback, useEffect, useId, useLayoutEffect, useMemo, useRef } from "preact/hooks";

/** @type {(strings: TemplateStringsArray, ...values: any[]) => any} */
export const html = htm.bind(h);

/**
 * Puts a page into the frame.
 * @param {any} page
 */
export function show(page) {
  const root = document.getElementById("root");
  if (root) render(page, root);
}
