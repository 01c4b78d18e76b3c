"""A table to play at: one match with its log, its dice and a clock that moves when told to. No service, no I/O.

``play`` plays a whole match at random from one number; everything the laws look at comes from there.
"""

import random
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, TypeAlias

import msgspec

from engine.kernel.chance import Chance, commitment, spec_of
from engine.kernel.codec import Named, Recorded
from engine.kernel.commit import CLOCK, HOST, HOUSE, LUCK, Commit, seat_actor
from engine.kernel.game import AnyGame, Automatic, Over, Pending, Seats
from engine.kernel.history import AnyHistory, Duplicate, History
from engine.kernel.match import AnyMatch, Match, MatchState, Request
from engine.kernel.official import Expire, Leave, OpenMatch, Proceed, ResolveLuck, RevealSeed
from engine.kernel.process import AskLuck, AskSeed, AwaitClock, GoOn
from engine.kernel.value import Instant, Referee, Seat, SeatView, Spectator, Viewer
from engine.luck.algorithm import outcome
from engine.luck.seeds import mixed_seed
from tests.kit.given import NOON, SEED

SECOND = 1_000_000

Driver: TypeAlias = Callable[[AnyGame, Any, Seat, random.Random], Named]
"""Chooses a command for a pending seat."""


class Table:
    """One match. ``say`` asks and appends; refusals come through as they are."""

    def __init__(self, game: AnyGame, match_id: str = "m-test", seed: bytes = SEED) -> None:
        self.match: AnyMatch = Match(game)
        self.history: AnyHistory = History(self.match, match_id)
        self.seed = seed
        self.now: Instant = NOON
        self.lines: list[bytes] = []
        self.said = 0

    @property
    def state(self) -> MatchState[Any]:
        return self.history.state

    @property
    def pending(self) -> Pending:
        return self.history.pending

    def say(self, actor: str, command: Named | Recorded, id: str = "", expected: int = 0) -> Commit | Duplicate:
        """A command at ``now``; a new id unless one is given."""
        self.said += 1
        recorded = command if isinstance(command, Recorded) else self.match.record_command(command)
        request = Request(id or f"c{self.said}", actor, self.now, recorded)
        answer = self.history.propose(request, expected_revision=expected)
        if isinstance(answer, Duplicate):
            return answer
        self.lines.append(answer.line)
        return self.history.accept(answer.line, len(self.lines), answer)

    def open(
        self, seats: int, options: dict[str, Any] | None = None, turn_ms: int = 0, nonces: tuple[str, ...] = ()
    ) -> "Table":
        self.say(HOST, OpenMatch(seats, options or {}, nonces, (), turn_ms, commitment(self.seed).hex()))
        return self

    def luck(self) -> bool:
        """Answer the pending chance, if there is one, as the deck service would."""
        if not isinstance(self.pending, Chance):
            return False
        draw_id = self.state.next_draw_id(self.pending.label)
        asked = self.pending.spec
        nonces = [bytes.fromhex(nonce) for nonce in self.state.opened.nonces]
        values = outcome(mixed_seed(self.seed, nonces), draw_id, asked)
        self.say(LUCK, ResolveLuck(draw_id, spec_of(asked), values), AskLuck.id_of(draw_id))
        return True

    def settle(self) -> "Table":
        """Answer luck and let the rules go on until people are asked or play is over."""
        while self.luck() or self.go_on():
            pass
        return self

    def go_on(self) -> bool:
        """Let the rules go on by themselves, if it is their turn, as the house would."""
        if not isinstance(self.pending, Automatic):
            return False
        self.say(HOUSE, Proceed(), GoOn.id_of(self.history.revision))
        return True

    def expire(self) -> None:
        """Let the clock run out."""
        self.now = max(self.now, self.state.deadline)
        self.say(CLOCK, Expire(self.state.turn), AwaitClock.id_of(self.state.turn))

    def move(self, seat: Seat, command: Named) -> Commit | Duplicate:
        return self.say(seat_actor(seat), command)

    def leave(self, seat: Seat) -> Commit | Duplicate:
        return self.say(HOST, Leave(seat))

    def close(self) -> "Table":
        self.say(LUCK, RevealSeed(self.seed.hex()), AskSeed.command_id)
        return self


class Played(msgspec.Struct, frozen=True):
    """A whole match; ``states[i]`` is the state at revision i + 1."""

    match: AnyMatch
    lines: tuple[bytes, ...]
    commits: tuple[Commit, ...]
    states: tuple[MatchState[Any], ...]

    @property
    def seats(self) -> int:
        return self.states[0].opened.seats

    def events(self, index: int) -> tuple[Named, ...]:
        return tuple(self.match.event_of(recorded) for recorded in self.commits[index].events)

    def sample(self, count: int) -> Iterator[tuple[int, MatchState[Any]]]:
        """About ``count`` revisions, evenly spread, the first and the last among them."""
        last = len(self.states) - 1
        for index in sorted({round(step * last / max(1, count - 1)) for step in range(count)}):
            yield index, self.states[index]


def viewers(seats: int) -> tuple[Viewer, ...]:
    """Everybody who may look at a match; the referee last."""
    return (Spectator(), *(SeatView(seat) for seat in range(seats)), Referee())


SEATS_LOOKED_AT = 10
"""Of a larger table, at one revision."""


def some_viewers(seats: int, number: int) -> tuple[Viewer, ...]:
    """Everybody at a small table; of a large one some seats, others for each ``number``, with spectator and referee."""
    first = number * SEATS_LOOKED_AT % seats
    shown = sorted({(first + at) % seats for at in range(min(seats, SEATS_LOOKED_AT))})
    return (Spectator(), *map(SeatView, shown), Referee())


def play(
    game: AnyGame,
    seats: int,
    options: dict[str, Any],
    number: int,
    *,
    leavers: int = 0,
    sleepers: bool = False,
    driver: Driver | None = None,
) -> Played:
    """A match at random, the same for the same arguments: also when and who leaves, and whose clock runs out."""
    dice = random.Random(f"{game.key} {seats} {number}")
    table = Table(game, f"m-{number}", dice.randbytes(32))
    nonces = tuple(dice.randbytes(8).hex() if dice.random() < 0.5 else "" for _ in range(seats))
    table.open(seats, options, turn_ms=60_000 if sleepers else 0, nonces=nonces)
    states, commits = [table.state], [_commit(table)]
    leaving = dice.sample(range(seats), leavers)
    while not table.state.seed:
        table.now += dice.randrange(SECOND)
        pending = table.pending
        if leaving and not isinstance(pending, Over) and dice.random() < 0.1:
            table.leave(leaving.pop())
        elif isinstance(pending, Chance):
            table.luck()
        elif isinstance(pending, Automatic):
            table.go_on()
        elif isinstance(pending, Over):
            table.close()
        elif sleepers and dice.random() < 0.1:
            table.expire()
        else:
            assert isinstance(pending, Seats)
            seat = dice.choice(pending.seats)
            table.move(seat, (driver or pick)(game, table.state.game, seat, dice))
        states.append(table.state)
        commits.append(_commit(table))
        assert len(table.lines) <= game.turns_max, f"{game.key} plays on beyond {game.turns_max} commits"
    return Played(table.match, tuple(table.lines), tuple(commits), tuple(states))


def pick(game: AnyGame, state: Any, seat: Seat, dice: random.Random) -> Named:
    """A command of ``seat`` at random: half the time by walking the menus, so that rare branches are met too."""
    if dice.random() < 0.5:
        commands: list[Named] = list(islice(game.legal(state, seat), 300))
        return dice.choice(commands)
    path: tuple[str, ...] = ()
    while True:
        menu = game.choices(state, seat, path)
        if menu.command is not None and (not menu.choices or dice.random() < 0.5):
            command: Named = game.commands.decode(msgspec.json.decode(menu.command, type=Recorded))
            return command
        path = (*path, dice.choice(menu.choices).key)


def _commit(table: Table) -> Commit:
    return msgspec.json.decode(table.lines[-1], type=Commit)
