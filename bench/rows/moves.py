"""Accepted moves a second: 50 tables of four, a spectator at each, everything real."""

from collections.abc import Iterator

from bench.kit.figures import Finding, Skipped
from bench.kit.house import house
from bench.kit.load import Asked
from bench.kit.play import burst
from bench.kit.run import Run
from bench.kit.scripts import scripts

NUMBER = 1
TITLE = "accepted moves"

TABLES = 50


def measure(run: Run) -> Iterator[Finding | Skipped]:
    figures, note = [], ""
    with house(run.folder / "fast", "fast") as opened:
        for number in range(run.rounds):
            asked = Asked(
                opened.url, opened.services["rules-just4fun"], "just4fun", 4,
                scripts("just4fun", 4, f"r{number}", run.size(6000, 1500)), TABLES,
            )  # fmt: skip
            done = burst(opened, asked)
            figures.append(done.measured.per_second)
            note = f"{done.told}; seen p50 {done.measured.seen(0.5):.1f} p99 {done.measured.seen(0.99):.1f} ms"
            run.say(note)
    yield Finding(row=1, what="accepted moves, fast", unit="moves/s", ours=tuple(figures), note=note)
