// The game that the peer plays: two dice lie open, whoever's turn it is writes their sum on a free cell of their own
// sheet, and they are rolled again. A full sheet is followed by an empty one, so that a match is as long as wanted.
// What it checks, draws and keeps is about what a move of a flip-and-write game of ours does.

const { INVALID_MOVE } = require("boardgame.io/core");

const CELLS = 25;

const emptySheet = () => ({ cells: Array(CELLS).fill(null), full: 0, score: 0 });

const game = {
  name: "sheets",
  setup: ({ ctx, random }) => ({
    dice: random.D6(2),
    sheets: Array.from({ length: ctx.numPlayers }, emptySheet),
  }),
  turn: { minMoves: 1, maxMoves: 1 },
  moves: {
    write: ({ G, playerID, random }, cell, sum) => {
      const sheet = G.sheets[playerID];
      if (!Number.isInteger(cell) || sheet.cells[cell] !== null) return INVALID_MOVE;
      if (sum !== G.dice[0] + G.dice[1]) return INVALID_MOVE;
      sheet.cells[cell] = sum;
      if (cell > 0 && sheet.cells[cell - 1] === sum) sheet.score += sum;
      if (sheet.cells.every((written) => written !== null)) {
        sheet.cells = Array(CELLS).fill(null);
        sheet.full += 1;
      }
      G.dice = random.D6(2);
    },
  },
};

module.exports = { game };
