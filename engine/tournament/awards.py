"""What a round without a table counts, in the points of the event's scheme."""

from fractions import Fraction
from typing import assert_never

from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import clip
from engine.tournament.exact import Exact, exact_of, exact_text
from engine.tournament.schemes import MatchPoints, NormalisedPlace, Places, Scheme, Share, Squares, Wager, Win


def award_points(scheme: Scheme, size: int, text: str) -> Exact:
    """The points of ``win``, ``average``, ``half`` or a number, by a scheme and a table size.

    Raises ``Refusal`` (``bad_award``) for a word where the scheme has no fixed points: a number must be given there.
    """
    if text in ("win", "average", "half"):
        worth = _worth(scheme, size)
        if worth is None or (text != "average" and worth[0] is None):
            raise Refusal("bad_award", f"This scheme has no fixed points for {text}; give a number.", Kind.INVALID)
        win, average = worth
        if text == "average":
            return exact_text(average)
        assert win is not None
        return exact_text(win if text == "win" else win / 2)
    try:
        return exact_text(exact_of(text))
    except ValueError as error:
        raise Refusal(
            "bad_award", f"An award is win, average, half or a number, not {clip(text)}.", Kind.INVALID
        ) from error


def _worth(scheme: Scheme, size: int) -> tuple[Fraction | None, Fraction] | None:
    """What a win and the mean of all seats are worth; ``None`` for what depends on how it is played."""
    match scheme:
        case Places():
            row = [exact_of(points) for points in scheme.row(size) or ()]
            return (row[0], sum(row, Fraction()) / len(row)) if row else None
        case Win(win, _, loss):
            return exact_of(win), (exact_of(win) + (size - 1) * exact_of(loss)) / size
        case NormalisedPlace():
            return Fraction(100), Fraction(50)
        case Share():
            return None, Fraction(1)
        case Squares():
            return None, Fraction(100, size)
        case MatchPoints() | Wager():
            return None
        case _:
            assert_never(scheme)
