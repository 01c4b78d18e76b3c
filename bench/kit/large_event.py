"""A large event, whole: created, paired, scored, and folded from zero: ``python -m bench.kit.large_event PLAYERS``, a
program. It prints ``Taken`` as JSON.

Results are injected, as an organiser would with paper slips: tables of 4 in a Swiss of 6 rounds, scores by skill and
luck. Every command is decided, made a line and folded, as in the service, and garbage is collected as seldom as there;
only the disk is left out.
"""

import random
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import process_time

import msgspec

from engine.kernel.commit import Commit, decode_line, line_hash
from engine.kernel.ledger import Ledger
from engine.kernel.match import Request
from engine.kernel.ports import Stored
from engine.kernel.value import Value
from engine.luck.seed_chain import chain_seed
from engine.tournament import commands as c
from engine.tournament.aggregate import tournament_ledger
from engine.tournament.columns.lots import lots_of
from engine.tournament.commands import COMMANDS
from engine.tournament.config import config_of
from engine.tournament.ranking import ranking
from engine.tournament.state import Tournament
from engine.tournament.whatif import Supposed, placed, what_if
from services.kit.garbage import collect_seldom

ROUNDS = 6
REPEATED = 5
MASTER = bytes(32)
CONFIG = """
name = "Large"
[[stages]]
name = "Swiss"
format = "swiss"
games = ["just4fun"]
rounds = {rounds}
smallest = 3
repeat_points = 1000
"""


class Taken(Value, frozen=True):
    """Seconds of this process alone: ``draft`` and ``results`` by round, what comes after by repetition."""

    commits: int
    create: float
    draft: tuple[float, ...]
    results: tuple[float, ...]
    lines: tuple[float, ...]
    """Every line decoded, encoded again and hashed, and nothing else: what reading a chain costs at least."""
    fold: tuple[float, ...]
    standings: tuple[float, ...]
    """Of an event that was folded a moment ago: nothing of it is remembered."""
    what_if: tuple[float, ...]
    memory_mb: int


class Event:
    """An event in memory, and the seconds that each part of it took."""

    def __init__(self, players: int, rounds: int) -> None:
        self.ledger: Ledger[Tournament] = tournament_ledger("large")
        self.lines: list[bytes] = []
        self.seconds: dict[str, list[float]] = {}
        self.lots = random.Random(1)
        self.skill = [self.lots.gauss(50, 15) for _ in range(players + 1)]
        self.rounds = rounds
        self.players = players

    def do(self, command: c.Command, actor: str = "organiser:bench") -> None:
        number = len(self.lines) + 1
        proposal = self.ledger.propose(Request(f"c{number}", actor, number * 1_000_000, COMMANDS.encode(command)))
        assert not hasattr(proposal, "revision"), "every command is new"
        self.ledger.accept(proposal.line, number, proposal)
        self.lines.append(proposal.line)

    @contextmanager
    def timed(self, what: str) -> Iterator[None]:
        began = process_time()
        yield
        self.seconds.setdefault(what, []).append(process_time() - began)

    def begin(self) -> None:
        self.do(c.Create("large", config_of(CONFIG.format(rounds=self.rounds)), self.seed(0)))
        self.do(c.OpenRegistration())
        self.do(c.OpenCheckIn())
        for first in range(0, self.players, 1000):
            last = min(first + 1000, self.players)
            self.do(c.Register(tuple(f"p{number:06d}" for number in range(first, last))))
            self.do(c.CheckIn(tuple(range(first + 1, last + 1))))
        self.do(c.CloseRegistration())

    def play(self) -> None:
        with self.timed("draft"):
            self.do(c.DraftRound(self.seed(self.ledger.state.drafts + 1)))
        self.do(c.PublishRound())
        self.do(c.StartRound())
        now = self.ledger.state.rounds[-1]
        with self.timed("results"):
            self.do(c.TellOpened(now.number, tuple(table.number for table in now.tables)), "house")
            for table in now.tables:
                scores = [int(self.lots.gauss(self.skill[entry], 12)) for entry in table.entries]
                seated = placed(table.entries, scores)
                self.do(c.ReportResult(now.number, table.number, seated, "points"), "house")

    def seed(self, index: int) -> str:
        return chain_seed(MASTER, "large", index).hex()


def measure(players: int, rounds: int = ROUNDS) -> Taken:
    event = Event(players, rounds)
    with event.timed("create"):
        event.begin()
    for _ in range(rounds):
        event.play()
    stored = [Stored(position, line) for position, line in enumerate(event.lines, 1)]
    decoder, encoder = msgspec.json.Decoder(Commit), msgspec.json.Encoder()
    for _ in range(REPEATED):
        with event.timed("lines"):
            for line in event.lines:
                assert encoder.encode(decoder.decode(line)) == line
                line_hash(line)
        again = tournament_ledger("large")
        with event.timed("fold"):
            again.catch_up(stored)
        assert again.head == event.ledger.head
        assert again.state == event.ledger.state
        lots_of.cache_clear()
        with event.timed("standings"):
            ranking(again.state, 0)
    commits = [decode_line(line) for line in event.lines]
    size = len(event.ledger.state.rounds[0].tables[0].entries)
    for last in range(REPEATED):
        with event.timed("what_if"):
            what_if(event.ledger.state, commits, (Supposed(1, 1, (last, *range(1, size))),))
    seconds = {what: tuple(taken) for what, taken in event.seconds.items()}
    return Taken(
        commits=len(event.lines),
        create=seconds["create"][0],
        draft=seconds["draft"],
        results=seconds["results"],
        lines=seconds["lines"],
        fold=seconds["fold"],
        standings=seconds["standings"],
        what_if=seconds["what_if"],
        memory_mb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    )


if __name__ == "__main__":
    collect_seldom()
    print(msgspec.json.encode(measure(int(sys.argv[1]))).decode())
