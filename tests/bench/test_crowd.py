"""A crowd counts right, however what it is told is cut to pieces, and is shown a match that goes on for ever."""

import socket
from collections.abc import Iterator
from itertools import pairwise

import pytest

from bench.kit.crowd.match import PLAYED, WatchedMatch
from bench.kit.crowd.readers import Readers

HEAD = b"HTTP/1.1 200 OK\r\n\r\nretry: 500\n\nevent: position\ndata: {}\n\n"


def fact(revision: int) -> bytes:
    return b'event: fact\nid: %d\ndata: {"words":["id: 1"]}\n\n' % revision


@pytest.fixture
def front() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(10)
        yield server


@pytest.mark.parametrize("piece", [1, 7, 64, 1_000])
def test_facts_are_counted_once_wherever_a_piece_ends(front: socket.socket, piece: int) -> None:
    host, port = front.getsockname()
    readers = Readers(f"{host}:{port}", "/")
    readers.connect(1)
    line, _ = front.accept()
    line.sendall(HEAD)
    readers.wait_for_all()
    told = b"".join(map(fact, range(101, 131)))
    for start in range(0, len(told), piece):
        line.sendall(told[start : start + piece])
        readers.read(0.05)
    while readers.told().least < 30:
        assert readers.read(1.0) is False
    assert readers.news() == 30
    found = readers.told()
    assert (found.least, found.most, found.resets, found.disorder, found.bytes) == (30, 30, 0, 0, len(told))
    assert [number for number, _ in readers.came] == list(range(1, 31))
    readers.close()
    line.close()


def test_a_gap_and_a_reset_are_seen(front: socket.socket) -> None:
    host, port = front.getsockname()
    readers = Readers(f"{host}:{port}", "/")
    readers.connect(1)
    line, _ = front.accept()
    line.sendall(HEAD)
    readers.wait_for_all()
    line.sendall(fact(7) + fact(9))
    while readers.told().most < 2:
        readers.read(1.0)
    line.sendall(b"event: reset\nid: 12\ndata: {}\n\n")
    while readers.told().most < 3:
        readers.read(1.0)
    assert (readers.told().disorder, readers.told().resets) == (2, 1)
    readers.close()
    line.close()


def test_a_match_is_shown_forwards_and_backwards_without_a_jump() -> None:
    match = WatchedMatch()
    seen = [match.position(revision).svg for revision in range(2 * PLAYED + 2)]
    assert all(before != after for before, after in pairwise(seen))
    assert seen[0] == seen[2 * (PLAYED - 1)]
    for revision in (1, PLAYED, 2 * PLAYED):
        told = match.frame(revision)
        assert b"\nid: %d\n" % revision in told
        assert b"event: patch\n" in told, "a move changes little"
