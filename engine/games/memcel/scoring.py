"""How many tiles of each colour lie face up, and the ranks that follow; public knowledge alone, so it cannot leak."""

from engine.games.memcel.language import CATALOGUE
from engine.games.memcel.model import NOBODY, State
from engine.games.memcel.printed import OWN_TILES
from engine.games.memcel.rings import open_own
from engine.kernel.game import Objective, ScoreLine, SeatScore
from engine.kernel.seats import ranks_of
from engine.kernel.value import Seat


def scores(state: State, language: str = "en") -> tuple[SeatScore, ...]:
    """A tile that lies open counts for its colour, whoever turned it up (M-22)."""
    return tuple(_score(state, seat, language) for seat in state.seats)


def _score(state: State, seat: Seat, language: str) -> SeatScore:
    count = len(open_own(state, seat))
    return SeatScore(
        seat=seat,
        total=count,
        lines=(ScoreLine("open", CATALOGUE.say(language, "Tiles of your colour face up"), count),),
        objectives=(Objective("all", CATALOGUE.say(language, "All tiles of your colour face up"), count, OWN_TILES),),
    )


def ranks(state: State, winner: Seat = NOBODY) -> tuple[int, ...]:
    """1 for the best; ties share a rank.

    ``winner`` stands before all: with all tiles open (M-27, M-28) or as the last seat (M-38). The others, and all at
    the last round's end (M-37), stand by their open tiles; ours: that order ranks the places below the first too, and
    seats that have left come last and share that rank, as their colour is neutral.
    """

    def key(seat: Seat) -> tuple[bool, bool, int]:
        if seat in state.left:
            return (False, False, 0)
        return (seat == winner, True, len(open_own(state, seat)))

    return ranks_of([key(seat) for seat in state.seats])
