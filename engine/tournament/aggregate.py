"""An event as the kernel's ledger sees it: same shape, same rules as a match."""

from collections.abc import Sequence

from engine.kernel.codec import Named, Recorded, Undecodable
from engine.kernel.ledger import Ledger
from engine.kernel.match import Request
from engine.kernel.reader import Line, LineReader
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Value
from engine.tournament.commands import COMMANDS
from engine.tournament.decider import RULES, command_of, decide
from engine.tournament.events import EVENTS, Created, Event
from engine.tournament.fold import evolve, evolve_all
from engine.tournament.limits import COMMITS_MAX
from engine.tournament.state import Tournament

LINES = LineReader(EVENTS)


class Decision(Value, frozen=True):
    """The events of one commit and the state after them."""

    command: Recorded
    events: tuple[Recorded, ...]
    state: Tournament


class TournamentAggregate:
    """What ``Ledger`` asks of a kind of thing that has a log."""

    noun = "tournament"
    rules = RULES
    commits_max = COMMITS_MAX

    def read(self, line: bytes) -> Line | None:
        return LINES.read(line)

    def command_of(self, recorded: Recorded) -> Named:
        return command_of(recorded)

    def record_command(self, command: Named) -> Recorded:
        return COMMANDS.encode(command)  # type: ignore[arg-type]  # what ``command_of`` gave

    def decide(self, state: Tournament | None, request: Request) -> Decision:
        """Raises ``Refusal``."""
        command = command_of(request.command)
        events = decide(state, request, command)
        after = state
        for event in events:
            after = evolve(after, event)
        assert after is not None
        return Decision(COMMANDS.encode(command), tuple(map(EVENTS.encode, events)), after)

    def fold(self, state: Tournament | None, events: tuple[Recorded, ...]) -> Tournament:
        """Raises ``Undecodable``."""
        return self.evolve(state, [EVENTS.decode(recorded) for recorded in events])

    def evolve(self, state: Tournament | None, events: Sequence[Event]) -> Tournament:
        """The state after the events of one commit or of many. Raises ``Undecodable`` as ``fold``."""
        created = [place for place, event in enumerate(events) if type(event) is Created]
        if created != ([0] if state is None else []):
            raise Undecodable("a tournament is created once, by its first event")
        after = evolve_all(state, events)
        assert after is not None
        return after

    def unknown(self, identity: str) -> Refusal:
        return Refusal("unknown_tournament", f"There is no tournament {identity}.", Kind.MISSING)

    def too_long(self) -> Refusal:
        return Refusal("tournament_too_long", f"A tournament has at most {COMMITS_MAX} commits.")


class TournamentLedger(Ledger[Tournament]):
    """The event at one revision."""

    def __init__(self, tournament_id: str) -> None:
        super().__init__(TournamentAggregate(), tournament_id)


def tournament_ledger(tournament_id: str) -> TournamentLedger:
    """An empty ledger of one event."""
    return TournamentLedger(tournament_id)
