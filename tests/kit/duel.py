"""A dice duel of two minutes: the smallest game that needs everything the kernel can do.

Each seat is dealt a secret charm. In every round all seats pick a number at the same time and in secret; then each
rolls a die and scores its number if the die reaches twice it (a bold seat scores double and needs one more). At the
end the charms are shown and count. It stands in for a game wherever the kernel is tested, and is never discovered.
"""

from collections.abc import Iterator
from typing import ClassVar, TypeAlias, assert_never

import msgspec

from engine.kernel.chance import Chance, Draw, Drawn, Outcome, Roll, Rolled
from engine.kernel.codec import Codec, Named
from engine.kernel.game import (
    Automatic,
    Choice,
    Game,
    Menu,
    Objective,
    Over,
    Pending,
    ScoreLine,
    Seats,
    SeatScore,
    Setup,
    Svg,
)
from engine.kernel.refusal import Refusal
from engine.kernel.seats import at_table, ranks_of
from engine.kernel.value import Seat, Value, Viewer, speaks_for

HIDDEN = 0
"""Stands for a number that a viewer may not know; no charm and no pick is 0."""
CHARMS = tuple(range(1, 10))
NUMBERS = (1, 2, 3)


class DuelOptions(Value, frozen=True):
    rounds: int = 2
    charms: bool = True

    def __post_init__(self) -> None:
        if not 1 <= self.rounds <= 5:
            raise ValueError("a duel has 1 to 5 rounds")


class Pick(Named, frozen=True):
    name: ClassVar[str] = "duel.pick"
    number: int
    bold: bool


class CharmsDealt(Named, frozen=True):
    """By seat; a seat knows its own."""

    name: ClassVar[str] = "duel.charms_dealt"
    charms: tuple[int, ...]


class Picked(Named, frozen=True):
    name: ClassVar[str] = "duel.picked"
    seat: Seat
    number: int
    bold: bool


class RoundRolled(Named, frozen=True):
    """By seat, 0 for a seat that has left; the picks are open now."""

    name: ClassVar[str] = "duel.round_rolled"
    faces: tuple[int, ...]
    picks: tuple[tuple[int, bool], ...]


class CharmsShown(Named, frozen=True):
    name: ClassVar[str] = "duel.charms_shown"
    charms: tuple[int, ...]


class SeatGone(Named, frozen=True):
    name: ClassVar[str] = "duel.seat_gone"
    seat: Seat


Event: TypeAlias = CharmsDealt | Picked | RoundRolled | CharmsShown | SeatGone


class DuelState(Value, frozen=True):
    options: DuelOptions
    points: tuple[int, ...]
    charms: tuple[int, ...] = ()
    shown: bool = False
    round: int = 0
    picks: tuple[tuple[int, bool] | None, ...] = ()
    gone: tuple[Seat, ...] = ()

    @property
    def here(self) -> tuple[Seat, ...]:
        return at_table(len(self.points), self.gone)


class Duel(Game[DuelOptions, DuelState, Pick, Event]):
    key = "duel"
    title = "Dice Duel"
    version = 1
    seats = range(2, 5)
    turns_max = 40
    options = DuelOptions
    commands = Codec(Pick)
    events: Codec[Event] = Codec.of(Event)

    def initial(self, setup: Setup[DuelOptions]) -> DuelState:
        if setup.options.rounds == 5 and setup.seats == 4:
            raise Refusal("too_long", "Four seats duel for at most four rounds.")
        return DuelState(setup.options, (0,) * setup.seats, picks=(None,) * setup.seats)

    def pending(self, state: DuelState) -> Pending:
        played = state.round == state.options.rounds
        if len(state.here) == 1 or state.shown or (played and not state.options.charms):
            return Over(_ranks(state), "left" if len(state.here) == 1 else "points")
        if played:
            return Automatic()
        if state.options.charms and not state.charms:
            return Chance("charms", Draw(CHARMS, len(state.points)))
        waiting = tuple(seat for seat in state.here if state.picks[seat] is None)
        return Seats(waiting) if waiting else Chance("dice", Roll(6, len(state.here)))

    def decide(self, command: Pick, state: DuelState, seat: Seat) -> tuple[Event, ...]:
        if command.number not in NUMBERS:
            raise Refusal("bad_number", "Pick 1, 2 or 3.")
        return (Picked(seat, command.number, command.bold),)

    def resolve(self, outcome: Outcome, state: DuelState) -> tuple[Event, ...]:
        match outcome:
            case Drawn(_, cards):
                return (CharmsDealt(cards),)
            case Rolled(_, faces):
                by_seat = dict(zip(state.here, faces, strict=True))
                rolled = RoundRolled(
                    tuple(by_seat.get(seat, 0) for seat in range(len(state.points))),
                    tuple(pick or (HIDDEN, False) for pick in state.picks),
                )
                return (rolled,)
            case _:
                assert_never(outcome)

    def proceed(self, state: DuelState) -> tuple[Event, ...]:
        return (CharmsShown(state.charms),)

    def leave(self, state: DuelState, seat: Seat) -> tuple[Event, ...]:
        return (SeatGone(seat),)

    def evolve(self, state: DuelState, event: Event) -> DuelState:
        match event:
            case CharmsDealt(charms):
                return _replace(state, charms=charms)
            case Picked(seat, number, bold):
                return _replace(state, picks=_put(state.picks, seat, (number, bold)))
            case RoundRolled(faces, picks):
                gained = (_gain(face, pick) for face, pick in zip(faces, picks, strict=True))
                points = tuple(sum(pair) for pair in zip(state.points, gained, strict=True))
                return _replace(state, points=points, round=state.round + 1, picks=(None,) * len(points))
            case CharmsShown(charms):
                return _replace(state, charms=charms, shown=True)
            case SeatGone(seat):
                return _replace(state, gone=(*state.gone, seat))
            case _:
                assert_never(event)

    def legal(self, state: DuelState, seat: Seat) -> Iterator[Pick]:
        pending = self.pending(state)
        if isinstance(pending, Seats) and seat in pending.seats:
            yield from (Pick(number, bold) for number in NUMBERS for bold in (False, True))

    def choices(self, state: DuelState, seat: Seat, path: tuple[str, ...], language: str = "en") -> Menu:
        if next(self.legal(state, seat), None) is None:
            raise Refusal("not_your_turn", "There is nothing to choose.")
        match path:
            case ():
                return self.menu(
                    "Which number?", *(Choice(str(number), f"Pick {number}", f"number-{number}") for number in NUMBERS)
                )
            case ("1" | "2" | "3",):
                return self.menu("How?", Choice("calm", "Calmly"), Choice("bold", "Boldly"))
            case ("1" | "2" | "3" as number, "calm" | "bold" as how):
                return self.menu("Confirm", command=Pick(int(number), how == "bold"))
            case _:
                raise Refusal("no_such_choice", "There is no such choice.")

    def default(self, state: DuelState, seat: Seat) -> Pick:
        return Pick(1, False)

    def redact(self, event: Event, viewer: Viewer) -> Event:
        match event:
            case CharmsDealt(charms):
                return CharmsDealt(_hide(charms, viewer))
            case Picked(seat):
                return event if speaks_for(viewer, seat) else Picked(seat, HIDDEN, False)
            case RoundRolled() | CharmsShown() | SeatGone():
                return event
            case _:
                assert_never(event)

    def view(self, state: DuelState, viewer: Viewer) -> DuelState:
        picks = tuple(
            pick if pick is None or speaks_for(viewer, seat) else (HIDDEN, False)
            for seat, pick in enumerate(state.picks)
        )
        return _replace(state, picks=picks, charms=state.charms if state.shown else _hide(state.charms, viewer))

    def scores(self, state: DuelState, language: str = "en") -> tuple[SeatScore, ...]:
        charms = state.charms if state.shown else (0,) * len(state.points)
        return tuple(
            SeatScore(
                seat,
                points + charms[seat],
                (ScoreLine("dice", "Dice", points), ScoreLine("charm", "Charm", charms[seat])),
                (Objective("ten", "Ten points", points + charms[seat], 10),),
            )
            for seat, points in enumerate(state.points)
        )

    def board(self, view: DuelState, viewer: Viewer, language: str = "en") -> Svg:
        numbers = "".join(f'<text id="number-{number}" x="{number * 20}" y="20">{number}</text>' for number in NUMBERS)
        seats = "".join(
            f'<text id="seat-{seat}" x="5" y="{40 + 15 * seat}">{points} {charm}</text>'
            for seat, (points, charm) in enumerate(zip(view.points, view.charms or view.points, strict=True))
        )
        return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">{numbers}{seats}</svg>'

    def words(self, event: Event, language: str) -> str:
        match event:
            case CharmsDealt(charms):
                return f"Charms are dealt: {' '.join(str(charm or '?') for charm in charms)}."
            case Picked(seat, number):
                return f"Seat {seat} picks {number or 'in secret'}."
            case RoundRolled(faces):
                return f"The dice show {' '.join(str(face or '-') for face in faces)}."
            case CharmsShown(charms):
                return f"The charms were {' '.join(map(str, charms))}."
            case SeatGone():
                return ""
            case _:
                assert_never(event)


def _replace(state: DuelState, **changes: object) -> DuelState:
    return msgspec.structs.replace(state, **changes)


def _put(picks: tuple[tuple[int, bool] | None, ...], seat: Seat, pick: tuple[int, bool]) -> tuple[object, ...]:
    return (*picks[:seat], pick, *picks[seat + 1 :])


def _gain(face: int, pick: tuple[int, bool]) -> int:
    number, bold = pick
    return number * (1 + bold) if face >= 2 * number + bold else 0


def _ranks(state: DuelState) -> tuple[int, ...]:
    """By points with charms; a seat that has left ranks below all that stayed."""
    charms = state.charms if state.shown else (0,) * len(state.points)
    return ranks_of([(seat in state.here, points + charms[seat]) for seat, points in enumerate(state.points)])


def _hide(charms: tuple[int, ...], viewer: Viewer) -> tuple[int, ...]:
    return tuple(charm if speaks_for(viewer, seat) else HIDDEN for seat, charm in enumerate(charms))


DUEL = Duel()
