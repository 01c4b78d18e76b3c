"""Peers are installed once, asked a line at a time, and leave nothing behind."""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from bench.kit.figures import PeerMissing
from bench.kit.run import Run
from bench.peers import bare, boardgame_io, install
from bench.peers.bare import BareWay, fsyncs
from bench.peers.install import BOARDGAME, fingerprint
from bench.peers.processes import PeerFailed, Process, cpu_us

ECHO = "import sys; print('{\"ready\": true}', flush=True); [print(line, end='', flush=True) for line in sys.stdin]"
MUTE = "import sys; print('{\"ready\": true}', flush=True); [None for line in sys.stdin]"
DIES = "import sys; print('{\"ready\": true}', flush=True); sys.stdin.readline(); sys.exit('no more of that')"


def program(text: str, folder: Path) -> Process:
    return Process([sys.executable, "-c", text], folder / "complaints")


def made(pins: list[Path], folder: Path) -> bool:
    """Whether it had to be made this time."""
    makes: list[Path] = []

    def make() -> None:
        makes.append(folder)
        folder.mkdir()

    install._once(folder, pins, "python 3", make, lambda: None)
    return bool(makes)


def test_a_peer_is_installed_once_and_again_when_its_pins_change(tmp_path: Path) -> None:
    pins, folder = [tmp_path / "one", tmp_path / "two"], tmp_path / "peer"
    for pin in pins:
        pin.write_text("1.0")

    assert [made(pins, folder), made(pins, folder)] == [True, False]
    pins[1].write_text("1.1")
    assert [made(pins, folder), made(pins, folder)] == [True, False]


def test_half_an_installation_is_made_anew(tmp_path: Path) -> None:
    folder = tmp_path / "peer"

    def fail() -> None:
        folder.mkdir()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        install._once(folder, [], "python 3", fail, lambda: None)
    assert made([], folder)


def test_without_node_there_is_a_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))

    with pytest.raises(PeerMissing, match=r"no Node\.js here"):
        install.boardgame_modules(Run(True, tmp_path, tmp_path))


def test_what_cannot_be_installed_is_missing_and_leaves_no_stamp(tmp_path: Path) -> None:
    for command in (["false"], ["no-such-installer"]):
        with pytest.raises(PeerMissing, match="There is no way to install it here"):
            install._install("it", command, tmp_path)
    assert not list(tmp_path.iterdir())


def test_pins_differ_by_where_their_bytes_stand(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_text("ab")
    two.write_text("c")
    apart = fingerprint([one, two])
    one.write_text("a")
    two.write_text("bc")

    assert apart != fingerprint([one, two])
    assert fingerprint([one]) != fingerprint([one], "python 3")


def test_the_lock_of_boardgame_io_pins_its_store_and_says_nowhere_to_fetch_from() -> None:
    locked = json.loads((BOARDGAME / "package-lock.json").read_text())["packages"]

    assert locked["node_modules/boardgame.io"]["version"] == "0.50.2"
    assert locked["node_modules/node-persist"]["version"] == "3.1.0"
    assert not [name for name, package in locked.items() if "resolved" in package]
    assert all("integrity" in package for name, package in locked.items() if name)


def test_a_process_answers_a_line_with_a_line_and_is_gone_afterwards(tmp_path: Path) -> None:
    with program(ECHO, tmp_path) as process:
        assert process.ready == {"ready": True}
        assert [process.ask(10, moves=number) for number in range(3)] == [{"moves": number} for number in range(3)]
        assert cpu_us(process.pid) > 0
    with pytest.raises(ProcessLookupError):
        os.kill(process.pid, 0)


def test_who_does_not_answer_is_not_waited_for(tmp_path: Path) -> None:
    with program(MUTE, tmp_path) as process, pytest.raises(PeerFailed, match="did not answer in time"):
        process.ask(0.05, moves=1)


def test_who_ends_is_quoted(tmp_path: Path) -> None:
    with program(DIES, tmp_path) as process, pytest.raises(PeerFailed, match=r"ended.*\n.*no more of that"):
        process.ask(10, moves=1)


def test_what_was_spent_is_told_by_move() -> None:
    played = {"moves": 300, "seconds": 1.5, "load_cpu_us": 3000.0, "p50_ms": 1.0, "p99_ms": 4.0}
    theirs = boardgame_io._figure(played | {"server_cpu_us": 150_000})
    plain = bare._figure(played | {"cpu_us_of": {"nats-server": 30_000, "service": 60_000}})

    assert (theirs.per_second, theirs.cpu_us, theirs.load_cpu_us) == (200.0, 500.0, 10.0)
    assert (plain.cpu_us, plain.cpu_us_of) == (300.0, {"nats-server": 100.0, "service": 200.0})


def test_the_bare_way_plays_and_every_move_is_seen(tmp_path: Path) -> None:
    with BareWay(Run(True, tmp_path, tmp_path), "fast") as way:
        figures = [way.moves(0.2, tables=3), way.paced(100, 0.2, tables=3)]
    assert all(figure.per_second > 0 and figure.p50_ms <= figure.p99_ms for figure in figures)
    assert not list(tmp_path.iterdir())


def test_the_disk_can_be_asked(tmp_path: Path) -> None:
    assert fsyncs(tmp_path, 0.01) > 0
    assert not list(tmp_path.iterdir())
