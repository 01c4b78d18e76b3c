// The players and spectators: bare socket.io clients, cheaper than boardgame.io's own.
//
//   node load.js PORT PID      the server's port, and its process, whose CPU is read
//
// Reads one JSON a line from standard input, does it, answers with one JSON a line:
//   {"work": "moves", "matches": 50, "players": 2, "seconds": 3}   closed loop: who is next moves when told of it
//   {"work": "paced", …, "rate": 300}                              open loop: so many moves a second over all
//   {"work": "join", "players": 2, "moves": 2000, "times": 9}      what a spectator is sent who comes after so many

const { readFileSync } = require("node:fs");
const { createInterface } = require("node:readline");
const { io } = require("socket.io-client");

const [port, server] = process.argv.slice(2);
const SETTLE_MS = 300;

let matchesMade = 0;
const played = new Map();

function connect() {
  const socket = io(`http://127.0.0.1:${port}/sheets`, { transports: ["websocket"], forceNew: true });
  return new Promise((resolve, reject) => {
    socket.once("connect", () => resolve(socket));
    socket.once("connect_error", reject);
  });
}

/** Who comes first makes the match. */
function sync(socket, match, player, players) {
  const synced = new Promise((resolve) => socket.once("sync", (_, info) => resolve(info.state)));
  socket.emit("sync", match, player, undefined, players);
  return synced;
}

/** A match of which every update tells whose turn it is. One move is under way at a time; the spectator, whom an update
 * reaches after the players, may be some behind. */
class Match {
  constructor(seats) {
    this.seats = seats;
    this.id = `m${matchesMade++}`;
    this.underWay = false;
    this.begun = [];
    this.moves = 0;
    this.onPlayed = () => {};
    this.onSeen = () => {};
  }

  async open(watched) {
    this.players = [];
    for (let seat = 0; seat < this.seats; seat++) {
      const socket = await connect();
      this.players.push(socket);
      this.state = await sync(socket, this.id, String(seat), this.seats);
      socket.on("update", (_, state) => this.updated(String(seat), state));
    }
    if (watched) {
      this.spectator = await connect();
      await sync(this.spectator, this.id, null, this.seats);
      this.spectator.on("update", () => this.onSeen(performance.now() - this.begun.shift()));
    }
    return this;
  }

  /** Counts for a player when they are told that it is their turn: it is they who move next. */
  updated(seat, state) {
    if (state.ctx.currentPlayer !== seat) return;
    this.state = state;
    this.underWay = false;
    this.moves += 1;
    this.onPlayed();
  }

  move(begun = performance.now()) {
    const { G, ctx, _stateID } = this.state;
    const seat = ctx.currentPlayer;
    const { cells } = G.sheets[seat];
    let cell = Math.floor(Math.random() * cells.length);
    while (cells[cell] !== null) cell = (cell + 1) % cells.length;
    const payload = { type: "write", args: [cell, G.open], playerID: seat };
    if (this.spectator) this.begun.push(begun);
    this.underWay = true;
    this.players[Number(seat)].emit("update", { type: "MAKE_MOVE", payload }, _stateID, this.id, seat);
  }

  close() {
    for (const socket of [...this.players, this.spectator]) socket?.close();
  }
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** CPU of the server so far, in microseconds. */
function cpu() {
  const fields = readFileSync(`/proc/${server}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

const quantile = (ranked, share) => ranked[Math.min(ranked.length - 1, Math.floor(share * ranked.length))];

/** Plays for so long after it has settled, and says what was seen from then on. */
async function measured(matches, seconds, start) {
  const delays = [];
  let counts = false;
  for (const match of matches) {
    match.onSeen = (delay) => counts && delays.push(delay);
  }
  const stop = start();
  await pause(SETTLE_MS);
  const [began, used, own] = [performance.now(), cpu(), process.cpuUsage()];
  counts = true;
  await pause(seconds * 1000);
  counts = false;
  const [took, spent, owned] = [performance.now() - began, cpu() - used, process.cpuUsage(own)];
  stop();
  const patience = performance.now() + 5000;
  while (matches.some((match) => match.underWay) && performance.now() < patience) await pause(5);
  if (matches.some((match) => match.underWay)) throw new Error("a move was not answered");
  delays.sort((one, other) => one - other);
  return {
    moves: delays.length,
    seconds: took / 1000,
    server_cpu_us: spent,
    load_cpu_us: owned.user + owned.system,
    p50_ms: quantile(delays, 0.5),
    p99_ms: quantile(delays, 0.99),
  };
}

function closedLoop(matches) {
  for (const match of matches) {
    match.onPlayed = () => match.move();
    match.move();
  }
  return () => {
    for (const match of matches) match.onPlayed = () => {};
  };
}

/** A move that is due while the one before is under way waits, and its delay counts from when it was due. */
function openLoop(matches, rate) {
  const began = performance.now();
  const waiting = matches.map(() => []);
  let sent = 0;
  matches.forEach((match, number) => {
    match.onPlayed = () => waiting[number].length && match.move(waiting[number].shift());
  });
  const timer = setInterval(() => {
    for (; sent < ((performance.now() - began) * rate) / 1000; sent++) {
      const number = sent % matches.length;
      if (matches[number].underWay) waiting[number].push(performance.now());
      else matches[number].move();
    }
  }, 1);
  return () => {
    clearInterval(timer);
    for (const match of matches) match.onPlayed = () => {};
  };
}

async function playedFor({ matches: count, players, seconds, rate }) {
  const matches = await Promise.all(Array.from({ length: count }, () => new Match(players).open(true)));
  try {
    return await measured(matches, seconds, () => (rate ? openLoop(matches, rate) : closedLoop(matches)));
  } finally {
    for (const match of matches) match.close();
  }
}

/** The match is played once; each time another spectator comes, on a connection that is open already. */
async function join({ players, moves, times }) {
  if (!played.has(moves)) {
    const match = await new Match(players).open(false);
    await new Promise((resolve) => {
      match.onPlayed = () => (match.moves < moves ? match.move() : resolve());
      match.move();
    });
    played.set(moves, match);
  }
  const seen = [];
  for (let time = 0; time < times; time++) {
    const socket = await connect();
    let bytes = 0;
    socket.io.engine.on("packet", ({ data }) => {
      bytes += Buffer.byteLength(data ?? "") + 1;
    });
    const began = performance.now();
    await sync(socket, played.get(moves).id, null, players);
    seen.push({ bytes, ms: performance.now() - began });
    socket.close();
  }
  seen.sort((one, other) => one.ms - other.ms);
  return seen[Math.floor(seen.length / 2)];
}

const works = { moves: playedFor, paced: playedFor, join };

(async () => {
  process.stdout.write(`${JSON.stringify({ ready: true })}\n`);
  for await (const line of createInterface({ input: process.stdin })) {
    const asked = JSON.parse(line);
    process.stdout.write(`${JSON.stringify(await works[asked.work](asked))}\n`);
  }
  process.exit(0);
})();
