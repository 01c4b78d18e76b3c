"""Commands that do what they say: look, choose, move, watch, and describe a game to a program."""

import json
import os
import pty
import select
import subprocess
import sys
from pathlib import Path
from time import monotonic
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # it has no types
import pytest

from tests.cli.errors import says_no
from tests.cli.here import Client, here
from tests.e2e.command import COMMAND, ENDS_S, Up, environment


def opened(client: Client, match: str, *more: object) -> str:
    client.ask("match", "open", "just4fun", "--seats", 2, "--id", match, "--option", "first_player=0", *more)
    return match


def first_command(client: Client, match: str, seat: int) -> dict[str, Any]:
    """Whatever the menus offer first, to the complete command."""
    path: list[str] = []
    while True:
        steps = [part for key in path for part in ("--path", key)]
        menu = client.ask("match", "choices", match, "--seat", seat, *steps, "--json").document
        if menu["command"] is not None:
            command: dict[str, Any] = menu["command"]
            return command
        path.append(menu["choices"][0]["key"])


def test_games_are_listed_with_what_they_may_be_asked() -> None:
    [game] = [game for game in here("games", "--json").document if game["key"] == "just4fun"]
    assert game["seats"] == {"min": 2, "max": 4}
    assert game["options"]["layout"] == "original"
    assert "Just 4 Fun" in here("games").out


def test_the_schema_fits_every_command_and_event_that_was_recorded(export: Path) -> None:
    schema = here("schema", "just4fun").document
    commands, events = (jsonschema.Draft202012Validator(schema[part]) for part in ("commands", "events"))
    recorded = [json.loads(line) for line in export.read_text().splitlines()]
    own = [one for commit in recorded for one in [commit["command"], *commit["events"]] if "just4fun." in one["type"]]
    assert len(own) > 20
    for one in own:
        assert any(not list(each.iter_errors(one)) for each in (commands, events)), one
    with pytest.raises(jsonschema.ValidationError):
        commands.validate({"type": "just4fun.place_token", "v": 1, "data": {"field": "middle", "cards": []}})
    jsonschema.Draft202012Validator(schema["options"]).validate({"layout": "random"})


def test_matches_are_listed_by_status_and_shown(client: Client) -> None:
    listed = {match["match"]: match for match in client.ask("match", "list", "--json").document}
    assert listed["running"]["status"] == "running"
    assert listed["ended"]["status"] == "ended"
    assert sorted(seat["rank"] for seat in listed["ended"]["seats"])[0] == 1
    ended = [match["match"] for match in client.ask("match", "list", "--status", "ended", "--json").document]
    assert "ended" in ended
    assert "running" not in ended
    shown = client.ask("match", "show", "running", "--as", "seat:0", "--json").document
    assert shown["pending"] == [0]
    assert 0 not in shown["view"]["hands"][0]
    assert "running" in client.ask("match", "list").out
    assert "waits for seat 0" in client.ask("match", "show", "running").out


def test_a_move_is_chosen_made_and_repeated_without_harm(client: Client) -> None:
    match = opened(client, "moved")
    command = json.dumps(first_command(client, match, 0))
    act = ("match", "act", match, "--seat", 0, "--command", command, "--id", "mine", "--json")
    accepted = client.ask(*act).document
    assert accepted == {"match": match, "id": "mine", "revision": 3, "duplicate": False}
    assert client.ask(*act).document == accepted | {"duplicate": True}


def test_watching_goes_on_behind_a_revision(client: Client) -> None:
    everything = client.ask("watch", "ended", "--json").documents
    assert [fact["revision"] for fact in everything] == list(range(1, len(everything) + 1))
    assert client.ask("watch", "ended", "--after", 10, "--json").documents == everything[10:]
    assert "The match is over" in client.ask("watch", "ended").out


def test_a_match_is_left_for_good(client: Client) -> None:
    match = opened(client, "left")
    leave = '{"type": "tavolata.leave", "data": {"seat": 1}}'
    assert client.ask("match", "act", match, "--seat", 1, "--command", leave).code == 0
    assert [fact["revision"] for fact in client.ask("watch", match, "--json").documents][-1] == 4
    assert client.ask("verify", match).code == 0


def test_a_person_plays_by_typing_numbers_and_is_told_when_the_input_ends(house: Up, tmp_path: Path) -> None:
    match = opened(Client(house), "typed", "--bots", "1=random")
    board = tmp_path / "board.svg"
    ran = house.ask("play", match, "--seat", 0, "--board", board, typed="x\n99\n1\nb\n1\n1\n\n1\n1\n\n" * 2)
    assert ran.code == 1
    assert ran.err.strip().splitlines()[-1].startswith("input_ended: ")
    assert "Type a number from 1 to" in ran.err
    assert "Seat 0 plays" in ran.out
    assert "Seat 1 plays" in ran.out
    assert board.read_text().startswith("<svg")


def test_ctrl_c_ends_a_game_at_the_terminal_at_once(house: Up) -> None:
    match = opened(Client(house), "interrupted")
    screen, terminal = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", CONTROLLING, *COMMAND, "play", match, "--seat", "0", "--server", house.url],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env=environment({}),
        start_new_session=True,
    )
    os.close(terminal)
    try:
        read_until(screen, b"Choose a field.")
        read_until(screen, b" : ")
        os.write(screen, b"\x03")
        assert process.wait(ENDS_S / 6) == 130
    finally:
        process.kill()
        process.wait()
        os.close(screen)


CONTROLLING = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
)
"""Makes the pseudo-terminal the one that Ctrl-C comes from, then becomes the command."""


def read_until(screen: int, awaited: bytes) -> None:
    seen = b""
    deadline = monotonic() + ENDS_S
    while awaited not in seen:
        assert monotonic() < deadline, f"{awaited!r} never appeared in {seen!r}"
        readable, _, _ = select.select([screen], [], [], 0.1)
        if readable:
            seen += os.read(screen, 1)


def test_a_reader_who_has_had_enough_is_no_error(house: Up) -> None:
    watching = subprocess.Popen(
        [*COMMAND, "watch", "ended", "--json", "--server", house.url],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment({}),
    )
    assert watching.stdout is not None
    assert watching.stderr is not None
    watching.stdout.readline()
    watching.stdout.close()
    watching.wait(ENDS_S)
    assert watching.stderr.read() == b""
    watching.stderr.close()


def test_bots_are_found_by_their_level(client: Client) -> None:
    match = opened(client, "bots", "--bots", "0=greedy,1=random")
    assert client.ask("watch", match, "--json").code == 0
    players = [seat["player"] for seat in client.ask("match", "show", match, "--json").document["seats"]]
    assert players == ["bot:greedy", "bot:random"]
    says_no(client.ask("match", "choices", match, "--seat", 0), "match_over")
