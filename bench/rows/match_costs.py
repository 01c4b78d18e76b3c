"""What one match leaves behind, for whoever has to plan disks: nothing here has a bound."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

from bench.kit.figures import Finding, Skipped
from bench.kit.house import house
from bench.kit.load import Asked
from bench.kit.play import burst
from bench.kit.run import Run
from bench.kit.scripts import script

NUMBER = 14
TITLE = "what a match leaves behind"

GAMES: Final = ("just4fun", "memcel", "welcome_to")
SEATS: Final = 4


def measure(run: Run) -> Iterator[Finding | Skipped]:
    if run.quick:
        yield Skipped(NUMBER, TITLE, "does not change from day to day; a full run measures it")
        return
    with house(run.folder / "costs", "fast") as opened:
        for game in GAMES:
            played = [script(game, SEATS, f"cost-{game}-{number}", 10_000) for number in range(20)]
            before = {name: _bytes(opened.data / name) for name in ("nats", "read")}
            asked = Asked(opened.url, opened.services[f"rules-{game}"], game, SEATS, played, len(played))
            done = burst(opened, asked)
            moves = done.measured.moves / len(played)
            grown = {name: (_bytes(opened.data / name) - before[name]) / len(played) / 1024 for name in before}
            yield _told(game, "moves", "moves", moves)
            yield _told(game, "log on disk, one replica", "KiB", grown["nats"])
            yield _told(game, "read models on disk", "KiB", grown["read"])


def _told(game: str, what: str, unit: str, value: float) -> Finding:
    return Finding(row=NUMBER, what=f"{game}, {SEATS} seats, a match: {what}", unit=unit, ours=(value,))


def _bytes(folder: Path) -> int:
    for database in folder.glob("*.sqlite"):  # what its journal holds goes where it will be
        with closing(sqlite3.connect(database)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
