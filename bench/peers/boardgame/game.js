// The game that the peer plays, as ours are: a card lies open, whoever's turn it is writes its number on a free cell of
// their own sheet, and the next is turned up from a deck that nobody sees. A full sheet is followed by an empty one and
// an empty deck by another, so that a match is as long as wanted.

const { INVALID_MOVE, PlayerView } = require("boardgame.io/core");

const CELLS = 25;
const NUMBERS = 11;
const COPIES = 5;

const emptySheet = () => ({ cells: Array(CELLS).fill(null), full: 0, score: 0 });
const newDeck = (random) => random.Shuffle(Array.from({ length: NUMBERS * COPIES }, (_, card) => 1 + (card % NUMBERS)));

const game = {
  name: "sheets",
  setup: ({ ctx, random }) => {
    const deck = newDeck(random);
    return {
      secret: { deck },
      open: deck.pop(),
      sheets: Array.from({ length: ctx.numPlayers }, emptySheet),
    };
  },
  playerView: PlayerView.STRIP_SECRETS,
  turn: { minMoves: 1, maxMoves: 1 },
  moves: {
    write: {
      move: ({ G, playerID, random }, cell, card) => {
        const sheet = G.sheets[playerID];
        if (!Number.isInteger(cell) || sheet.cells[cell] !== null) return INVALID_MOVE;
        if (card !== G.open) return INVALID_MOVE;
        sheet.cells[cell] = card;
        if (cell > 0 && sheet.cells[cell - 1] === card) sheet.score += card;
        if (sheet.cells.every((written) => written !== null)) {
          sheet.cells = Array(CELLS).fill(null);
          sheet.full += 1;
        }
        if (G.secret.deck.length === 0) G.secret.deck = newDeck(random);
        G.open = G.secret.deck.pop();
      },
      client: false,
    },
  },
};

module.exports = { game };
