"""Events that are played in memory, with the engine alone: what an archive holds, without a house."""

import random
from collections.abc import Callable

from engine.kernel.ledger import Ledger, Proposal
from engine.kernel.match import Request
from engine.luck.seed_chain import chain_seed
from engine.tournament import commands as c
from engine.tournament.aggregate import tournament_ledger
from engine.tournament.commands import COMMANDS
from engine.tournament.config import config_of
from engine.tournament.played import Seated
from engine.tournament.state import Tournament

MASTER = b"k" * 32
CONFIG = """
name = "In memory"
[registration]
check_in = false
[[stages]]
name = "Swiss"
format = "swiss"
games = ["just4fun"]
rounds = 2
[[stages]]
name = "Final"
format = "elimination"
games = ["memcel"]
entrants = 4
cut_ties = "lot"
"""


class InMemory:
    """One event and the lines of its log."""

    def __init__(self, event: str = "ev", config: str = CONFIG) -> None:
        self.ledger: Ledger[Tournament] = tournament_ledger(event)
        self.event = event
        self.lines: list[bytes] = []
        self.do(c.Create(event, config_of(config), chain_seed(MASTER, event, 0).hex()))

    def do(self, command: c.Command, actor: str = "organiser:ana") -> None:
        number = len(self.lines) + 1
        proposal = self.ledger.propose(Request(f"c{number}", actor, number * 1_000_000, COMMANDS.encode(command)))
        assert isinstance(proposal, Proposal)
        self.ledger.accept(proposal.line, number, proposal)
        self.lines.append(proposal.line)

    def enter(self, count: int) -> None:
        self.do(c.OpenRegistration())
        self.do(c.Register(tuple(f"p{number}" for number in range(1, count + 1))))
        self.do(c.OpenCheckIn())
        self.do(c.CheckIn())
        self.do(c.CloseRegistration())

    def draft(self) -> None:
        self.do(c.DraftRound(chain_seed(MASTER, self.event, self.ledger.state.drafts + 1).hex()))

    def play_round(self, edit: Callable[[], None] = lambda: None) -> None:
        """Drafted, edited, published, and every table with a result."""
        self.draft()
        edit()
        self.do(c.PublishRound())
        self.do(c.StartRound())
        played = self.ledger.state.rounds[-1]
        lots = random.Random(played.number)
        for table in played.tables:
            scores = [lots.randrange(100) for _ in table.entries]
            seated = tuple(
                Seated(entry, 1 + sum(other > score for other in scores), score)
                for entry, score in zip(table.entries, scores, strict=True)
            )
            self.do(c.TellOpened(played.number, (table.number,)), "house")
            self.do(c.ReportResult(played.number, table.number, seated, "points"), "house")

    def play(self, count: int) -> None:
        """From the first entrant to the end."""
        self.enter(count)
        self.play_round()
        self.play_round()
        self.do(c.MakeCut())
        self.play_round()
        self.do(c.Finish())
