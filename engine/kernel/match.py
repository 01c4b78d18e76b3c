"""``Match`` wraps any game, and is written once: opening, authority, clocks, luck, leaving, endings, the seed.

One call of ``decide`` makes all events of one commit. Order within a commit: what was done, what the game says happens,
then what follows of itself (the result, or the next clock). A move is a fact before luck is asked: ``decide`` ends at
the move, ``pending`` then says that chance is pending, and ``luck.resolve`` is a commit of its own under a draw id that
follows from the match alone. So nobody can retry a move to fish for a better card.
"""

from collections.abc import Callable
from functools import cached_property
from typing import Any, Generic, TypeAlias, cast

import msgspec

from engine.kernel import official, timing
from engine.kernel.chance import Chance, commitment, outcome_of, spec_of
from engine.kernel.codec import Named, Recorded, Undecodable
from engine.kernel.commit import CLOCK, HOST, HOUSE, LUCK, actor_seat
from engine.kernel.directing import directed, given_back, reason_of
from engine.kernel.draft import Draft, MatchState
from engine.kernel.game import Automatic, C, E, Game, O, Over, Pending, S, Seats, Setup
from engine.kernel.official import (
    CallTime,
    Expire,
    Extend,
    GiveBack,
    Leave,
    LuckResolved,
    MatchEnded,
    MatchOpened,
    OpenMatch,
    Pause,
    Proceed,
    ResolveLuck,
    Resume,
    RevealSeed,
    SeatLeft,
    SeedRevealed,
    TurnExpired,
)
from engine.kernel.opening import is_digest, opening
from engine.kernel.reader import LineReader
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.seats import at_table, put
from engine.kernel.timing import timing_of
from engine.kernel.value import Instant, Seat, Value, Viewer, clip, instant_text

_replace = msgspec.structs.replace

NOT_OPENED = "a match begins with tavolata.match_opened"


class Request(Value, frozen=True):
    """Somebody asks for something. The caller makes the id, the service's one clock stamps ``at``."""

    id: str
    actor: str
    at: Instant
    command: Recorded


class Decision(Value, Generic[S], frozen=True):
    """The events of one commit and the state after them; ``command`` is in its canonical stored form."""

    command: Recorded
    events: tuple[Recorded, ...]
    state: MatchState[S]


class Match(Generic[O, S, C, E]):
    """The decider of a whole match. One instance serves every match of its game: it keeps nothing of any of them."""

    def __init__(self, game: Game[O, S, C, E]) -> None:
        self.game = game
        overlap = official.EVENTS.types.keys() & game.events.types.keys()
        assert not overlap, f"{game.key} reuses kernel names: {sorted(overlap)}"
        self.folds: dict[type[Any], Callable[[S, E], S]] = {
            kind: game.fold_of(kind) for kind in game.events.types.values()
        }
        self._pending: tuple[S | None, Pending] = (None, Automatic())
        """The last position that was asked about, and the answer: one decision asks four times."""

    @cached_property
    def lines(self) -> LineReader:
        """What reads the lines of its game."""
        return LineReader(official.EVENTS, self.game.events)

    # -- deciding --------------------------------------------------------------------------------------------------

    def decide(self, state: MatchState[S] | None, request: Request) -> Decision[S]:
        """What the request makes happen. Raises ``Refusal``; nothing has changed then."""
        command = self.command_of(request.command)
        draft = Draft(self, state, request.at)
        if isinstance(command, OpenMatch):
            self._open(draft, command, request.actor)
        elif state is None:
            raise Refusal("unknown_match", "There is no such match.", Kind.MISSING)
        else:
            self._continue(draft, state, command, request)
        draft.conclude(before=None if state is None else self.pending(state))
        assert draft.state is not None
        return Decision(self.record_command(command), tuple(draft.events), draft.state)

    def _continue(self, draft: Draft[S], state: MatchState[S], command: Named, request: Request) -> None:
        if type(command) not in official.COMMAND_TYPES:
            draft.move(self.may_move(state, request.actor), cast(C, command))
            return
        match command:
            case ResolveLuck():
                self._resolve(draft, state, command, request.actor)
            case RevealSeed():
                self._reveal(draft, state, command, request.actor)
            case Leave():
                self._leave(draft, state, command, request.actor)
            case Expire():
                self._expire(draft, state, command, request)
            case Proceed():
                self._proceed(draft, state, request.actor)
            case Pause() | Resume() | Extend() | CallTime():
                _only(request.actor, HOST)
                _still_on(state)
                here = at_table(state.opened.seats, state.left)
                draft.add(directed(command, state.timing, here, request.at))
            case GiveBack():
                self._give_back(draft, state, command, request)
            case _:
                raise AssertionError(f"{command.name} is never asked of a match that is open")

    def _open(self, draft: Draft[S], command: OpenMatch, actor: str) -> None:
        _only(actor, HOST)
        if draft.state is not None:
            raise Refusal("match_exists", "A match with this id has been opened already.", Kind.EXISTS)
        draft.add(opening(self.game, command))

    def _resolve(self, draft: Draft[S], state: MatchState[S], command: ResolveLuck, actor: str) -> None:
        _only(actor, LUCK)
        pending = self.pending(state)
        if not isinstance(pending, Chance) or command.draw_id != state.next_draw_id(pending.label):
            raise Refusal("luck_not_asked", f"The match does not wait for the draw {clip(command.draw_id)}.")
        if command.spec != spec_of(pending.spec):
            raise Refusal("luck_spec_differs", f"The draw {command.draw_id} was asked with another spec.")
        try:
            outcome = outcome_of(pending, command.outcome)
        except ValueError as error:
            raise Refusal("luck_impossible", f"{error}.", Kind.INVALID) from error
        draft.add(LuckResolved(command.draw_id))
        draft.play(self.game.resolve(outcome, state.game))

    def _reveal(self, draft: Draft[S], state: MatchState[S], command: RevealSeed, actor: str) -> None:
        _only(actor, LUCK)
        if state.ended is None:
            raise Refusal("match_running", "The seed stays sealed until the match has ended.", Kind.DENIED)
        if state.seed:
            raise Refusal("seed_known", "The seed of this match has been revealed already.")
        if not is_digest(command.seed):
            raise Refusal("bad_seed", "A seed is 64 hex digits.", Kind.INVALID)
        if commitment(bytes.fromhex(command.seed)).hex() != state.opened.commitment:
            raise Refusal("seed_differs", "This is not the seed that the opening commit promised.", Kind.INVALID)
        draft.add(SeedRevealed(command.seed))

    def _leave(self, draft: Draft[S], state: MatchState[S], command: Leave, actor: str) -> None:
        if actor != HOST and actor_seat(actor) != command.seat:
            raise Refusal("not_your_seat", "A seat can only be given up by itself or by the host.", Kind.DENIED)
        if not 0 <= command.seat < state.opened.seats:
            raise Refusal("unknown_seat", f"This match has no seat {command.seat}.", Kind.INVALID)
        _still_on(state)
        if command.seat in state.left:
            raise Refusal("seat_has_left", f"Seat {command.seat} has left this match already.")
        if command.reason and actor != HOST:
            raise Refusal("bad_reason", "Only the host says why a seat leaves.", Kind.DENIED)
        draft.leave(SeatLeft(command.seat, reason_of(command.reason)))

    def _proceed(self, draft: Draft[S], state: MatchState[S], actor: str) -> None:
        _only(actor, HOUSE)
        if not isinstance(self.pending(state), Automatic):
            raise Refusal("nothing_to_do", "The match does not go on by itself now.")
        draft.play(self.game.proceed(state.game))

    def _expire(self, draft: Draft[S], state: MatchState[S], command: Expire, request: Request) -> None:
        seats = self._running_turn(state, command.turn, request.actor)
        if request.at < state.deadline:
            raise Refusal("not_yet", f"Turn {state.turn} runs until {instant_text(state.deadline)}.")
        late = state.timing.late(seats, request.at)
        draft.add(TurnExpired(command.turn, late))
        if self._forfeits(state, late):
            for seat in late:
                if not isinstance(draft.pending(), Over):
                    draft.leave(SeatLeft(seat))
            return
        for seat in late:
            still = draft.pending()
            if isinstance(still, Seats) and seat in still.seats:
                draft.move(seat, self.game.default(draft.so_far.game, seat))

    def _forfeits(self, state: MatchState[S], late: tuple[Seat, ...]) -> bool:
        """Whether late seats leave. Where nobody else would be left, none does: no seat's number may decide who wins.

        After time has been called a late seat is not at fault, so its default is played.
        """
        others = set(at_table(state.opened.seats, state.left)) - set(late)
        return state.opened.on_timeout == official.FORFEIT and not state.timing.called and bool(others)

    def _give_back(self, draft: Draft[S], state: MatchState[S], command: GiveBack, request: Request) -> None:
        self._running_turn(state, command.turn, request.actor)
        draft.add(given_back(command, state.timing, request.at))

    def _running_turn(self, state: MatchState[S], turn: int, actor: str) -> tuple[Seat, ...]:
        """The seats on the clock of ``turn``. Raises ``Refusal`` unless it runs and the clock itself speaks."""
        _only(actor, CLOCK)
        _still_on(state)
        pending = self.pending(state)
        if not isinstance(pending, Seats) or not state.deadline or turn != state.turn:
            raise Refusal("turn_is_past", f"Turn {turn} is not running.")
        if state.timing.paused:
            raise Refusal("match_paused", "The match is paused; its clocks stand still.")
        return pending.seats

    def may_move(self, state: MatchState[S], actor: str) -> Seat:
        """The seat behind ``actor`` if it may move now."""
        seat = actor_seat(actor)
        if seat is None:
            raise Refusal("not_a_seat", "Only a seat can make a move.", Kind.DENIED)
        if not 0 <= seat < state.opened.seats:
            raise Refusal("unknown_seat", f"This match has no seat {seat}.", Kind.INVALID)
        _still_on(state)
        if seat in state.left:
            raise Refusal("seat_has_left", f"Seat {seat} has left this match.", Kind.DENIED)
        if state.timing.paused:
            raise Refusal("match_paused", "The match is paused; wait until it goes on.")
        if state.timing.called:
            raise Refusal("time_called", "Time has been called; the house plays the match to its end.")
        pending = self.pending(state)
        if isinstance(pending, Chance):
            raise Refusal("luck_pending", "The match waits for the deck; try again in a moment.")
        if isinstance(pending, Automatic):
            raise Refusal("house_pending", "The match goes on by itself; try again in a moment.")
        if not isinstance(pending, Seats) or seat not in pending.seats:
            raise Refusal("not_your_turn", f"It is not the turn of seat {seat}.")
        return seat

    # -- folding ---------------------------------------------------------------------------------------------------

    def evolve(self, state: MatchState[S] | None, event: official.Event | E) -> MatchState[S]:
        """The state after one event; the same for the full state and for a view of it."""
        if not is_official(event):
            assert state is not None, NOT_OPENED
            return _replace(state, game=self.game.evolve(state.game, cast(E, event)))
        if isinstance(event, MatchOpened):
            options = msgspec.convert(event.options, self.game.options)
            return MatchState(event, self.game.initial(Setup(event.seats, options)), timing_of(event))
        assert state is not None, NOT_OPENED
        fold = _FOLDS.get(type(event))
        if fold is not None:
            return fold(state, event)
        return _replace(state, timing=timing.evolve(state.timing, cast(timing.TimeEvent, event)))

    def pending(self, state: MatchState[S]) -> Pending:
        """Whom the match waits for; ``Over`` once it has ended."""
        if state.ended is not None:
            return Over(state.ended.ranks, state.ended.reason)
        asked, answer = self._pending
        if asked is not state.game:
            answer = self.game.pending(state.game)
            self._pending = (state.game, answer)
        return answer

    # -- showing ---------------------------------------------------------------------------------------------------

    def redact(self, event: official.Event | E, viewer: Viewer) -> official.Event | E:
        """The event as ``viewer`` may know it. The kernel's own events are public."""
        return event if is_official(event) else self.game.redact(cast(E, event), viewer)

    def recall(self, event: official.Event | E, viewer: Viewer, now: MatchState[S]) -> official.Event | E:
        """A past event as ``viewer`` may know it now; in a match that is complete, as it was."""
        if is_official(event):
            return event
        if now.seed or self.game.past_is_open:
            return self.game.redact(cast(E, event), viewer)
        return self.game.recall(cast(E, event), viewer, now.game)

    def is_told_once(self, event: official.Event | E) -> bool:
        return not is_official(event) and self.game.is_told_once(cast(E, event))

    def view(self, state: MatchState[S], viewer: Viewer) -> MatchState[S]:
        return msgspec.structs.replace(state, game=self.game.view(state.game, viewer))

    def words(self, event: official.Event | E, language: str) -> str:
        """One sentence; empty where there is nothing to say."""
        if is_official(event):
            return official.words(cast(official.Event, event), language)
        return self.game.words(cast(E, event), language)

    # -- stored forms ----------------------------------------------------------------------------------------------

    def command_of(self, recorded: Recorded) -> official.Command | C:
        """Raises ``Refusal`` for what is no command of this game."""
        try:
            if recorded.type in official.COMMANDS.types:
                return official.COMMANDS.decode(recorded)
            return self.game.commands.decode(recorded)
        except Undecodable as error:
            raise Refusal("malformed_command", f"Not a command of {self.game.title}: {error}.", Kind.INVALID) from error

    def record_command(self, command: official.Command | C) -> Recorded:
        if type(command) in official.COMMAND_TYPES:
            return official.COMMANDS.encode(cast(official.Command, command))
        return self.game.commands.encode(cast(C, command))

    def event_of(self, recorded: Recorded) -> official.Event | E:
        """Raises ``Undecodable``: an unknown stored event is never skipped."""
        if recorded.type in official.EVENTS.types:
            return official.EVENTS.decode(recorded)
        return self.game.events.decode(recorded)

    def record_event(self, event: official.Event | E) -> Recorded:
        if is_official(event):
            return official.EVENTS.encode(cast(official.Event, event))
        return self.game.events.encode(cast(E, event))


AnyMatch: TypeAlias = Match[Any, Any, Any, Any]


def draw_of(event: LuckResolved) -> tuple[str, int]:
    """``deck/12`` → the label and the number of the draw."""
    label, _, count = event.draw_id.rpartition("/")
    return label, int(count)


def _resolved(state: MatchState[S], event: LuckResolved) -> MatchState[S]:
    label, count = draw_of(event)
    for at, (known, _) in enumerate(state.draws):
        if known == label:
            return _replace(state, draws=put(state.draws, at, (label, count)))
    return _replace(state, draws=(*state.draws, (label, count)))


def _left(state: MatchState[S], event: SeatLeft) -> MatchState[S]:
    return _replace(state, left=(*state.left, event.seat))


def _ended(state: MatchState[S], event: MatchEnded) -> MatchState[S]:
    return _replace(state, ended=event, timing=_replace(state.timing, deadline=0, paused=0))


def _revealed(state: MatchState[S], event: SeedRevealed) -> MatchState[S]:
    return _replace(state, seed=event.seed)


_FOLDS: dict[type[Any], Callable[[MatchState[Any], Any], MatchState[Any]]] = {
    LuckResolved: _resolved,
    SeatLeft: _left,
    MatchEnded: _ended,
    SeedRevealed: _revealed,
}
"""Of the kernel's own events those that are not about time."""


def is_official(event: Named) -> bool:
    """Whether this is one of the kernel's own events."""
    return type(event) in official.EVENT_TYPES


def _only(actor: str, allowed: str) -> None:
    if actor != allowed:
        raise Refusal("not_yours_to_do", f"Only the {allowed} may do this.", Kind.DENIED)


def _still_on(state: MatchState[Any]) -> None:
    if state.ended is not None:
        raise Refusal("match_over", "This match has ended.")


__all__ = ["AnyMatch", "Decision", "Match", "MatchState", "Request", "is_official"]
