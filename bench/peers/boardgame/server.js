// boardgame.io's own server with its own transport, as its documentation starts it, on a free port of loopback.
//
//   node server.js [FOLDER]      with a folder: its FlatFile store there; without: in memory
//
// Says {"port": …} once it listens. Ends when its standard input does.

const { FlatFile, Server } = require("boardgame.io/server");
const { game } = require("./game");

const [folder] = process.argv.slice(2);
const server = Server({ games: [game], origins: [], ...(folder ? { db: new FlatFile({ dir: folder }) } : {}) });

server.run({ port: { host: "127.0.0.1", port: 0 } }).then(({ appServer }) => {
  process.stdout.write(`${JSON.stringify({ port: appServer.address().port })}\n`);
});
process.stdin.on("end", () => process.exit(0)).resume();
