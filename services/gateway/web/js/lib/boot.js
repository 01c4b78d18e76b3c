// What the frame of HTML carries: which page this is and of what, the sentences, the games of this house.

/**
 * @typedef {{asks: boolean, kind: string, match: string, event: string}} Session
 * @typedef {{key: string, title: string, seats: [number, number], levels: string[]}} Game
 * @typedef {{page: string, of: Record<string, string | number>, language: string, languages: string[],
 *   words: Record<string, string>, games: Game[], session: Session}} Boot
 */

/** @type {Boot} */
export const boot = JSON.parse(document.getElementById("boot")?.textContent ?? "{}");

/** @param {string} key */
export const gameNamed = (key) => boot.games.find((game) => game.key === key);
