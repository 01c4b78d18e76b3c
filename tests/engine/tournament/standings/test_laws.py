"""Laws of all standings, on results that nobody thought of: terms add up, order is an order, definitions hold."""

from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import TypeAlias, TypeVar

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.tournament.exact import exact_of, exact_text
from engine.tournament.played import Award, AwardKind, Deduction, Entrant, RoundResult, Seated, TableResult
from engine.tournament.schemes import SCHEMES, Places, Wager, scheme_of, win_points
from engine.tournament.standings.book import Book
from engine.tournament.standings.explained import explain_line
from engine.tournament.standings.ranking import Ranking, points_before, standings
from engine.tournament.standings.rules import KEYS, Key, StandingRules
from engine.tournament.standings.tiebreaks import TIEBREAKS

FITTING = {name: scheme for name, scheme in SCHEMES.items() if not isinstance(scheme, Places)} | {
    "places": Places((("3", "1"), ("5", "3", "1"), ("5", "3", "2", "1"), ("7", "5", "3", "2", "1")))
}
"""Schemes for tables of two to five."""


Stage: TypeAlias = tuple[StandingRules, tuple[Entrant, ...], tuple[RoundResult, ...], tuple[Deduction, ...]]
T = TypeVar("T")


@st.composite
def stages(draw: st.DrawFn) -> Stage:
    """Up to nine entrants, up to four rounds with byes, absences and ties, rules of every kind."""
    count = draw(st.integers(2, 9))
    flags = st.sampled_from([(True, False)] * 6 + [(True, True), (False, False)])
    entrants = tuple(Entrant(entry, entry, *draw(flags)) for entry in range(1, count + 1))
    rounds = []
    for number in range(1, draw(st.integers(0, 4)) + 1):
        waiting = draw(st.permutations(range(1, count + 1)))
        tables: list[TableResult] = []
        while len(waiting) >= 2 and draw(st.integers(0, 9)):
            size = draw(st.integers(2, min(5, len(waiting))))
            scores = draw(st.lists(st.integers(-3, 12), min_size=size, max_size=size))
            seated = tuple(
                Seated(entry, 1 + sum(other > score for other in scores), score)
                for entry, score in zip(waiting, scores, strict=False)
            )
            tables.append(TableResult(len(tables) + 1, seated, draw(st.sampled_from(["", "line"]))))
            waiting = waiting[size:]
        awards = tuple(
            Award(entry, draw(st.sampled_from(AwardKind)), draw(st.sampled_from(["0", "1", "5/2"])))
            for entry in waiting
            if draw(st.booleans())
        )
        rounds.append(RoundResult(number, tuple(tables), awards))
    taken = tuple(
        Deduction(entry, draw(st.integers(1, 4)), draw(st.sampled_from(["1", "1/3"])))
        for entry in draw(st.lists(st.integers(1, count), max_size=2))
    )
    scheme = FITTING[draw(st.sampled_from(sorted(FITTING)))]
    has_win = win_points(scheme) is not None
    rules = StandingRules(
        scheme,
        tuple(draw(st.permutations([key for key in KEYS if has_win or key != "OMW"]))),
        best_of=0 if isinstance(scheme, Wager) else draw(st.integers(0, 3)),
        bye_opponent=draw(st.sampled_from(["none", "dummy", "virtual"])) if has_win else "none",
        refund_disqualified=draw(st.booleans()),
        rank_disqualified=draw(st.booleans()),
        substitutes_count=draw(st.booleans()),
        lot_seed=draw(st.sampled_from(["", "ab" * 32])),
    )
    return rules, entrants, tuple(rounds), taken


@settings(max_examples=60, deadline=None)
@given(stages())
def test_the_parts_of_every_key_add_up_to_it(stage: Stage) -> None:
    ranking = Ranking(Book(*stage))
    for line in ranking.lines:
        told = explain_line(ranking, line.entry)
        assert tuple((key.key, key.value) for key in told.keys) == line.keys
        for key in told.keys:
            if key.value is None:
                assert not key.parts
                continue
            found = key.value if isinstance(key.value, tuple) else (key.value,)
            sums = [Fraction()] * len(found)
            for part in key.parts:
                sums[part.component] += exact_of(part.value)
            assert tuple(map(exact_text, sums)) == found, key.key


@settings(max_examples=60, deadline=None)
@given(stages(), st.randoms(use_true_random=False))
def test_the_order_does_not_depend_on_the_order_of_what_is_given(stage: Stage, lots: Random) -> None:
    rules, entrants, rounds, taken = stage

    def mixed(items: tuple[T, ...]) -> tuple[T, ...]:
        return tuple(lots.sample(items, len(items)))

    others = tuple(
        RoundResult(
            one.number,
            tuple(TableResult(table.number, mixed(table.seated), table.reason) for table in mixed(one.tables)),
            mixed(one.awards),
        )
        for one in mixed(rounds)
    )
    assert standings(rules, mixed(entrants), others, mixed(taken)) == standings(rules, entrants, rounds, taken)


@settings(max_examples=60, deadline=None)
@given(stages())
def test_the_order_is_total_and_every_key_counts_only_among_equals(stage: Stage) -> None:
    rules, entrants, rounds, taken = stage
    lines = standings(rules, entrants, rounds, taken)
    assert sorted(line.entry for line in lines) == sorted(entrant.entry for entrant in entrants)
    out = {entrant.entry for entrant in entrants if entrant.disqualified or not entrant.ranked}
    ranked = [line for line in lines if line.entry not in out]
    assert [line.entry in out for line in lines] == sorted(line.entry in out for line in lines)
    assert [line.place for line in ranked] == [
        1 + min(index for index, other in enumerate(ranked) if other.place == line.place) for line in ranked
    ]
    for one, next_one in pairwise(ranked):
        differing = [key for key, own in one.keys if own != dict(next_one.keys)[key]]
        if one.place == next_one.place:
            assert not differing
            assert next_one.decided_by is None
        else:
            key = differing[0]
            assert next_one.decided_by == key
            better, worse = (_numbers(dict(line.keys)[key]) for line in (one, next_one))
            assert better > worse if TIEBREAKS[key].higher_is_better else better < worse


@settings(max_examples=60, deadline=None)
@given(stages())
def test_what_is_paired_by_is_what_the_standings_say(stage: Stage) -> None:
    before = points_before(*stage)
    assert {line.entry: exact_of(line.points) for line in standings(*stage)} == before


@settings(max_examples=60, deadline=None)
@given(stages())
def test_the_points_of_a_stage_are_what_its_tables_and_awards_paid(stage: Stage) -> None:
    """With places, a table pays its row, whoever ties and whoever was disqualified; a wager pays nothing."""
    _, entrants, rounds, taken = stage
    lost = sum((exact_of(one.points) for one in taken), Fraction())
    awarded = sum((exact_of(award.points) for one in rounds for award in one.awards), Fraction())
    for refund in (False, True):
        rules = StandingRules(FITTING["places"], ("TP",), refund_disqualified=refund)
        rows = {2: 4, 3: 9, 4: 11, 5: 18}
        paid = sum(rows[len(table.seated)] for one in rounds for table in one.tables)
        assert sum(points_before(rules, entrants, rounds, taken).values()) == paid + awarded - lost
        wager = StandingRules(scheme_of("wager"), ("TP",), refund_disqualified=refund)
        assert sum(points_before(wager, entrants, rounds, taken).values()) == 1000 * len(entrants) + awarded - lost


@settings(max_examples=60, deadline=None)
@given(stages())
def test_every_meeting_counts_for_both(stage: Stage) -> None:
    """Who is beaten and who beats are as many; shares of a table are 1; wins are as many as tables."""
    _, entrants, rounds, taken = stage
    book = Book(StandingRules(FITTING["places"]), entrants, rounds, taken)
    everybody = tuple(book.entrants)
    tables = [table for one in rounds for table in one.tables]

    def total(key: Key) -> Fraction:
        found = Fraction()
        for worth in TIEBREAKS[key].worths(book, everybody).values():
            assert isinstance(worth, Fraction)
            found += worth
        return found

    pairs = sum(len(table.seated) * (len(table.seated) - 1) for table in tables)
    assert total("BEAT") == Fraction(pairs, 2)
    assert total("SHARE") == total("WINS") == len(tables)
    assert total("NORM") == sum(len(table.seated) for table in tables)
    assert total("LINES") == sum(table.reason == "line" for table in tables)


def _numbers(figure: object) -> tuple[Fraction, ...]:
    texts = figure if isinstance(figure, tuple) else (figure,)
    return tuple(exact_of(str(text)) for text in texts)
