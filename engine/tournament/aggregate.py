"""An event as the kernel's ledger sees it: same shape, same rules as a match."""

from collections.abc import Sequence

from engine.kernel.codec import Named, Recorded, Undecodable
from engine.kernel.commit import line_hash
from engine.kernel.ledger import Ledger
from engine.kernel.match import Request
from engine.kernel.ports import Stored
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
RUN = 1_000
"""Lines that are decoded before any of them is folded: in more, the first are out of the processor's memory again."""


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
        self._events = TournamentAggregate()
        super().__init__(self._events, tournament_id)

    def catch_up(self, lines: Sequence[Stored]) -> None:
        """Take in the next lines, however many there are: the same as ``accept`` for each of them, in half the time,
        since nobody sees the states in between. Raises ``BrokenLog`` for the first that is not the next one; those
        before it have been taken in.
        """
        for start in range(0, len(lines), RUN):
            run = lines[start : start + RUN]
            for stored in run[self._take_in(run) :]:
                self.accept(stored.line, stored.position)

    def _take_in(self, lines: Sequence[Stored]) -> int:
        """The lines up to the first that is not as usual: ``accept`` knows what to make of that one. How many."""
        revision, head = self.revision, self.head
        events: list[Event] = []
        taken: list[Line] = []
        for stored in lines:
            line = LINES.read(stored.line)
            if (
                line is None
                or line.match != self.identity
                or line.revision != revision + 1
                or line.prev != head
                or line.rules != RULES
            ):
                break
            revision += 1
            head = line_hash(stored.line)
            events += [happened.data for happened in line.events]
            taken.append(line)
        if not taken:
            return 0
        try:
            self._state = self._events.evolve(self._state, events)
        except Exception:  # whatever it is that cannot be folded, ``accept`` finds the line that it stands in
            return 0
        for line in taken:
            self._remember(line.actor, line.id, line.revision, line.command)
        self.revision, self.head = revision, head
        self.position = lines[len(taken) - 1].position
        self.changed_at = taken[-1].at
        self.opened_at = self.opened_at or taken[0].at
        return len(taken)


def tournament_ledger(tournament_id: str) -> TournamentLedger:
    """An empty ledger of one event."""
    return TournamentLedger(tournament_id)
