"""Bots that play as people do: they remember what they saw, lose sight of some of it, and announce what they trust.

``easy`` and ``medium`` announce all that they believe to know; ``hard`` forgets less and counts on its forgetting, so
it announces as much as will probably hold.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from engine.games.memcel.choices import default, legal
from engine.games.memcel.commands import (
    AnnounceCount,
    ChooseDefence,
    Command,
    CoverTiles,
    DeclareAttack,
    DeclareDefence,
    PeekTile,
    PlaceTiles,
    RevealTile,
    SwapTiles,
)
from engine.games.memcel.events import Event
from engine.games.memcel.hunt import most
from engine.games.memcel.memory import PERCENT, Memory
from engine.games.memcel.model import At, Placement, State
from engine.games.memcel.moves import coverable
from engine.games.memcel.rings import covered, empties, open_own
from engine.kernel.brain import Brain, Lot
from engine.kernel.value import Seat

T = TypeVar("T")

FORGET = {"easy": 10, "medium": 5, "hard": 2}
"""Chance in a hundred that a remembered tile is not followed through a movement."""
RISK_MAX = 40
"""Chance in a hundred of an error somewhere that ``hard`` takes upon itself in one attack."""


class Rememberer(Brain[State, Command, Event]):
    """One seat with a memory of its own."""

    def __init__(self, seat: Seat, forget: int, *, careful: bool) -> None:
        super().__init__(seat)
        self._memory = Memory(forget)
        self._forget = forget
        self._careful = careful

    def see(self, event: Event, view: State, lot: Lot) -> None:
        self._memory.see(event, view, lot)

    def choose(self, view: State, lot: Lot) -> Command:
        match view.step:
            case "place":
                return self._place(view, lot)
            case "declare":
                return self._declare(view)
            case "announce":
                return AnnounceCount(max(1, min(most(view, self.seat), len(self._trusted(view)))))
            case "reveal":
                return RevealTile(self._next(view, lot))
            case "defence":
                return ChooseDefence("card")  # the deck is mildly kind, and one card in ten is a peek
            case "swap":
                return SwapTiles(self._two_to_swap(view, lot))
            case "peek":
                return PeekTile(_pick(self._unknown(view), lot))
            case "cover_own" | "cover_rival":
                return self._cover(view, lot)
            case _:
                return default(view, self.seat)

    def _place(self, view: State, lot: Lot) -> Command:
        """Anywhere: no place is easier to remember for a bot, and none may be harder to guess for others."""
        one, other = _sample(empties(view.board), 2, lot)
        first, second = _sample(view.supplies[self.seat], 2, lot)
        return PlaceTiles((Placement(one, first), Placement(other, second)))

    def _declare(self, view: State) -> Command:
        """A defence only rather than a blind guess that would turn down what lies open."""
        at_stake = view.options.on_miss == "reset" and open_own(view, self.seat)
        may_defend = DeclareDefence() in legal(view, self.seat)
        return DeclareDefence() if at_stake and may_defend and not self._trusted(view) else DeclareAttack()

    def _own(self, view: State) -> tuple[At, ...]:
        return self._memory.believed(view, view.colour(self.seat))

    def _trusted(self, view: State) -> tuple[At, ...]:
        """The own tiles that this brain would announce; a careful one adds up the doubts and stops in time."""
        own = self._own(view)
        if not self._careful:
            return own
        risk = count = 0
        for at in own:
            risk += self._memory.moves(at) * self._forget
            if risk > RISK_MAX:
                break
            count += 1
        return own[:count]

    def _next(self, view: State, lot: Lot) -> At:
        """The surest own tile; else one of which nothing is known; else any."""
        own = self._own(view)
        return own[0] if own else _pick(self._unknown(view), lot)

    def _unknown(self, view: State) -> tuple[At, ...]:
        """Face down and not remembered; all that lies face down where everything is remembered."""
        down = covered(view.board)
        return tuple(at for at in down if not self._memory.knows(at)) or down

    def _two_to_swap(self, view: State, lot: Lot) -> tuple[At, At]:
        """Two that lie face down and are not remembered as own: it muddles the others' memory more."""
        own = self._own(view)
        down = [at for at in covered(view.board) if at not in own]
        one, other = _sample(down if len(down) > 1 else covered(view.board), 2, lot)
        return one, other

    def _cover(self, view: State, lot: Lot) -> Command:
        """Own tiles: any, they are remembered. A rival's: one of whoever has most of them open."""
        targets, count = coverable(view, self.seat)
        if view.step == "cover_rival":
            faces = Counter(tile.face for at in targets if (tile := view.at(at)) is not None)
            leader = max(sorted(faces), key=faces.__getitem__)
            targets = tuple(at for at in targets if (tile := view.at(at)) is not None and tile.face == leader)
        return CoverTiles(tuple(_sample(targets, count, lot)))


def _pick(things: Sequence[T], lot: Lot) -> T:
    return things[lot(len(things))]


def _sample(things: Iterable[T], count: int, lot: Lot) -> list[T]:
    """``count`` different ones of ``things``, at random."""
    rest = list(things)
    return [rest.pop(lot(len(rest))) for _ in range(count)]


def _easy(seat: Seat) -> Rememberer:
    return Rememberer(seat, FORGET["easy"], careful=False)


def _medium(seat: Seat) -> Rememberer:
    return Rememberer(seat, FORGET["medium"], careful=False)


def _hard(seat: Seat) -> Rememberer:
    return Rememberer(seat, FORGET["hard"], careful=True)


BRAINS: Mapping[str, Callable[[Seat], Rememberer]] = {
    "easy": _easy,
    "medium": _medium,
    "hard": _hard,
    "greedy": _hard,
}

assert max(FORGET.values()) <= PERCENT
