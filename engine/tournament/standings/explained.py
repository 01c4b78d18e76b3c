"""Why somebody stands where he stands: every key as the terms that add up to it, and what sets him behind the line
before.
"""

from fractions import Fraction

from engine.kernel.value import Value
from engine.tournament.exact import Exact, exact_text, shown
from engine.tournament.played import Deduction, Entrant, Entry, RoundResult
from engine.tournament.standings.book import Book
from engine.tournament.standings.ranking import Figure, Ranking, figure_of
from engine.tournament.standings.rules import Key, StandingRules
from engine.tournament.standings.terms import Sum, Worth
from engine.tournament.standings.tiebreaks import TIEBREAKS


class Part(Value, frozen=True):
    """One summand of a key. ``round``, ``table`` and ``opponent`` are 0 where there is none; ``component`` says which
    number of the key it belongs to, from 0 (only PLACES has several).
    """

    round: int
    table: int
    opponent: Entry
    value: Exact
    label: str
    component: int = 0


class KeyExplained(Value, frozen=True):
    """One key: the values of ``parts`` add up to ``value``, exactly. The parts of a mean are divided already."""

    key: Key
    label: str
    value: Figure
    parts: tuple[Part, ...]


class Behind(Value, frozen=True):
    """Compared with the line before. With ``decided_by`` None and no place between them, the place is shared."""

    entry: Entry
    equal: tuple[Key, ...]
    decided_by: Key | None
    own: Figure
    theirs: Figure
    sentence: str
    """All of it in English."""


class Explanation(Value, frozen=True):
    """One line of the standings with its reasons. ``behind`` is None for the first."""

    place: int
    entry: Entry
    keys: tuple[KeyExplained, ...]
    behind: Behind | None


def explain(
    rules: StandingRules,
    entrants: tuple[Entrant, ...],
    rounds: tuple[RoundResult, ...],
    deductions: tuple[Deduction, ...],
    entry: Entry,
    planned_rounds: int = 0,
) -> Explanation:
    """The reasons of one line. Arguments and errors as in ``ranking.standings``; ``entry`` is one of ``entrants``."""
    return explain_line(Ranking(Book(rules, entrants, rounds, deductions, planned_rounds)), entry)


def explain_line(ranking: Ranking, entry: Entry) -> Explanation:
    """As ``explain``, where the ranking is there already: for one who asks for many lines."""
    index = next(index for index, line in enumerate(ranking.lines) if line.entry == entry)
    keys = tuple(_key(ranking, key, entry) for key in ranking.book.rules.order)
    return Explanation(ranking.lines[index].place, entry, keys, _behind(ranking, index) if index else None)


def _key(ranking: Ranking, key: Key, entry: Entry) -> KeyExplained:
    tiebreak = TIEBREAKS[key]
    asked = ranking.tied[key].get(entry, (entry,)) if tiebreak.only_among_equals else (entry,)
    total = tiebreak.sums(ranking.book, asked).get(entry)
    return KeyExplained(key, tiebreak.label, figure_of(ranking.worth(key, entry)), _parts(total) if total else ())


def _parts(total: Sum) -> tuple[Part, ...]:
    return tuple(
        Part(
            term.round,
            term.table,
            term.opponent,
            exact_text(Fraction(term.amount, total.divisor)),
            term.label,
            term.component,
        )
        for term in total.terms
    )


def _behind(ranking: Ranking, index: int) -> Behind:
    before, line = ranking.lines[index - 1 : index + 1]
    order = ranking.book.rules.order
    if line.place == before.place != 0:
        return Behind(before.entry, order, None, None, None, f"Shares place {line.place} with {before.entry}.")
    if line.decided_by is None:
        entrant = ranking.book.entrants[line.entry]
        why = "Disqualified" if entrant.disqualified else "Not ranked"
        return Behind(before.entry, (), None, None, None, f"{why}.")
    equal = order[: order.index(line.decided_by)]
    own, theirs = (ranking.worth(line.decided_by, entry) for entry in (line.entry, before.entry))
    told = f"equal on {', '.join(equal)}; " if equal else ""
    sentence = f"Behind {before.entry}: {told}{line.decided_by} {_shown(own)} against {_shown(theirs)}."
    return Behind(before.entry, equal, line.decided_by, figure_of(own), figure_of(theirs), sentence)


def _shown(worth: Worth | None) -> str:
    if isinstance(worth, tuple):
        return "-".join(map(shown, worth))
    return "nothing" if worth is None else shown(worth)
