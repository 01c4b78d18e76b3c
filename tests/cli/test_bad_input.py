"""What cannot be done is said in a sentence, to people and to programs."""

import json

import pytest

from engine.kernel.limits import COMMAND_BYTES_MAX
from tests.cli.errors import says_no
from tests.cli.here import Client, here
from tests.e2e.command import Up, tavolata

EXCHANGE = '{"type": "just4fun.exchange_hand"}'
TOO_MUCH = json.dumps({"type": "just4fun.exchange_hand", "data": {"x": "x" * COMMAND_BYTES_MAX}})


def placed(field: object, *cards: object) -> str:
    return json.dumps({"type": "just4fun.place_token", "data": {"field": field, "cards": cards}})


@pytest.mark.parametrize(
    ("code", "arguments"),
    [
        ("unknown_game", "match open chess --seats 2"),
        ("bad_seats", "match open just4fun --seats 5"),
        ("bad_option", "match open just4fun --seats 2 --option layout"),
        ("bad_options", "match open just4fun --seats 2 --option layout=spiral"),
        ("bad_options", "match open just4fun --seats 2 --option colour=red"),
        ("bad_nonce", "match open just4fun --seats 2 --nonce 2=salt"),
        ("unknown_bot", "match open just4fun --seats 2 --bots 0=genius"),
        ("unknown_bot", "match open just4fun --seats 2 --bots genius"),
        ("bad_bot", "match open just4fun --seats 2 --bots 2=greedy"),
        ("id_malformed", "match open just4fun --seats 2 --id no.dots"),
        ("id_too_long", f"match open just4fun --seats 2 --id {'x' * 65}"),
        ("match_exists", "match open just4fun --seats 3 --id running"),
        ("bad_turn_ms", "match open just4fun --seats 2 --turn 999999h"),
        ("bad_duration", "match open just4fun --seats 2 --turn 30"),
        ("bad_clock", "match open just4fun --seats 2 --bank 999999h"),
        ("bad_clock", "match open just4fun --seats 2 --increment 5s"),
        ("bad_clock", "match open just4fun --seats 2 --turn 30s --on-timeout explode"),
        ("unknown_match", "match show nowhere"),
        ("unknown_match", f"match act nowhere --seat 0 --command {EXCHANGE.replace(' ', '')}"),
        ("unknown_match", "match choices nowhere --seat 0"),
        ("unknown_match", "watch nowhere"),
        ("unknown_match", "replay nowhere"),
        ("unknown_match", "verify nowhere"),
        ("unknown_viewer", "match show running --as pope"),
        ("unknown_viewer", "watch running --as seat:x"),
        ("unknown_language", "match show running --language xx"),
        ("unknown_language", "match choices running --seat 0 --language xx"),
        ("unknown_language", "watch running --language xx"),
        ("unknown_language", "replay running --language xx"),
        ("unknown_seat", "match show running --as seat:7"),
        ("unknown_seat", "watch running --as seat:2"),
        ("unknown_seat", "match choices running --seat 7"),
        ("not_your_turn", "match choices running --seat 1"),
        ("no_such_choice", "match choices running --seat 0 --path nowhere"),
        ("no_such_revision", "watch running --after 99"),
        ("no_such_revision", "replay running --at 99"),
        ("match_running", "verify running"),
        ("bad_status", "match list --status paused"),
        ("nothing_to_verify", "verify"),
        ("no_such_file", "verify ./nowhere.jsonl"),
    ],
)
def test_a_program_is_told_why_not(code: str, arguments: str, client: Client) -> None:
    says_no(client.ask(*arguments.split(), "--json"), code)


@pytest.mark.parametrize(
    ("code", "seat", "command", "more"),
    [
        ("not_your_turn", 1, EXCHANGE, ()),
        ("unknown_seat", 7, EXCHANGE, ()),
        ("stale_revision", 0, EXCHANGE, ("--at", 1)),
        ("malformed_command", 0, "{", ()),
        ("malformed_command", 0, "[]", ()),
        ("malformed_command", 0, '{"data": {}}', ()),
        ("malformed_command", 0, placed("middle", 1), ()),
        ("malformed_command", 0, '{"type": "chess.castle", "data": {}}', ()),
        ("not_yours_to_do", 0, '{"type": "luck.resolve", "data": {}}', ()),
        ("not_your_seat", 0, '{"type": "tavolata.leave", "data": {"seat": 1}}', ()),
        ("command_too_large", 0, TOO_MUCH, ()),
        ("id_malformed", 0, EXCHANGE, ("--id", "a b")),
    ],
)
def test_a_move_that_is_refused_changes_nothing(
    code: str, seat: int, command: str, more: tuple[object, ...], client: Client
) -> None:
    before = client.ask("match", "show", "running", "--json").document
    says_no(client.ask("match", "act", "running", "--seat", seat, "--command", command, *more), code)
    assert client.ask("match", "show", "running", "--json").document == before


def test_cards_that_do_not_add_up_are_refused(client: Client) -> None:
    hand = client.ask("match", "show", "running", "--as", "seat:0", "--json").document["view"]["hands"][0]
    command = placed(hand[0] + 1, hand[0])
    assert "add up" in says_no(client.ask("match", "act", "running", "--seat", 0, "--command", command), "wrong_sum")


def test_the_sentence_about_a_command_that_is_too_large_names_the_limit(client: Client) -> None:
    refused = client.ask("match", "act", "running", "--seat", 0, "--command", TOO_MUCH, "--json")
    assert str(COMMAND_BYTES_MAX) in says_no(refused, "command_too_large")


@pytest.mark.parametrize(
    ("code", "command"),
    [
        ("match_running", "export running"),
        ("unknown_match", "export nowhere"),
        ("unknown_match", "play nowhere --seat 0"),
        ("unknown_match", "match show nowhere"),
    ],
)
def test_a_person_is_told_why_not(code: str, command: str, client: Client) -> None:
    says_no(client.ask(*command.split()), code)


def test_a_process_says_no_as_the_command_does(house: Up) -> None:
    says_no(house.ask("match", "show", "nowhere"), "unknown_match")
    says_no(house.ask("match", "show", "nowhere", "--json"), "unknown_match")
    says_no(house.ask("play", "running", "--seat", 7), "unknown_seat")
    says_no(tavolata("games", settings={"TAVOLATA_X": "1"}), "unknown_setting")


@pytest.mark.parametrize(
    "arguments",
    ["fly", "match", "match show", "match open just4fun --seats 0", "match act running --seat -1 --command {}"],
)
def test_wrong_usage_has_an_exit_code_of_its_own(arguments: str) -> None:
    ran = here(*arguments.split())
    assert ran.code == 2
    assert "Traceback" not in ran.err


def test_a_house_that_is_not_running_is_missed() -> None:
    for command in ("match list", "watch m", "play m --seat 0", "export m"):
        sentence = says_no(here(*command.split(), "--server", "127.0.0.1:1"), "house_unavailable")
        assert "127.0.0.1:1" in sentence


@pytest.mark.parametrize(
    ("code", "variable", "value"),
    [
        ("unknown_setting", "TAVOLATA_X", "1"),
        ("bad_setting", "TAVOLATA_PARTITIONS", "many"),
        ("bad_setting", "TAVOLATA_PARTITIONS", "0"),
        ("bad_setting", "TAVOLATA_BIND", "here"),
        ("bad_setting", "TAVOLATA_DURABILITY", "never"),
    ],
)
def test_a_wrong_setting_is_named(code: str, variable: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, value)
    for command in ("serve deck", "match list", "up --data unused", "games"):
        assert variable in says_no(here(*command.split()), code)


@pytest.mark.parametrize(
    ("code", "arguments"),
    [
        ("unknown_game", "schema chess"),
        ("unknown_game", "serve rules --game chess"),
        ("unknown_game", "demo --game chess --data unused"),
        ("unknown_bot", "demo --bots genius --data unused"),
        ("bad_game", "serve rules"),
        ("bad_game", "serve deck --game just4fun"),
        ("bad_port_base", "up --port-base 80 --data unused"),
    ],
)
def test_what_cannot_be_started_is_not_begun(code: str, arguments: str) -> None:
    says_no(here(*arguments.split()), code)
