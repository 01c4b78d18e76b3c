"""One table of a hundred seats beside twenty-five of four: whole turns of Welcome To..., all seats submitting at once.

As many commands are accepted, checked and revealed at both. First in process, decided, written and folded; then in a
house, with a call for each seat and a spectator at each table. The tables of four have twenty-five times as many deals
and reveals; the table of a hundred has positions, scores and views of a hundred sheets at every step.
"""

import random
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from typing import Final

import msgspec

from bench.kit.figures import Finding, Skipped, Wanted, alternate
from bench.kit.house import cpu_seconds, house, processes
from bench.kit.run import Run
from bench.kit.scripts import KEY, Said
from bench.kit.turns import Asked, Course, Turn
from engine.games import find_game
from engine.kernel.commit import decode_line
from engine.kernel.game import Seats
from engine.kernel.history import AnyHistory, Duplicate, History
from engine.kernel.match import Match, Request
from engine.kernel.value import instant_of
from engine.luck.seeds import match_seed
from services.kit.config import child_environment
from tests.e2e.command import Up
from tests.kit.table import Table, pick

NUMBER = 13
TITLE = "a hundred seats at one table"

GAME: Final = "welcome_to"
SEATS: Final = 100
SMALL: Final = 4
TABLES: Final = SEATS // SMALL
WANTED: Final = Wanted(1.2, at_most=True)
ENDS_S: Final = 120.0
LARGE_ONE: Final = "one table of 100"
SMALL_ONES: Final = f"{TABLES} tables of {SMALL}"


def measure(run: Run) -> Iterator[Finding | Skipped]:
    turns = run.size(8, 3)
    lines = {LARGE_ONE: [_lines("engine-large", SEATS, turns)]}
    lines[SMALL_ONES] = [_lines(f"engine-small-{number}", SMALL, turns) for number in range(TABLES)]
    measured = alternate(run.rounds, {name: partial(_decided, each, turns) for name, each in lines.items()})
    yield _finding("a turn of 100 seats, in process", measured, "")
    with house(run.folder / "seats", "fast") as opened:
        halls = {LARGE_ONE: _Hall(opened, 1, SEATS, turns), SMALL_ONES: _Hall(opened, TABLES, SMALL, turns)}
        measured = alternate(run.rounds, {name: hall.turn_ms for name, hall in halls.items()})
        notes = [f"{name}: {hall.told}" for name, hall in halls.items()]
        cores = {name: hall.core_ms for name, hall in halls.items()}
    yield _finding("a turn of 100 seats, in a house", measured, "")
    yield _finding("the same, of all cores", cores, "; ".join(notes))


def _finding(what: str, measured: dict[str, tuple[float, ...]], note: str) -> Finding:
    return Finding(
        row=NUMBER,
        what=what,
        unit="ms",
        ours=measured[LARGE_ONE],
        against=SMALL_ONES,
        theirs=measured[SMALL_ONES],
        wanted=WANTED,
        note=note,
    )


# -- in process --------------------------------------------------------------------------------------------------------


def _lines(match_id: str, seats: int, turns: int) -> list[bytes]:
    """A match of so many turns, as it is written."""
    table = _table(match_id, seats)
    for _ in range(turns):
        _play_turn(table)
    return [bytes(line) for line in table.lines]


def _decided(matches: list[list[bytes]], turns: int) -> float:
    """Milliseconds a turn to decide, write and fold all these matches again."""
    spent = 0.0
    for lines in matches:
        commits = [decode_line(line) for line in lines]
        requests = [Request(each.id, each.actor, instant_of(each.at), each.command) for each in commits]
        history: AnyHistory = History(Match(find_game(GAME)), commits[0].match)
        began = time.process_time()
        for position, (request, line) in enumerate(zip(requests, lines, strict=True), 1):
            proposal = history.propose(request)
            assert not isinstance(proposal, Duplicate)
            history.accept(line, position, proposal)
        spent += time.process_time() - began
    return 1000 * spent / turns


def _table(match_id: str, seats: int) -> Table:
    return Table(find_game(GAME), match_id, match_seed(KEY.secret, match_id)).open(seats).settle()


def _play_turn(table: Table) -> list[Said]:
    """Everybody moves; what follows of itself follows."""
    game = table.match.game
    said: list[Said] = []
    pending = table.pending
    assert isinstance(pending, Seats), "the match has ended too soon to be measured"
    lots = random.Random(len(table.lines))
    for seat in pending.seats:
        command = pick(game, table.state.game, seat, lots)
        table.move(seat, command)
        said.append((f"b{len(table.lines)}", seat, msgspec.json.encode(game.commands.encode(command)).decode()))
    table.settle()
    return said


# -- in a house --------------------------------------------------------------------------------------------------------


class _Hall:
    """Some tables of one house; each round plays new matches."""

    def __init__(self, opened: Up, tables: int, seats: int, turns: int) -> None:
        self._opened = opened
        self._tables = tables
        self._seats = seats
        self._turns = turns
        self._rounds = 0
        self._costs: list[dict[str, float]] = []

    def turn_ms(self) -> float:
        courses = [self._course(f"s{self._seats}-{self._rounds}-{number}") for number in range(self._tables)]
        self._rounds += 1
        asked = Asked(self._opened.url, self._opened.services[f"rules-{GAME}"], GAME, courses)
        before = cpu_seconds(processes(self._opened))
        done = subprocess.run(
            [sys.executable, "-m", "bench.kit.turns"], input=msgspec.json.encode(asked), env=child_environment({}),
            capture_output=True, timeout=ENDS_S, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"the turns failed: {done.stderr.decode(errors='replace')[-2000:]}"
        after = cpu_seconds(processes(self._opened))
        self._costs.append({label: 1000 * (after[label] - used) / self._turns for label, used in before.items()})
        return 1000 * msgspec.json.decode(done.stdout, type=float) / self._turns

    @property
    def core_ms(self) -> tuple[float, ...]:
        """By round, what a turn has cost all processes of the house; opening the tables is part of it."""
        return tuple(sum(costs.values()) for costs in self._costs)

    @property
    def told(self) -> str:
        """What the last round has cost by process."""
        costs = sorted(self._costs[-1].items(), key=lambda cost: -cost[1])
        return "ms of a core a turn: " + ", ".join(f"{label} {cost:.0f}" for label, cost in costs if cost >= 1)

    def _course(self, match_id: str) -> Course:
        table = _table(match_id, self._seats)
        begins = len(table.lines)
        turns = []
        for _ in range(self._turns):
            said = _play_turn(table)
            turns.append(Turn(said, len(table.lines)))
        return Course(match_id, self._seats, begins, turns)
