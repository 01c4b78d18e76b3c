"""The bare way: what the house does for a move, without rules. Four processes: log, service, deliverer, load client.

A command of 200 bytes comes on a gRPC stream of its table, one commit is appended with the expected last sequence of
the table, the log republishes what it has stored, and one spectator a table is given it on a gRPC stream. The log is
configured as in the house's durability profiles. There is no check, no state, no luck and no second look: nothing that
is built of the same parts can cost less.
"""

import asyncio
import os
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from bench.kit.run import Run
from bench.peers.figures import MovesFigure
from bench.peers.processes import Process
from services.kit.config import child_environment
from services.local.nats_server import Durability, NatsServer

TABLES: Final = 50
PATIENCE_S: Final = 60.0
APPENDED: Final = bytes(300)


class BareWay:
    """A context; idle between measurements, each of which plays at new tables. Enter it outside of any event loop."""

    def __init__(self, run: Run, durability: Durability) -> None:
        self._run = run
        self._durability = durability
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=self._run.folder)))
            log = NatsServer(folder / "log", durability=self._durability, dies_with_parent=True)
            asyncio.run(log.start())
            stack.callback(lambda: asyncio.run(log.stop()))

            def part(name: str, *arguments: str) -> Process:
                command = [sys.executable, "-m", f"bench.peers.bare_way.{name}", *arguments]
                return stack.enter_context(Process(command, folder / f"{name}.err", env=child_environment({})))

            service, deliverer = part("service", log.url), part("deliverer", log.url)
            named = {"nats-server": log.pid, "service": service.pid, "deliverer": deliverer.pid}
            reached = [str(service.ready["port"]), str(deliverer.ready["port"])]
            self._load = part("load", *reached, *(f"{name}={pid}" for name, pid in named.items()))
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def moves(self, seconds: float, *, tables: int = TABLES) -> MovesFigure:
        """Closed loop: the next command of a table when the last is answered."""
        return _figure(self._load.ask(seconds + PATIENCE_S, tables=tables, seconds=seconds))

    def paced(self, rate: float, seconds: float, *, tables: int = TABLES) -> MovesFigure:
        """Open loop: ``rate`` moves a second over all tables."""
        return _figure(self._load.ask(seconds + PATIENCE_S, tables=tables, seconds=seconds, rate=rate))


def fsyncs(folder: Path, seconds: float = 1.0) -> float:
    """Appends of 300 bytes a second, each of them on disk before the next: what the disk itself can acknowledge."""
    with tempfile.NamedTemporaryFile(dir=folder, buffering=0) as file:
        began = time.perf_counter()
        done = 0
        while (took := time.perf_counter() - began) < seconds:
            file.write(APPENDED)
            os.fsync(file.fileno())
            done += 1
    return done / took


def _figure(played: dict[str, Any]) -> MovesFigure:
    moves = max(1, played["moves"])
    cpu_us_of = {name: spent / moves for name, spent in played["cpu_us_of"].items()}
    return MovesFigure(
        per_second=played["moves"] / played["seconds"],
        cpu_us=sum(cpu_us_of.values()),
        cpu_us_of=cpu_us_of,
        load_cpu_us=played["load_cpu_us"] / moves,
        p50_ms=played["p50_ms"],
        p99_ms=played["p99_ms"],
    )
