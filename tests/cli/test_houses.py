"""Houses that cannot be opened say why and leave nothing running; one that is full says so and loses nothing."""

import asyncio
import json
import random
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from services.kit.jetstream import JetStreamLog
from services.kit.sockets import LOOPBACK, is_free
from services.local.folder import check_folder
from services.local.nats_server import NatsServer
from tests.cli.errors import says_no
from tests.cli.here import Client
from tests.e2e.command import tavolata, up

ROOM_BYTES = 12_000
"""For two or three matches that have only just been opened."""

NOT_GIVEN_OUT = (12_000, 30_000)
"""Below the range from which Linux takes ports for those who ask for any."""


def refused(data: Path, code: str, *more: object) -> str:
    return says_no(tavolata("up", "--data", data, *(more or ("--port-base", 0)), "--json"), code)


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("draft")
    assert str(tmp_path) in refused(tmp_path, "not_a_data_folder")
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_folder_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    marker = tmp_path / "tavolata.json"
    marker.write_text('{"format": 99}')
    assert "99" in refused(tmp_path, "data_folder_newer")
    assert [path.name for path in tmp_path.iterdir()] == ["tavolata.json"]


@pytest.mark.parametrize("content", ["", "[]", "{}", "7", '{"format"'])
def test_a_damaged_marker_is_named(content: str, tmp_path: Path) -> None:
    marker = tmp_path / "tavolata.json"
    marker.write_text(content)
    assert str(marker) in refused(tmp_path, "data_folder_damaged")


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    assert str(file) in refused(file, "data_folder")


@pytest.mark.parametrize(
    ("place", "code"),
    [
        pytest.param(0, "port_in_use", id="front door"),
        pytest.param(1, "port_in_use", id="log"),
        pytest.param(2, "service_failed", id="deck"),
    ],
)
def test_a_port_that_is_in_use_is_named(place: int, code: str, tmp_path: Path) -> None:
    with taken_port() as port:
        assert f"Port {port} " in refused(tmp_path / "data", code, "--port-base", port - place)


def test_a_key_file_that_others_may_read_stops_the_house(tmp_path: Path) -> None:
    data = tmp_path / "data"
    check_folder(data)
    (data / "deck").mkdir()
    key = data / "deck" / "master.key"
    key.write_text(json.dumps({"key_id": "k", "key": "5eed" * 16}))
    key.chmod(0o644)
    sentence = refused(data, "service_failed")
    assert str(key) in sentence
    assert "0600" in sentence
    assert "5eed" not in sentence


def test_a_full_log_refuses_matches_and_keeps_those_it_has(tmp_path: Path) -> None:
    data = tmp_path / "data"
    check_folder(data)
    asyncio.run(make_small_log(data / "nats"))
    with up(data) as opened_house:
        house = Client(opened_house)
        opened = open_until_full(house)
        assert opened
        before = [house.ask("match", "show", match, "--json").document for match in opened]
        says_no(house.ask("match", "open", "just4fun", "--seats", 4, "--id", "one-more", "--json"), "log_full")
        says_no(house.ask("match", "show", "one-more"), "unknown_match")
        assert [house.ask("match", "show", match, "--json").document for match in opened] == before


@contextmanager
def taken_port() -> Iterator[int]:
    """A port that is in use, among others that are not and that the system gives to nobody who asks for any port."""
    while True:
        port = random.randrange(*NOT_GIVEN_OUT)
        with socket.socket() as taken:
            if all(is_free(LOOPBACK, port + step) for step in range(-2, 20)):
                taken.bind((LOOPBACK, port))
                taken.listen()
                yield port
                return


async def make_small_log(folder: Path) -> None:
    async with NatsServer(folder) as server, await JetStreamLog.connect(server.url, create=True, bytes_max=ROOM_BYTES):
        pass


def open_until_full(house: Client) -> list[str]:
    """Matches that could be opened."""
    opened: list[str] = []
    while len(opened) < 20:
        match = f"m{len(opened)}"
        ran = house.ask("match", "open", "just4fun", "--seats", 4, "--id", match, "--json")
        if ran.code:
            says_no(ran, "log_full")
            return opened
        opened.append(match)
    raise AssertionError("the log never filled")
