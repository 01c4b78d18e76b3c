"""Results written as they are spoken: names and scores, or names and places."""

from collections.abc import Iterable, Mapping
from fractions import Fraction

from engine.tournament.exact import exact_of
from engine.tournament.played import (
    Award,
    AwardKind,
    Deduction,
    Entrant,
    Entry,
    RoundResult,
    Seated,
    TableResult,
)
from engine.tournament.schemes import scheme_of
from engine.tournament.standings.book import Book
from engine.tournament.standings.ranking import Line, standings
from engine.tournament.standings.rules import Key, StandingRules
from engine.tournament.standings.tiebreaks import TIEBREAKS

NAMES = "ABCDEFGH"


def number(name: str) -> Entry:
    return NAMES.index(name) + 1


def name(entry: Entry) -> str:
    return NAMES[entry - 1]


def entrants(names: str, unranked: str = "", disqualified: str = "") -> tuple[Entrant, ...]:
    return tuple(Entrant(number(one), number(one), one not in unranked, one in disqualified) for one in names)


def table(at: int, scores: Mapping[str, int], reason: str = "") -> TableResult:
    """Scores by name; the higher one is better, equals tie."""
    return TableResult(
        at,
        tuple(
            Seated(number(one), 1 + sum(other > score for other in scores.values()), score)
            for one, score in scores.items()
        ),
        reason,
    )


def scored(text: str) -> dict[str, int]:
    """``A100 B80`` → the scores by name."""
    return {word[0]: int(word[1:]) for word in text.split()}


def round_of(at: int, *tables: str | TableResult, awards: Iterable[Award] = ()) -> RoundResult:
    return RoundResult(
        at,
        tuple(
            one if isinstance(one, TableResult) else table(place, scored(one)) for place, one in enumerate(tables, 1)
        ),
        tuple(awards),
    )


def award(one: str, points: str, kind: AwardKind = AwardKind.BYE) -> Award:
    return Award(number(one), kind, points)


def deduction(one: str, at: int, points: str) -> Deduction:
    return Deduction(number(one), at, points)


def order(lines: Iterable[Line]) -> str:
    """``CE(AB)``: those who share a place in brackets."""
    text = ""
    for line in lines:
        begins, ends = line.sharing > 1, line.sharing > 1
        text += ("(" if begins else "") + name(line.entry) + (")" if ends else "")
    return text.replace(")(", "")


class Values:
    """The value of any key, by name."""

    def __init__(self, book: Book) -> None:
        self._book = book

    def of(self, key: Key, one: str) -> Fraction:
        worth = TIEBREAKS[key].worths(self._book, (number(one),))[number(one)]
        assert isinstance(worth, Fraction)
        return worth


def values(rules: StandingRules, field: tuple[Entrant, ...], *rounds: RoundResult, planned: int = 0) -> Values:
    return Values(Book(rules, field, rounds, planned_rounds=planned))


def points(lines: Iterable[Line]) -> dict[str, Fraction]:
    return {name(line.entry): exact_of(line.points) for line in lines}


def ranked(rules: StandingRules, field: tuple[Entrant, ...], *rounds: RoundResult) -> str:
    return order(standings(rules, field, rounds))


PLACES_4 = scheme_of("5-3-2-1")

EXAMPLE_A = (
    round_of(1, "A100 B80 C80 D60", "E90 F70 G50 H30"),
    round_of(2, "A70 E70 B60 F50", "C95 G85 D75 H45"),
    round_of(3, "C90 E75 G75 A60", "B88 D66 F44 H22"),
)
"""Eight entrants, three rounds at tables of four."""
