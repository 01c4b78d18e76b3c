"""Keys that are right one by one, and do not go together: told before the event, and not when it is stuck."""

from typing import Any

import pytest

from engine.kernel.refusal import Refusal
from engine.tournament.config import READ_BY, Stage
from tests.kit.tournaments import event, stage, swiss

ARENA = {"horizon_ms": 7_200_000, "typical_ms": 1_800_000}


def told(*stages: dict[str, Any], **sections: dict[str, Any]) -> str:
    with pytest.raises(Refusal) as refusal:
        event(*stages, **sections)
    assert refusal.value.code == "bad_config"
    return refusal.value.sentence.removeprefix("The configuration does not hold: ")


@pytest.mark.parametrize(
    ("wrong", "key"),
    [
        (stage("elimination", final=5), "stages[0].final': the scheme has no points for tables of 5"),
        (stage("elimination", final=6), "stages[0].final"),
        (stage("elimination", smallest=2, target=2, largest=3, final=4), "stages[0].final"),
        (stage("elimination", largest=6), "stages[0].smallest': the scheme has no points for tables of 5"),
        (stage("elimination", byes_to=5), "stages[0].byes_to': 5 entrants cannot be seated"),
        (
            stage("elimination", smallest=3, target=3, largest=3, final=3, byes_to=4),
            "stages[0].byes_to': 4 entrants cannot be seated",
        ),
        (stage("elimination", byes_to=3), "stages[0].byes_to': a final of 4 needs"),
        (stage("arena", horizon_ms=1, typical_ms=1), "stages[0].horizon': an arena needs a horizon"),
        (stage("arena"), "stages[0].horizon': an arena needs a horizon"),
        (stage("groups", group_size=2), "stages[0].group_size': a group fills"),
        (stage("groups", rounds=4), "stages[0].rounds': this is for swiss and planned and heats"),
        (swiss(horizon_ms=60_000), "stages[0].horizon': this is for arena, and the stage is swiss"),
        (swiss(name=" "), "stages[0].name': a stage has a printable name"),
        (swiss(games=["memcel", ""]), "stages[0].games[1]': a game has a printable name"),
    ],
)
def test_one_stage(wrong: dict[str, Any], key: str) -> None:
    assert told(wrong).startswith(f"'{key}")


@pytest.mark.parametrize(
    ("cut", "sentence"),
    [
        (stage("elimination", entrants=5), "5 entrants cannot be seated"),
        (stage("elimination", entrants=16, byes_to=15), "no number of byes"),
        (stage("groups", entrants=5), "5 players do not divide"),
        (stage("planned", entrants=5), "5 players do not divide"),
        (swiss(entrants=2), "a table needs 3 players"),
        (stage("arena", entrants=2, **ARENA), "a table needs 3 players"),
    ],
)
def test_a_cut_that_could_not_be_played(cut: dict[str, Any], sentence: str) -> None:
    assert told(swiss(), cut).startswith(f"'stages[1].entrants': {sentence}")


@pytest.mark.parametrize(
    "cut",
    [
        stage("elimination", entrants=16),
        stage("elimination", entrants=13, byes_to=4),
        stage("elimination", entrants=40, byes_to=16),
        stage("groups", entrants=16),
        stage("groups", entrants=18, group_size=9, smallest=3, target=3, largest=3),
        stage("planned", entrants=7),
        swiss(entrants=5),
        stage("arena", entrants=5, **ARENA),
    ],
)
def test_a_cut_that_can_be_played(cut: dict[str, Any]) -> None:
    assert event(swiss(), cut).stages[1].entrants == cut["entrants"]


def test_awards_are_worth_something_in_every_stage() -> None:
    """A scheme with rows for tables of three and four has no win at one of five."""
    larger = swiss(target=5, largest=5)
    assert "stages[1].smallest" in told(swiss(), larger)
    assert event(swiss(), larger, scoring={"scheme": "six-per-seat"}).awards.bye == "win"


def test_a_cap_fills_a_table() -> None:
    assert told(swiss(), registration={"cap": 2}).startswith("'registration.cap': 3 are needed")


def test_every_key_that_some_formats_read_is_a_key() -> None:
    assert set(READ_BY) <= set(Stage.__struct_fields__)
