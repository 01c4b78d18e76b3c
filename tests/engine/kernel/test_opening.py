"""A match is opened once, by the host, with everything written out."""

from typing import Any

import msgspec
import pytest

from engine.kernel.chance import commitment
from engine.kernel.codec import Recorded
from engine.kernel.deal import Deal
from engine.kernel.limits import DELAY_MS_MAX, NONCE_BYTES_MAX, PLAYER_LENGTH_MAX, TURN_MS_MAX
from engine.kernel.match import Match, Request
from engine.kernel.official import COMMANDS, MatchOpened, OpenMatch
from engine.kernel.refusal import Kind, Refusal
from tests.kit.duel import DUEL, DuelOptions, Pick
from tests.kit.given import NOON, SEED, given, opened

PROMISE = commitment(SEED).hex()


def open_match(**changes: Any) -> OpenMatch:
    usual = OpenMatch(seats=3, options={}, nonces=(), players=(), turn_ms=0, commitment=PROMISE)
    return msgspec.structs.replace(usual, **changes)


def refused(code: str, **changes: Any) -> None:
    refusal = given(DUEL).when("host", open_match(**changes)).then_refused(code)
    assert refusal.kind is Kind.INVALID
    assert refusal.sentence.isprintable()
    assert len(refusal.sentence) < 300


def test_the_host_opens_a_match_and_defaults_are_written_out() -> None:
    given(DUEL).when("host", open_match()).then(
        MatchOpened("duel", 1, 3, {"rounds": 2, "charms": True}, ("", "", ""), 0, PROMISE, ("", "", ""))
    )


def test_options_players_and_nonces_are_kept_in_seat_order() -> None:
    given(DUEL).when(
        "host", open_match(options={"rounds": 4}, players=("ana", "bo"), nonces=("", "0aff"), turn_ms=0)
    ).then(MatchOpened("duel", 1, 3, {"rounds": 4, "charms": True}, ("ana", "bo", ""), 0, PROMISE, ("", "0aff", "")))


def test_a_table_of_a_deal_and_a_delay_are_written_down() -> None:
    after = given(DUEL).when("host", open_match(deal=Deal("g", 2), delay_ms=DELAY_MS_MAX)).after.state.opened
    assert (after.deal, after.delay_ms) == (Deal("g", 2), DELAY_MS_MAX)


def test_an_opening_without_them_keeps_the_bytes_it_always_had() -> None:
    """What was added later stands only where it says something, or no older line would be decided again alike."""
    request = Request("open", "host", NOON, COMMANDS.encode(open_match()))
    decision = Match(DUEL).decide(None, request)
    assert bytes(decision.command.data) == (
        b'{"seats":3,"options":{},"nonces":[],"players":[],"turn_ms":0,"commitment":"' + PROMISE.encode() + b'"}'
    )
    assert bytes(decision.events[0].data) == (
        b'{"game":"duel","version":1,"seats":3,"options":{"rounds":2,"charms":true},"players":["","",""],"turn_ms":0,'
        b'"commitment":"' + PROMISE.encode() + b'","nonces":["","",""]}'
    )


@pytest.mark.parametrize("delay_ms", [-1, DELAY_MS_MAX + 1])
def test_a_delay_that_cannot_be_is_refused(delay_ms: int) -> None:
    refused("bad_delay_ms", delay_ms=delay_ms)


def test_no_seat_adds_to_the_luck_of_a_deal() -> None:
    refused("deal_with_nonces", deal=Deal("g", 2), nonces=("", "0aff"))
    assert given(DUEL).when("host", open_match(deal=Deal("g", 2), nonces=("", ""))).after.state.opened.deal


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_every_number_of_seats_of_the_game_is_welcome(seats: int) -> None:
    assert given(DUEL).when("host", open_match(seats=seats)).after.state.opened.seats == seats


@pytest.mark.parametrize("seats", [-1, 0, 1, 5, 10**20])
def test_other_numbers_of_seats_are_refused(seats: int) -> None:
    refused("bad_seats", seats=seats)


@pytest.mark.parametrize(
    "options",
    [
        {"rounds": 0},
        {"rounds": "2"},
        {"rounds": None},
        {"rounds": 2.5},
        {"charms": 1},
        {"unknown": 1},
        {"rounds": [[]]},
    ],
    ids=str,
)
def test_options_that_do_not_fit_are_refused(options: dict[str, Any]) -> None:
    refused("bad_options", options=options)


def test_options_that_do_not_go_together_are_the_games_to_refuse() -> None:
    given(DUEL).when("host", open_match(seats=4, options={"rounds": 5})).then_refused("too_long")


@pytest.mark.parametrize("nonce", ["0", "0A", "zz", "٠٠", "00" * (NONCE_BYTES_MAX + 1), " 00", "\n"])
def test_a_nonce_is_hex_and_short(nonce: str) -> None:
    refused("bad_nonce", nonces=("", nonce))


def test_the_longest_nonce_is_taken() -> None:
    assert given(DUEL).when("host", open_match(nonces=("00" * NONCE_BYTES_MAX,))).events


@pytest.mark.parametrize("player", ["x" * (PLAYER_LENGTH_MAX + 1), "a\x00b", "a\nb", "\u202e"])
def test_a_player_id_is_short_and_printable(player: str) -> None:
    refused("bad_player", players=(player,))


def test_no_more_nonces_or_players_than_seats() -> None:
    refused("too_many_nonces", nonces=("",) * 4)
    refused("too_many_players", players=("",) * 4)


@pytest.mark.parametrize("turn_ms", [-1, TURN_MS_MAX + 1])
def test_a_turn_clock_has_bounds(turn_ms: int) -> None:
    refused("bad_turn_ms", turn_ms=turn_ms)


@pytest.mark.parametrize("promise", ["", "00", "G" * 64, "AB" * 32, "00" * 33])
def test_luck_must_be_promised(promise: str) -> None:
    refused("bad_commitment", commitment=promise)


@pytest.mark.parametrize("actor", ["seat:0", "luck", "clock", "", "HOST"])
def test_only_the_host_opens(actor: str) -> None:
    given(DUEL).when(actor, open_match()).then_refused("not_yours_to_do")


def test_a_match_is_opened_once() -> None:
    refusal = given(DUEL, opened(DUEL, 2)).when("host", open_match()).then_refused("match_exists")
    assert refusal.kind is Kind.EXISTS


def test_what_was_never_opened_is_missing() -> None:
    refusal = given(DUEL).when("seat:0", Pick(1, False)).then_refused("unknown_match")
    assert refusal.kind is Kind.MISSING


@pytest.mark.parametrize(
    ("kind", "v", "data"),
    [
        ("duel.nothing", 1, b"{}"),
        ("", 1, b"{}"),
        ("duel.pick", 0, b'{"number":1,"bold":true}'),
        ("duel.pick", 2, b'{"number":1,"bold":true}'),
        ("duel.pick", 1, b'{"number":1}'),
        ("duel.pick", 1, b'{"number":1,"bold":true,"seat":2}'),
        ("duel.pick", 1, b'{"number":"1","bold":true}'),
        ("duel.pick", 1, b'{"number":1.5,"bold":true}'),
        ("duel.pick", 1, b"not json"),
        ("duel.pick", 1, b""),
        ("duel.pick", 1, b"[" * 5000),
        ("luck.resolve", 1, b'{"draw_id":"a/1","spec":{"draw":{"cards":[],"count":3}},"outcome":[]}'),
        ("luck.resolve", 1, b'{"draw_id":"a/1","spec":{"roll":{"sides":0,"count":3}},"outcome":[]}'),
        ("luck.resolve", 1, b'{"draw_id":"a/1","spec":{},"outcome":[]}'),
        ("tavolata.open_match", 1, b'{"seats":2,"options":{"a":' + b"[" * 5000 + b"]" * 5000 + b"}}"),
        ("\x1b[31m" * 50, 1, b"{}"),
    ],
)
def test_what_is_no_command_is_refused_and_quoted_with_care(kind: str, v: int, data: bytes) -> None:
    match = Match(DUEL)
    state = given(DUEL, opened(DUEL, 2)).state
    with pytest.raises(Refusal) as caught:
        match.decide(state, Request("c", "seat:0", NOON, Recorded(kind, v, msgspec.Raw(data))))
    assert caught.value.code == "malformed_command"
    assert caught.value.kind is Kind.INVALID
    assert caught.value.sentence.isprintable()
    assert len(caught.value.sentence) < 300


def test_the_options_come_back_as_the_games_own_type() -> None:
    assert given(DUEL, opened(DUEL, 2, rounds=3)).state.game.options == DuelOptions(3, True)
