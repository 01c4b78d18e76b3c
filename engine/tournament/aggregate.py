"""An event as the kernel's ledger sees it: same shape, same rules as a match."""

from engine.kernel.codec import Named, Recorded, Undecodable
from engine.kernel.ledger import Ledger
from engine.kernel.match import Request
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Value
from engine.tournament.commands import COMMANDS
from engine.tournament.decider import RULES, command_of, decide
from engine.tournament.events import EVENTS, Created
from engine.tournament.fold import evolve
from engine.tournament.limits import COMMITS_MAX
from engine.tournament.state import Tournament


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
        for recorded in events:
            event = EVENTS.decode(recorded)
            if (state is None) != isinstance(event, Created):
                raise Undecodable("a tournament is created once, by its first event")
            state = evolve(state, event)
        if state is None:
            raise Undecodable("the first commit creates no tournament")
        return state

    def unknown(self, identity: str) -> Refusal:
        return Refusal("unknown_tournament", f"There is no tournament {identity}.", Kind.MISSING)

    def too_long(self) -> Refusal:
        return Refusal("tournament_too_long", f"A tournament has at most {COMMITS_MAX} commits.")


def tournament_ledger(tournament_id: str) -> Ledger[Tournament]:
    """An empty ledger of one event."""
    return Ledger(TournamentAggregate(), tournament_id)
