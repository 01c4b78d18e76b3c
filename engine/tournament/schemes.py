"""Scoring schemes: what a table pays. A scheme is data, named (``"5-3-2-1"``) or written out, and never a float.

    "six-per-seat"
    {"kind": "places", "places": [["5", "3", "1"], ["5", "3", "2", "1"]]}    one row a table size
    {"kind": "win", "win": "5", "draw": "1", "loss": "0"}
    {"kind": "wager", "start": "1000", "stake": "7/100"}

Who ties shares the mean of the places that the group takes up, so a table always pays the sum of its row.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, TypeAlias, assert_never

import msgspec

from engine.kernel.limits import SEATS_MAX
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Value, clip
from engine.tournament.exact import Exact, exact_of, shown


class Places(Value, frozen=True, tag="places", tag_field="kind"):
    """Points by place. ``places`` has one row for every table size, best place first; its length is the size."""

    places: tuple[tuple[Exact, ...], ...]

    def __post_init__(self) -> None:
        sizes = [len(row) for row in self.places]
        if not sizes or 0 in sizes or max(sizes) > SEATS_MAX or len(set(sizes)) != len(sizes):
            raise ValueError(f"there is one row for every table size from 1 to {SEATS_MAX}; these are rows for {sizes}")
        for row in self.places:
            points = [exact_of(text) for text in row]
            if points != sorted(points, reverse=True):
                raise ValueError(f"a better place pays no less than a worse one, unlike {', '.join(row)}")

    def row(self, size: int) -> tuple[Exact, ...] | None:
        """The points at a table of ``size``, or None if the scheme has none."""
        return next((row for row in self.places if len(row) == size), None)


class Win(Value, frozen=True, tag="win", tag_field="kind"):
    """Who is first alone wins; who shares the first place draws; all others lose. Any table size."""

    win: Exact
    draw: Exact
    loss: Exact

    def __post_init__(self) -> None:
        if not exact_of(self.win) > exact_of(self.draw) >= exact_of(self.loss):
            raise ValueError("a win pays more than a draw, and a draw no less than a loss")


class NormalisedPlace(Value, frozen=True, tag="normalised-place", tag_field="kind"):
    """100 for the first, 0 for the last, evenly between: 100·(n - place)/(n - 1). Table sizes from 2."""


class Share(Value, frozen=True, tag="share", tag_field="kind"):
    """The score over the mean score of the table: 1 is average, whatever the size (the tie-break NORM)."""


class Squares(Value, frozen=True, tag="squares", tag_field="kind"):
    """100·P/ΣP with P = c² + 4c + 16 for a score of c (Manorcon's Diplomacy)."""


class MatchPoints(Value, frozen=True, tag="match-points", tag_field="kind"):
    """Against the whole field of the round, as in duplicate bridge: 2 for everyone beaten, 1 for every tie.

    At one table the places decide, between tables the scores. For rounds in which all tables had the same luck.
    """


class Wager(Value, frozen=True, tag="wager", tag_field="kind"):
    """Everybody begins with ``start`` and stakes the part ``stake`` of what he has; the winner takes the pot.

    Stakes are rounded down to hundredths. Who shares the first place shares the pot; hundredths that do not divide go
    one by one to the lowest entry numbers among them, so that nothing is lost.
    """

    start: Exact = "1000"
    stake: Exact = "7/100"

    def __post_init__(self) -> None:
        if exact_of(self.start) < 0 or not 0 < exact_of(self.stake) <= 1:
            raise ValueError("one begins with 0 or more, and stakes a part that is above 0 and at most 1")


Scheme: TypeAlias = Places | Win | NormalisedPlace | Share | Squares | MatchPoints | Wager

SCHEMES: Mapping[str, Scheme] = {
    "5-3-2-1": Places((("5", "3", "1"), ("5", "3", "2", "1"))),
    "six-per-seat": Places((("10", "6", "2"), ("11", "7", "4", "2"), ("12", "8", "5", "3", "2"))),
    "6-5-3-1": Places((("6", "5", "3", "1"),)),
    "win-heavy": Places(tuple(("1000", "100", "10", "1", "0")[:size] for size in range(2, 6))),
    "commander": Win("5", "1", "0"),
    "knock-out": Places((("6", "3", "2"), ("6", "3", "2", "1"))),
    "normalised-place": NormalisedPlace(),
    "share": Share(),
    "squares": Squares(),
    "match-points": MatchPoints(),
    "wager": Wager(),
}
"""Schemes by name. 5-3-2-1: Carcassonne and Terraforming Mars; six-per-seat: Newport Pagnell; win-heavy: the heats of
the WBC; commander: multiplayer Magic."""


def scheme_of(data: str | Mapping[str, Any]) -> Scheme:
    """A scheme from its name or from decoded TOML or JSON. Raises ``Refusal`` ``bad_scheme``, saying what is wrong."""
    if isinstance(data, str):
        if data not in SCHEMES:
            raise _bad(f"{clip(data)} is no scheme; there are {', '.join(SCHEMES)}.")
        return SCHEMES[data]
    try:
        scheme: Scheme = msgspec.convert(data, Scheme)
    except msgspec.ValidationError as error:
        raise _bad(f"The scheme is not valid: {error}.") from error
    return scheme


def check_fits(scheme: Scheme, sizes: Iterable[int]) -> None:
    """Raises ``Refusal`` ``bad_scheme`` if ``scheme`` has no points for one of these table sizes."""
    for size in sorted(set(sizes)):
        match scheme:
            case Places() if scheme.row(size) is None:
                raise _bad(f"The scheme has no points for tables of {size}.")
            case NormalisedPlace() if size < 2:
                raise _bad("The scheme normalised-place needs tables of at least 2.")
            case _:
                pass


def win_points(scheme: Scheme) -> Fraction | None:
    """What a win pays at a table of the smallest size, or None where that depends on scores, on the field or on stakes.

    Virtual opponents and match-win percentages are reckoned with it.
    """
    match scheme:
        case Places(places):
            return exact_of(min(places, key=len)[0])
        case Win(win):
            return exact_of(win)
        case NormalisedPlace():
            return Fraction(100)
        case Share() | Squares() | MatchPoints() | Wager():
            return None
        case _:
            assert_never(scheme)


class SchemeWarning(Value, frozen=True):
    """What an organiser should know before a scheme is used; nothing forbids it. ``code`` is a stable literal."""

    code: str
    sentence: str


def warnings(scheme: Scheme, sizes: Iterable[int]) -> tuple[SchemeWarning, ...]:
    """What is wrong with a scheme for tables of these ``sizes``, which it fits.

    ``draw_pays``: a draw of the whole table gives each player more than the mean of playing on, (win + losses)/n.
    With 3/1/0 at tables of four, four draws beat one win in four.
    ``uneven_sizes``: a seat at one size is worth more than at another, so where one sits decides.
    """
    ordered = sorted(set(sizes))
    check_fits(scheme, ordered)
    found = []
    if isinstance(scheme, Win):
        win, draw, loss = (exact_of(text) for text in (scheme.win, scheme.draw, scheme.loss))
        for size in ordered:
            expected = (win + (size - 1) * loss) / size
            if size > 1 and draw > expected:
                found.append(
                    SchemeWarning(
                        "draw_pays",
                        f"At a table of {size} a draw gives each player {shown(draw)}, playing on {shown(expected)}.",
                    )
                )
    if isinstance(scheme, Places):
        means = {size: sum(map(exact_of, scheme.row(size) or ()), Fraction()) / size for size in ordered}
        if len(set(means.values())) > 1:
            told = ", ".join(f"{shown(mean)} at tables of {size}" for size, mean in means.items())
            found.append(SchemeWarning("uneven_sizes", f"A seat is not worth the same everywhere: {told}."))
    return tuple(found)


def _bad(sentence: str) -> Refusal:
    return Refusal("bad_scheme", sentence, Kind.INVALID)
