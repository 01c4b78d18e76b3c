"""The whole log audited by ``tavolata audit``: read, compared, chained, its luck drawn and each decision made again.

Everything is measured that the command does, with the start of its processes, on a server with complete matches of the
three games with clocks. What a core does of it is measured in process as well: lines decided again by ``verify``.
"""

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from functools import partial
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from typing import Final

from bench.kit.figures import Finding, Skipped, Wanted, alternate
from bench.kit.past import PLAYED, Stocked, match_of, past, stocked
from bench.kit.run import Run
from engine.games import all_games, game_of_rules
from engine.luck.verifier import verify
from services.kit.config import child_environment

NUMBER = 9
TITLE = "the log audited"

UNIT: Final = "commits/s"
WANTED: Final = Wanted(20_000.0)
ENDS_S: Final = 120.0


def measure(run: Run) -> Iterator[Finding | Skipped]:
    with stocked(run.folder / "audited", past(run.size(200_000, 30_000))) as log:
        audit = _Audit(log)
        measured = alternate(run.rounds, {"audit": audit})
    yield Finding(
        row=NUMBER, what="audit of a log, all cores", unit=UNIT, ours=measured["audit"], wanted=WANTED, note=audit.told
    )
    verified = alternate(run.rounds, {game: partial(_verified, game) for game in all_games()})
    yield from (_alone(game, figures) for game, figures in verified.items())


def _alone(game: str, figures: tuple[float, ...]) -> Finding:
    note = f"{1e6 / median(figures):.0f} µs a commit; one core"
    return Finding(row=NUMBER, what=f"verify: {game}", unit=f"{UNIT} of CPU", ours=figures, note=note)


class _Audit:
    def __init__(self, log: Stocked) -> None:
        self._log = log
        self._cpu_us: list[float] = []

    def __call__(self) -> float:
        began, used = time.perf_counter(), _cpu_of_children()
        told = self._ask()
        passed, used = time.perf_counter() - began, _cpu_of_children() - used
        assert told["holds"], told
        assert told["commits"] == self._log.lines, told
        self._cpu_us.append(1e6 * used / self._log.lines)
        return self._log.lines / passed

    def _ask(self) -> Mapping[str, object]:
        done = subprocess.run(
            [sys.executable, "-m", "cli", "audit", "--json"], env=child_environment({"nats_url": self._log.url}),
            capture_output=True, timeout=ENDS_S, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"the audit failed: {done.stderr.decode(errors='replace')[-2000:]}"
        answer: dict[str, object] = json.loads(done.stdout)
        return answer

    @property
    def told(self) -> str:
        return f"{self._log.lines:,} commits; {median(self._cpu_us):.0f} µs of all cores a commit, start included"


def _verified(game: str) -> float:
    """Commits a second of CPU."""
    matches = [match_of(game, number) for number in range(PLAYED)]
    used, done = time.process_time(), 0
    for _ in range(2):
        for lines in matches:
            done += verify(lines, game_of_rules).commits
    return done / (time.process_time() - used)


def _cpu_of_children() -> float:
    used = getrusage(RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
