"""boardgame.io 0.50.2 on its own server and transport, with a small game of ours: ``boardgame/game.js``.

In memory nothing survives its process. Its file store writes the whole log of a match anew at every move, and never
waits for the disk; node-persist is pinned to 3.1.0, since with 3.1.3, which its range allows, a write waits for a
queue that is emptied once a second.

The server is warm when the block begins, and idles between measurements; every one of them plays new matches, so all
are of the same length.
"""

import os
import tempfile
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Literal, Self

from bench.kit.run import Run
from bench.peers.figures import MovesFigure
from bench.peers.install import BOARDGAME, boardgame_modules, node
from bench.peers.processes import Process

Store = Literal["memory", "flatfile"]

MATCHES: Final = 50
PLAYERS: Final = 2
PATIENCE_S: Final = 60.0
"""For an answer, beyond the time that is played."""


class BoardgameIo:
    """A context. Raises ``PeerMissing`` on entry where there is no Node.js or no way to install it.

    Every match has ``players`` and a spectator, each of whom is told of every move, as it does. ``warm_s`` is played
    before anything is measured: V8 compiles what is hot.
    """

    def __init__(self, run: Run, store: Store = "memory", *, players: int = PLAYERS, warm_s: float = 3.0) -> None:
        self._run = run
        self._store = store
        self._players = players
        self._warm_s = warm_s
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        program = str(node())
        env = {**os.environ, "NODE_PATH": str(boardgame_modules(self._run)), "NODE_ENV": "production"}
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=self._run.folder)))
            kept = [str(folder / "store")] if self._store == "flatfile" else []
            server = stack.enter_context(
                Process([program, str(BOARDGAME / "server.js"), *kept], folder / "server.err", env=env)
            )
            reached = [str(server.ready["port"]), str(server.pid)]
            self._load = stack.enter_context(
                Process([program, str(BOARDGAME / "load.js"), *reached], folder / "load.err", env=env)
            )
            self.moves(self._warm_s)
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def moves(self, seconds: float, *, matches: int = MATCHES) -> MovesFigure:
        """Closed loop: in each match the next player moves when the update has come."""
        return _figure(self._played("moves", seconds, matches=matches))

    def paced(self, rate: float, seconds: float, *, matches: int = MATCHES) -> MovesFigure:
        """Open loop: ``rate`` moves a second over all matches. A move that has to wait for the one before it in its
        match is late from when it was due.
        """
        return _figure(self._played("paced", seconds, matches=matches, rate=rate))

    def join(self, moves: int, *, times: int = 9) -> tuple[int, float]:
        """Bytes and milliseconds of the sync of a spectator who comes after so many moves, on an open connection: the
        median of several. The match is played when it is first asked for.
        """
        joined = self._load.ask(PATIENCE_S, work="join", players=self._players, moves=moves, times=times)
        return joined["bytes"], joined["ms"]

    def _played(self, work: str, seconds: float, **asked: float) -> dict[str, Any]:
        return self._load.ask(seconds + PATIENCE_S, work=work, players=self._players, seconds=seconds, **asked)


def _figure(played: dict[str, Any]) -> MovesFigure:
    moves = max(1, played["moves"])
    cpu = played["server_cpu_us"] / moves
    return MovesFigure(
        per_second=played["moves"] / played["seconds"],
        cpu_us=cpu,
        cpu_us_of={"boardgame.io": cpu},
        load_cpu_us=played["load_cpu_us"] / moves,
        p50_ms=played["p50_ms"],
        p99_ms=played["p99_ms"],
    )
