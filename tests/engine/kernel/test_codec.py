"""Stored names are literals with a version; what is unknown raises; what was stored once is read for ever."""

from typing import Any, ClassVar, get_args

import msgspec
import pytest

from engine.kernel import official
from engine.kernel.codec import Codec, Named, Recorded, Undecodable
from engine.kernel.commit import encode_line
from engine.kernel.history import BrokenLog, History
from engine.kernel.match import Match
from engine.kernel.ports import Stored
from tests.kit.duel import DUEL, Duel, DuelState, Picked
from tests.kit.table import play


class Shot(Named, frozen=True):
    """Version 1 had ``x`` and ``y``, version 2 a ``cell``, version 3 a ``cell`` and a ``colour``."""

    name: ClassVar[str] = "test.shot"
    v: ClassVar[int] = 3
    cell: tuple[int, int]
    colour: str


def with_cell(fields: dict[str, Any]) -> dict[str, Any]:
    return {"cell": [fields["x"], fields["y"]]}


SHOTS = Codec(
    Shot, upcasters={("test.shot", 1): with_cell, ("test.shot", 2): lambda fields: fields | {"colour": "red"}}
)


def recorded(kind: str, v: int, data: bytes) -> Recorded:
    return Recorded(kind, v, msgspec.Raw(data))


def test_a_value_is_stored_under_its_literal_name() -> None:
    assert SHOTS.encode(Shot((1, 2), "blue")) == recorded("test.shot", 3, b'{"cell":[1,2],"colour":"blue"}')


@pytest.mark.parametrize(
    ("v", "data", "value"),
    [
        (1, b'{"x":1,"y":2}', Shot((1, 2), "red")),
        (2, b'{"cell":[1,2]}', Shot((1, 2), "red")),
        (3, b'{"cell":[1,2],"colour":"blue"}', Shot((1, 2), "blue")),
    ],
)
def test_every_version_that_was_stored_is_read(v: int, data: bytes, value: Shot) -> None:
    assert SHOTS.decode(recorded("test.shot", v, data)) == value


@pytest.mark.parametrize(
    ("kind", "v", "data"),
    [
        ("test.unknown", 1, b"{}"),
        ("test.shot", 0, b"{}"),
        ("test.shot", -1, b"{}"),
        ("test.shot", 4, b'{"cell":[1,2],"colour":"blue"}'),
        ("test.shot", 3, b'{"cell":[1,2]}'),
        ("test.shot", 3, b'{"cell":[1,2],"colour":"blue","more":1}'),
        ("test.shot", 3, b'{"cell":[1,2,3],"colour":"blue"}'),
        ("test.shot", 3, b'{"cell":[1,"2"],"colour":"blue"}'),
        ("test.shot", 3, b"[]"),
        ("test.shot", 3, b"{"),
        ("test.shot", 2, b'{"cell":[1,2],"more":1}'),
        ("test.shot", 2, b"[]"),
    ],
)
def test_anything_else_raises(kind: str, v: int, data: bytes) -> None:
    with pytest.raises(Undecodable):
        SHOTS.decode(recorded(kind, v, data))


def test_an_old_record_without_what_its_upcaster_needs_raises() -> None:
    with pytest.raises(Undecodable):
        SHOTS.decode(recorded("test.shot", 1, b'{"x":1}'))


def test_a_version_without_an_upcaster_is_ours_to_mend() -> None:
    with pytest.raises(AssertionError, match="no upcaster"):
        Codec(Shot, upcasters={("test.shot", 1): with_cell})


def test_two_types_cannot_share_a_name() -> None:
    with pytest.raises(AssertionError, match="share"):
        Codec(Shot, Shot, upcasters=SHOTS._upcasters)


def test_a_union_is_listed_once() -> None:
    assert list(official.COMMANDS.types.values()) == list(get_args(official.Command))
    assert list(Codec[Picked].of(Picked).types.values()) == [Picked]
    old = recorded("test.shot", 2, b'{"cell":[1,2]}')
    assert Codec[Shot | Picked].of(Shot | Picked, SHOTS._upcasters).decode(old) == Shot((1, 2), "red")


def test_a_value_of_another_codec_is_ours_to_mend() -> None:
    with pytest.raises(AssertionError):
        official.EVENTS.encode(Shot((1, 2), "red"))  # type: ignore[arg-type]  # wrong on purpose


def test_a_game_cannot_take_a_name_of_the_kernel() -> None:
    class Rude(Duel):
        events = Codec(*DUEL.events.types.values(), official.SeatLeft)  # type: ignore[arg-type]  # wrong on purpose

    with pytest.raises(AssertionError, match="reuses kernel names"):
        Match(Rude())


def test_stored_names_are_literals_of_ours() -> None:
    for codec in (official.COMMANDS, official.EVENTS):
        for name in codec.types:
            family, _, what = name.partition(".")
            assert family in ("tavolata", "luck")
            assert what == what.lower()


def test_the_schema_names_every_type_as_it_stands_in_a_line() -> None:
    schema = SHOTS.schema()
    assert [record["properties"]["type"]["const"] for record in schema["oneOf"]] == ["test.shot"]
    assert schema["oneOf"][0]["properties"]["v"] == {"const": 3}
    assert schema["oneOf"][0]["additionalProperties"] is False


# -- a stored history of an older version ------------------------------------------------------------------------------


class PickedNow(Named, frozen=True):
    """``duel.picked`` as it might be one day: in version 1 nobody could be ``bold`` and ``hasty``."""

    name: ClassVar[str] = "duel.picked"
    v: ClassVar[int] = 2
    seat: int
    number: int
    how: str


class DuelOfTomorrow(Duel):
    events = Codec(
        *(kind for kind in DUEL.events.types.values() if kind is not Picked),
        PickedNow,  # type: ignore[arg-type]  # wrong on purpose
        upcasters={
            ("duel.picked", 1): lambda old: {
                "seat": old["seat"],
                "number": old["number"],
                "how": "bold" if old["bold"] else "calm",
            }
        },
    )

    def evolve(self, state: DuelState, event: Any) -> DuelState:
        if isinstance(event, PickedNow):
            event = Picked(event.seat, event.number, event.how == "bold")
        return super().evolve(state, event)


def test_a_stored_match_folds_in_the_house_of_tomorrow() -> None:
    played = play(DUEL, 3, {}, 4)
    history: History[Any, Any, Any, Any] = History(Match(DuelOfTomorrow()), "m-4")
    for position, line in enumerate(played.lines, 1):
        history.accept(line, position)
    assert history.state == played.states[-1]
    together: History[Any, Any, Any, Any] = History(Match(DuelOfTomorrow()), "m-4")
    together.catch_up([Stored(position, line) for position, line in enumerate(played.lines, 1)])
    assert (together.state, together.head) == (history.state, history.head)


def test_a_match_of_tomorrow_does_not_fold_today() -> None:
    played = play(DUEL, 3, {}, 4)
    number = next(number for number, commit in enumerate(played.commits) if commit.command.type == "duel.pick")
    newer = tuple(msgspec.structs.replace(event, v=2) for event in played.commits[number].events)
    history: History[Any, Any, Any, Any] = History(Match(DUEL), "m-4")
    lines = [*played.lines[:number], encode_line(msgspec.structs.replace(played.commits[number], events=newer))]
    for position, line in enumerate(lines[:-1], 1):
        history.accept(line, position)
    with pytest.raises(BrokenLog) as caught:
        history.accept(lines[-1], number + 1)
    assert caught.value.revision == number + 1
