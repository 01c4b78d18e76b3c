// Drawn signs for buttons: signs of a font look different everywhere, and are boxes where it is missing.
import { html } from "./html.js";

const PATHS = {
  first: "M6 5v14M19 5L9 12l10 7z",
  previous: "M16 5L7 12l9 7z",
  next: "M8 5l9 7-9 7z",
  last: "M18 5v14M5 5l10 7-10 7z",
};

/** @param {{name: keyof typeof PATHS}} props */
export const Icon = ({ name }) => html`
  <svg class="icon" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true"><path d=${PATHS[name]} /></svg>
`;
