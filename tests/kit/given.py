"""Given these events, when somebody asks for this, then these events, or this refusal.

One vocabulary for the kernel and for every game::

    given(DUEL, opened(DUEL, seats=2), CharmsDealt((3, 4))).when("seat:0", Pick(2, False)).then(Picked(0, 2, False))
"""

from typing import Any

import msgspec

from engine.kernel.chance import commitment
from engine.kernel.codec import Named
from engine.kernel.game import AnyGame, Pending
from engine.kernel.match import AnyMatch, Decision, Match, MatchState, Request
from engine.kernel.official import MatchOpened
from engine.kernel.refusal import Refusal
from engine.kernel.value import Instant

SEED = bytes(range(32))
"""The seed of every test match that needs no other."""
NOON: Instant = 1_764_504_000_000_000
"""2025-11-30T12:00:00Z; time in a test moves only when the test says so."""


def opened(game: AnyGame, seats: int, turn_ms: int = 0, **options: Any) -> MatchOpened:
    """The opening event as ``Match`` writes it: options complete, no nonces, nameless players."""
    return MatchOpened(
        game=game.key,
        version=game.version,
        seats=seats,
        options=msgspec.to_builtins(msgspec.convert(options, game.options)),
        players=("",) * seats,
        turn_ms=turn_ms,
        commitment=commitment(SEED).hex(),
        nonces=("",) * seats,
    )


class Given:
    """A match folded from events."""

    def __init__(self, match: AnyMatch, state: MatchState[Any] | None) -> None:
        self.match = match
        self.folded = state

    @property
    def state(self) -> MatchState[Any]:
        assert self.folded is not None
        return self.folded

    @property
    def pending(self) -> Pending:
        return self.match.pending(self.state)

    def when(self, actor: str, command: Named, *, at: Instant = NOON) -> "Then":
        request = Request("test", actor, at, self.match.record_command(command))
        try:
            return Then(self, self.match.decide(self.folded, request))
        except Refusal as refusal:
            return Then(self, refusal)


class Then:
    """What came of it."""

    def __init__(self, before: Given, result: Decision[Any] | Refusal) -> None:
        self.before = before
        self.result = result

    @property
    def decision(self) -> Decision[Any]:
        assert not isinstance(self.result, Refusal), f"refused: {self.result}"
        return self.result

    @property
    def events(self) -> tuple[Named, ...]:
        return tuple(self.before.match.event_of(recorded) for recorded in self.decision.events)

    def then(self, *events: Named) -> Given:
        """Exactly these events, in this order; answers the match after them."""
        assert self.events == events
        return self.after

    def then_refused(self, code: str) -> Refusal:
        assert isinstance(self.result, Refusal), f"accepted: {self.events}"
        assert self.result.code == code
        assert self.result.sentence.endswith(".")
        return self.result

    @property
    def after(self) -> Given:
        return Given(self.before.match, self.decision.state)


def given(game: AnyGame, *events: Named) -> Given:
    """A match in which these events have happened; none for a match that was never opened."""
    match: AnyMatch = Match(game)
    state: MatchState[Any] | None = None
    for event in events:
        state = match.evolve(state, event)
    return Given(match, state)
