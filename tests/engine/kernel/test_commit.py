"""The line is the truth: these bytes, and no others, are what is stored, exported and hashed."""

import hashlib

import msgspec
import pytest

from engine.kernel.chance import Draw, Roll, Spec, spec_of
from engine.kernel.codec import Recorded
from engine.kernel.commit import GENESIS, BadLine, actor_seat, decode_line, encode_line, line_hash, seat_actor
from engine.kernel.facts import fact_of
from engine.kernel.limits import COMMIT_BYTES_MAX
from engine.kernel.value import Referee, SeatView, Spectator
from tests.kit.duel import DUEL, Pick
from tests.kit.table import Table

OPENING = (
    b'{"match":"m-test","revision":1,"id":"c1","actor":"host","at":"2025-11-30T12:00:00.000000Z","rules":"duel/1",'
    b'"command":{"type":"tavolata.open_match","v":1,"data":{"seats":2,"options":{},"nonces":[],"players":[],'
    b'"turn_ms":0,"commitment":"%s"}},'
    b'"events":[{"type":"tavolata.match_opened","v":1,"data":{"game":"duel","version":1,"seats":2,'
    b'"options":{"rounds":2,"charms":true},"players":["",""],"turn_ms":0,"commitment":"%s","nonces":["",""]}}],'
    b'"prev":"0000000000000000000000000000000000000000000000000000000000000000"}'
)
DEAL = (
    b'{"match":"m-test","revision":2,"id":"luck:charms/1","actor":"luck","at":"2025-11-30T12:00:00.000000Z",'
    b'"rules":"duel/1","command":{"type":"luck.resolve","v":1,"data":{"draw_id":"charms/1",'
    b'"spec":{"draw":{"cards":[1,2,3,4,5,6,7,8,9],"count":2}},"outcome":[7,9]}},'
    b'"events":[{"type":"tavolata.luck_resolved","v":1,"data":{"draw_id":"charms/1"}},'
    b'{"type":"duel.charms_dealt","v":1,"data":{"charms":[7,9]}}],"prev":"%s"}'
)


def test_the_first_lines_of_a_match_byte_for_byte() -> None:
    table = Table(DUEL).open(2).settle()
    promise = table.state.opened.commitment.encode()
    assert table.lines[0] == OPENING % (promise, promise)
    assert table.lines[1] == DEAL % hashlib.sha256(table.lines[0]).hexdigest().encode()


def test_a_line_comes_back_as_the_same_bytes() -> None:
    for line in Table(DUEL).open(2).settle().lines:
        assert encode_line(decode_line(line)) == line
    assert line_hash(b"") == hashlib.sha256().hexdigest()
    assert len(GENESIS) == 64


LINE = Table(DUEL).open(2).lines[0]


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{}",
        b"null",
        LINE + b"\n",
        b" " + LINE,
        LINE[:-1],
        LINE + LINE,
        LINE.replace(b":1,", b":1.0,", 1),
        LINE.replace(b'"revision":1', b'"revision":"1"'),
        LINE.replace(b'"m-test"', b'"\\u006d-test"'),
        LINE.replace(b'"revision"', b'"Revision"'),
        LINE.replace(b"}}],", b"}}],\n", 1),
        LINE.replace(b"12:00:00.000000Z", b"12:00:00Z"),
        LINE.replace(b"12:00:00.000000Z", b"12:00:00.000000+00:00"),
        LINE.replace(b"12:00:00.000000Z", b"25:00:00.000000Z"),
        LINE.replace(b"2025-11-30T", b"2025-11-30 "),
        LINE.replace(b"2025-11-30", b"2025-11-31"),
        LINE.replace(b"2025", "２０２５".encode()),
        LINE.replace(b'"prev":', b'"more":1,"prev":'),
        b"[" * (COMMIT_BYTES_MAX - 1),
        b" " * (COMMIT_BYTES_MAX + 1),
        LINE.replace(b"m-test", b"\xff"),
    ],
)
def test_other_bytes_are_no_line(line: bytes) -> None:
    with pytest.raises(BadLine):
        decode_line(line)


def test_actors_of_seats() -> None:
    assert [actor_seat(seat_actor(seat)) for seat in (0, 1, 99)] == [0, 1, 99]
    assert [actor_seat(actor) for actor in ("host", "luck", "clock", "", "seat", "seat:", "seat:01", "seat:+1")] == [
        None
    ] * 8


def test_records_are_equal_by_their_bytes() -> None:
    one, other = (Recorded("a", 1, msgspec.Raw(data)) for data in (b"{}", b"{ }"))
    assert one == Recorded("a", 1, msgspec.Raw(b"{}"))
    assert hash(one) == hash(Recorded("a", 1, msgspec.Raw(b"{}")))
    assert one != other
    assert one != "a"


def test_a_spec_is_a_draw_or_a_roll() -> None:
    assert spec_of(Roll(6, 2)).asked == Roll(6, 2)
    assert spec_of(Draw((1, 2), 1)).asked == Draw((1, 2), 1)
    with pytest.raises(ValueError, match="either"):
        Spec()
    with pytest.raises(ValueError, match="either"):
        Spec(draw=Draw((), 0), roll=Roll(6, 1))


@pytest.mark.parametrize(("sides", "count"), [(0, 1), (6, 0), (-1, 1), (2**31 + 1, 1), (6, 1001)])
def test_impossible_dice_refuse_to_exist(sides: int, count: int) -> None:
    with pytest.raises(ValueError, match="roll"):
        Roll(sides, count)


@pytest.mark.parametrize(("cards", "count"), [((), 1), ((1,), 2), ((1,), -1), ((1,) * 1001, 1)])
def test_impossible_draws_refuse_to_exist(cards: tuple[int, ...], count: int) -> None:
    with pytest.raises(ValueError, match="draw"):
        Draw(cards, count)


# -- facts -------------------------------------------------------------------------------------------------------------


def test_a_fact_shows_each_viewer_what_it_may_know_and_never_the_command() -> None:
    table = Table(DUEL).open(2).settle()
    commit = decode_line(table.lines[1])
    shown = {
        viewer: bytes(fact_of(table.match, commit, viewer).events[1].data)
        for viewer in (Spectator(), SeatView(0), SeatView(1), Referee())
    }
    assert list(shown.values()) == [b'{"charms":[0,0]}', b'{"charms":[7,0]}', b'{"charms":[0,9]}', b'{"charms":[7,9]}']
    for viewer in shown:
        assert b"cards" not in msgspec.json.encode(fact_of(table.match, commit, viewer))


def test_a_fact_has_a_sentence_for_each_event_that_has_one() -> None:
    table = Table(DUEL).open(2).settle()
    table.move(0, Pick(3, True))
    commit = decode_line(table.lines[-1])
    assert fact_of(table.match, commit, Spectator()).words == ("Seat 0 picks in secret.",)
    assert fact_of(table.match, commit, SeatView(0)).words == ("Seat 0 picks 3.",)
