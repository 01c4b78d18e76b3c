"""Points, ranks and how far each seat has come; made of public knowledge alone, so a score can never leak."""

from engine.games.just4fun.fields import barred, held_fields, holder
from engine.games.just4fun.language import CATALOGUE
from engine.games.just4fun.layouts import LAYOUTS
from engine.games.just4fun.lines import LENGTH, LINES
from engine.games.just4fun.model import NOBODY, State
from engine.kernel.game import Objective, ScoreLine, SeatScore
from engine.kernel.seats import ranks_of
from engine.kernel.value import Seat

CLOSED = -LENGTH
"""A field that is lost to a seat outweighs all that it holds in the same line."""


def scores(state: State, language: str = "en") -> tuple[SeatScore, ...]:
    """What counting would give now (J-17), and the two ways to win as objectives."""
    held = [held_fields(state, seat) for seat in state.seats]
    totals = [sum(fields) for fields in held]
    return tuple(_score(state, seat, held[seat], totals, language) for seat in state.seats)


def _score(state: State, seat: Seat, held: tuple[int, ...], totals: list[int], language: str) -> SeatScore:
    locked = [field for field in held if state.locks[field - 1] == seat]
    free = [field for field in held if state.locks[field - 1] == NOBODY]
    rival = max(total for other, total in enumerate(totals) if other != seat)
    locked_label = CATALOGUE.count(language, "{n} field locked", "{n} fields locked", len(locked))
    held_label = CATALOGUE.count(language, "{n} field held by majority", "{n} fields held by majority", len(free))
    return SeatScore(
        seat=seat,
        total=totals[seat],
        lines=(
            ScoreLine("locked", locked_label, sum(locked)),
            ScoreLine("held", held_label, sum(free)),
        ),
        objectives=(
            Objective("line", CATALOGUE.say(language, "Four in a line"), line_progress(state, seat), LENGTH),
            Objective(
                "points", CATALOGUE.say(language, "More field points than every other seat"), totals[seat], rival + 1
            ),
        ),
    )


def line_progress(state: State, seat: Seat) -> int:
    """The most fields that ``seat`` holds in one line of four that is still open to it, 0 to 4.

    A line is lost to a seat for good with the first of its fields that is barred to it or locked by another: nobody
    ever loses a lead of two, as whoever lags so far may not place there again.
    """
    if seat in state.left:
        return 0
    worth = tuple(1 if holder(stack) == seat else CLOSED if barred(stack, seat) else 0 for stack in state.stacks)
    # Before a random layout is dealt the board is empty, and every layout gives 0.
    by_cell = [worth[number - 1] for number in state.layout or LAYOUTS["original"]]
    return max(0, *(by_cell[a] + by_cell[b] + by_cell[c] + by_cell[d] for a, b, c, d in LINES))


def ranks(state: State, winner: Seat = NOBODY) -> tuple[int, ...]:
    """1 for the best; ties share a rank.

    By total, then by the highest single field held (J-18). The tie-break only ever parts seats that are tied, so the
    highest field is worth nothing to a seat with a lower total; seats that hold no field at all share their rank.
    ``winner`` by a line, or as the last seat, stands before all (J-19, J-24). Ours: the same order also ranks those
    below the first, and after a line all but the winner; seats that have left come last and share that rank (J-24).
    """

    def key(seat: Seat) -> tuple[bool, bool, int, int]:
        if seat in state.left:
            return (False, False, 0, 0)
        held = held_fields(state, seat)
        return (seat == winner, True, sum(held), max(held, default=0))

    return ranks_of([key(seat) for seat in state.seats])
