"""The table that a game folds by: complete, and what a rule has folded is not folded once more."""

from typing import ClassVar, TypeAlias

import pytest

from engine.kernel.codec import Codec, Named
from engine.kernel.fold import KEPT_MAX, Fold
from engine.kernel.value import Value


class Added(Named, frozen=True):
    name: ClassVar[str] = "sum.added"
    number: int


class Cleared(Named, frozen=True):
    name: ClassVar[str] = "sum.cleared"


class Sum(Value, frozen=True):
    total: int = 0


Event: TypeAlias = Added | Cleared
EVENTS: Codec[Event] = Codec.of(Event)


def adding() -> tuple[Fold[Sum, Event], list[int]]:
    """A fold, and what it has really folded."""
    fold: Fold[Sum, Event] = Fold(EVENTS)
    folded: list[int] = []

    @fold.on(Added)
    def _added(state: Sum, event: Added) -> Sum:
        folded.append(event.number)
        return Sum(state.total + event.number)

    @fold.on(Cleared)
    def _cleared(state: Sum, event: Cleared) -> Sum:
        return Sum()

    return fold.complete(), folded


def test_an_event_that_nothing_folds_is_found_when_the_game_is_loaded() -> None:
    fold: Fold[Sum, Event] = Fold(EVENTS)
    with pytest.raises(AssertionError, match=r"nothing folds \['Added', 'Cleared'\]"):
        fold.complete()


def test_what_a_rule_has_folded_is_found_once() -> None:
    fold, folded = adding()
    state, event = Sum(1), Added(2)
    after = fold.ahead(state, event)
    assert fold.evolve(state, event) is after
    assert folded == [2]
    assert fold.evolve(state, event) == Sum(3)
    assert folded == [2, 2]


def test_an_equal_event_and_another_state_are_folded() -> None:
    """Only the very same objects are known; a match may well have two equal events."""
    fold, folded = adding()
    state, event = Sum(1), Added(2)
    fold.ahead(state, event)
    assert fold.evolve(Sum(5), event) == Sum(7)
    fold.ahead(state, event)
    assert fold.evolve(state, Added(2)) == Sum(3)
    assert folded == [2, 2, 2, 2]


def test_what_nobody_asks_for_is_let_go() -> None:
    fold, _ = adding()
    events = [Added(number) for number in range(KEPT_MAX + 1)]
    for event in events:
        fold.ahead(Sum(), event)
    assert [fold.evolve(Sum(), event).total for event in events] == list(range(KEPT_MAX + 1))
