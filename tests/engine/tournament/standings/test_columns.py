"""Standings by columns are the standings by terms; what is too large for columns is reckoned by terms."""

from collections.abc import Sequence
from unittest.mock import patch

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.kernel.chance import Roll
from engine.kernel.commit import decode_line
from engine.kernel.limits import SIDES_MAX
from engine.luck.algorithm import outcome
from engine.tournament import commands as c
from engine.tournament.changes import changes
from engine.tournament.columns.lots import lots_of
from engine.tournament.columns.table import AMOUNT_MAX, KEYS, Columns
from engine.tournament.played import Entrant
from engine.tournament.ranking import Counted, ranking
from engine.tournament.schemes import scheme_of
from engine.tournament.standings.book import Book
from engine.tournament.standings.explained import explain_line
from engine.tournament.standings.ranking import Line, Ranking, points_before, standings
from engine.tournament.standings.rules import Key, StandingRules
from engine.tournament.whatif import Supposed, placed, what_if
from tests.engine.tournament.standings.results import EXAMPLE_A, PLACES_4, entrants, round_of
from tests.engine.tournament.standings.test_laws import Stage, stages
from tests.kit.tournaments import Desk, event, swiss

WITH_COLUMNS: tuple[Key, ...] = (*KEYS, "LOT")


@st.composite
def with_columns(draw: st.DrawFn) -> Stage:
    """A stage that is ordered by keys which have a column."""
    rules, field, rounds, taken = draw(stages())
    order = tuple(draw(st.permutations(WITH_COLUMNS)))[: draw(st.integers(1, len(WITH_COLUMNS)))]
    return replace(rules, order=order, best_of=0), field, rounds, taken


def by_terms(book: Book) -> Ranking:
    with patch.object(Columns, "of", return_value=None):
        return Ranking(book)


@settings(max_examples=60, deadline=None)
@given(with_columns())
def test_columns_say_what_terms_add_up_to(stage: Stage) -> None:
    terms = by_terms(Book(*stage))
    columns = Ranking(Book(*stage))
    assert columns.lines == terms.lines
    last = columns.lines[-1].entry
    assert explain_line(columns, last) == explain_line(terms, last)
    with patch.object(Columns, "of", return_value=None):
        before = points_before(*stage)
    assert points_before(*stage) == before


@settings(max_examples=40, deadline=None)
@given(with_columns(), st.integers(0, 5))
def test_columns_know_every_round_of_the_past(stage: Stage, number: int) -> None:
    rules, field, rounds, taken = stage
    columns = Columns.of(Book(*stage))
    table = columns.table(number, number) if columns else None
    assume(table is not None)  # parts of a table of squares have denominators that are too large together
    assert table is not None
    past = Ranking(
        Book(
            rules,
            field,
            tuple(each for each in rounds if each.number <= number),
            tuple(each for each in taken if each.round <= number),
        )
    )
    assert table.entries.tolist() == [line.entry for line in past.lines]
    assert table.places.tolist() == [line.place for line in past.lines]
    for key in rules.order:
        assert list(table.figures(key)) == [dict(line.keys)[key] for line in past.lines]


@pytest.mark.parametrize("scheme", ["5-3-2-1", "commander", "wager", "match-points"])
def test_an_ordinary_event_has_columns(scheme: str) -> None:
    rules = StandingRules(scheme_of(scheme), WITH_COLUMNS)
    columns = Columns.of(Book(rules, entrants("ABCDEFGH"), EXAMPLE_A))
    assert columns is not None
    assert columns.table() is not None


@pytest.mark.parametrize("score", [AMOUNT_MAX + 1, 2**64, -(2**70)])
def test_what_is_too_large_for_a_column_is_reckoned_by_terms(score: int) -> None:
    rules = StandingRules(PLACES_4, ("RAW", "TP"))
    rounds = (round_of(1, f"A{score} B2 C1 D0"),)
    assert Columns.of(Book(rules, entrants("ABCD"), rounds)) is None
    assert dict(standings(rules, entrants("ABCD"), rounds)[-1 if score < 0 else 0].keys)["RAW"] == str(score)


def test_sums_that_would_be_too_large_are_not_compared() -> None:
    """Every score is small enough, and what they are worth on one denominator is not."""
    rules = StandingRules(PLACES_4, ("SOS", "TP"))
    columns = Columns.of(Book(rules, entrants("ABCD"), (round_of(1, "A3 B2 C1 D0"),)))
    assert columns is not None
    with patch("engine.tournament.columns.table.COMPARED_MAX", 8):
        assert columns.table() is None


@pytest.mark.parametrize("order", [("LOT",), ("LOT", "TP")])
def test_a_lot_that_is_secret_decides_nothing(order: tuple[Key, ...]) -> None:
    rules = StandingRules(PLACES_4, order)
    lines: Sequence[Line] = standings(rules, entrants("ABCD"), ())
    assert {(line.place, line.sharing, dict(line.keys)["LOT"]) for line in lines} == {(1, 4, None)}


def test_nobody_stands_where_nobody_plays() -> None:
    assert standings(StandingRules(PLACES_4), (), ()) == ()
    alone = Entrant(1, 1, ranked=False)
    assert [line.place for line in standings(StandingRules(PLACES_4), (alone,), ())] == [0]


def test_lots_are_two_dice_of_the_published_seed() -> None:
    lots = lots_of("ab" * 32, 20)
    assert lots is not None
    for entry in range(20):
        high, low = outcome(bytes.fromhex("ab" * 32), f"lot:{entry}", Roll(SIDES_MAX, 2))
        assert int(lots[entry]) == (high - 1) * SIDES_MAX + low - 1


@pytest.mark.parametrize("scheme", ["5-3-2-1", "commander"])
def test_changes_are_the_same_by_columns_and_by_lines(scheme: str) -> None:
    desk = Desk(event(swiss(3), scoring={"scheme": scheme, "order": ["TP", "SOS", "PSB", "RAW", "LOT"]}))
    desk.gather(14)
    for _ in range(3):
        desk.play(lambda entry: entry * 7919 % 11)
    came = desk.table(1, 1).entries
    after = what_if(desk.state, map(decode_line, desk.lines), (Supposed(1, 1, tuple(came)),)).state
    assert Counted(after, 0).table(2) is not None
    found = changes(desk.state, after)
    with patch.object(Columns, "of", return_value=None):
        assert changes(desk.state, after) == found != ()


def test_a_large_round_that_is_corrected_is_reckoned_anew() -> None:
    """What is remembered of large rounds is found by which round it is."""
    desk = Desk(event(swiss(2)))
    desk.gather(256)
    desk.play()
    before = ranking(desk.state, 0).lines
    assert ranking(desk.state, 0).lines == before
    entries = desk.table(1, 1).entries
    desk.do(c.CorrectResult(1, 1, placed(entries, (1, 2, 3, 4))))
    after = ranking(desk.state, 0).lines
    assert {line.entry for line in after if dict(line.keys)["TP"] == "5"} - {
        line.entry for line in before if dict(line.keys)["TP"] == "5"
    } == {entries[3]}
    desk.play()
    assert len(ranking(desk.state, 0).lines) == 256
