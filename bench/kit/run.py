"""What a row is given: how much it may do, where it may write, and a way to say how far it has come."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

from bench.kit.figures import ROUNDS, Finding, Skipped
from engine.kernel.value import Value

QUICK_ROUNDS = 2


class Run(Value, frozen=True):
    """``folder`` is scratch and goes afterwards; ``peers`` stays, so that peers are installed once."""

    quick: bool
    folder: Path
    peers: Path

    @property
    def rounds(self) -> int:
        return QUICK_ROUNDS if self.quick else ROUNDS

    def size(self, full: int, quick: int) -> int:
        """Of a work: as much as a full run takes, or as a quick one has time for."""
        return quick if self.quick else full

    def say(self, text: str) -> None:
        """How far it has come, for whoever waits at a terminal."""
        if sys.stderr.isatty():
            print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


class Row(Protocol):
    """A module of ``bench.rows``: ``NUMBER``, ``TITLE``, and what it measures, line by line of the table."""

    NUMBER: int
    TITLE: str
    measure: Callable[[Run], Iterator[Finding | Skipped]]
