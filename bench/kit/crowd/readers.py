"""Many readers of one stream, in a process of their own: ``python -m bench.kit.crowd.readers HOST:PORT PATH COUNT``.

They are as cheap as readers can be, so that they are not what binds: raw sockets, one loop over those that have
something, and of what they are told only the facts are counted, by their ids. Every ``SAMPLED``-th reader reads the
ids, and notes when each has come.

It prints ``ready`` when all have been told their first position, then the number of facts that every reader has been
told, as it grows. ``mark`` on stdin forgets the samples, ``tell`` prints ``Told`` as JSON, and its end is the end.
"""

import os
import re
import select
import socket
import sys
import time
from typing import Final

import msgspec

SAMPLED: Final = 20
AT_ONCE: Final = 200
"""Connections that are opened at the same time."""
READ_BYTES: Final = 1 << 16
PAUSE_S: Final = 0.001
"""After each look at what has come. Real readers are on other machines; one that is woken by each write would take the
core away from whoever writes to the next one.
"""
FACT: Final = b"\nid: "
ID: Final = re.compile(rb"\nid: (\d+)\n")
BEGUN: Final = b"event: position\n"
TAIL: Final = 32
"""More than any of these has bytes: so much is looked at again, since it may have been cut."""
RESET: Final = b"event: reset\n"


class Told(msgspec.Struct, frozen=True):
    """``came`` are the samples: the number of a fact, counted from 1, and when it came, by the monotonic clock."""

    least: int
    most: int
    """Facts that a reader has been told."""
    resets: int
    disorder: int
    """Ids that did not follow the one before, among the readers that are sampled."""
    bytes: int
    came: list[tuple[int, float]]


class Readers:
    def __init__(self, address: str, path: str) -> None:
        host, _, port = address.partition(":")
        self._at = host, int(port)
        self._request = f"GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n".encode()
        self._poll = select.epoll()
        self._sockets: dict[int, socket.socket] = {}
        self._tails: dict[int, bytes] = {}
        self._counts: dict[int, int] = {}
        self._ids: dict[int, int] = {}
        """Of readers that are sampled: the last id."""
        self._unread: dict[int, bytes] = {}
        self._waiting: set[int] = set()
        """Those that have not begun."""
        self._reached: list[int] = [0]
        """By number of facts: how many readers have been told so many."""
        self.complete = 0
        """Facts that all have been told."""
        self.resets = self.disorder = self.bytes = 0
        self.came: list[tuple[int, float]] = []

    def open(self, count: int) -> None:
        """So many readers, each of which has been told where the match stands."""
        while (more := min(AT_ONCE, count - len(self._sockets))) > 0:
            self.connect(more)
            self.wait_for_all()

    def connect(self, count: int) -> None:
        for _ in range(count):
            one = socket.create_connection(self._at)
            one.sendall(self._request)
            one.setblocking(False)
            fd = one.fileno()
            if len(self._sockets) % SAMPLED == 0:
                self._ids[fd] = 0
            self._sockets[fd] = one
            self._tails[fd] = b""
            self._counts[fd] = 0
            self._waiting.add(fd)
            self._poll.register(one, select.EPOLLIN)

    def wait_for_all(self) -> None:
        while self._waiting:
            self.read(1.0)
        self.bytes = 0

    def close(self) -> None:
        for one in self._sockets.values():
            one.close()
        self._poll.close()

    def watch(self, fd: int) -> None:
        self._poll.register(fd, select.EPOLLIN)

    def read(self, seconds: float) -> bool:
        """What has come; whether something came from a file that is no reader's."""
        other = False
        sockets, tails, counts, ids, reached = self._sockets, self._tails, self._counts, self._ids, self._reached
        for fd, _ in self._poll.poll(seconds, READ_BYTES):
            if fd not in sockets:
                other = True
                continue
            data = sockets[fd].recv(READ_BYTES)
            if not data:
                raise SystemExit("a reader was hung up on")
            self.bytes += len(data)
            told = tails[fd] + data
            if fd in self._waiting and BEGUN in told:
                self._waiting.discard(fd)
            tails[fd] = told[-TAIL:]
            if fd in ids:
                self._read_ids(fd, data)
            facts = told.count(FACT) - told.count(FACT, 0, len(told) - len(data))
            if not facts:
                continue
            if RESET in told:
                self.resets += 1
            before = counts[fd]
            counts[fd] = before + facts
            for number in range(before + 1, before + facts + 1):
                if number == len(reached):
                    reached.append(0)
                reached[number] += 1
            if fd in ids:
                now = time.monotonic()
                self.came += ((number, now) for number in range(before + 1, counts[fd] + 1))
        return other

    def news(self) -> int:
        """The number of facts that all have been told, if it has grown; else 0."""
        before, count, reached = self.complete, len(self._sockets), self._reached
        while self.complete + 1 < len(reached) and reached[self.complete + 1] == count:
            self.complete += 1
        return self.complete if self.complete > before else 0

    def told(self) -> Told:
        counts = self._counts.values()
        return Told(min(counts), max(counts), self.resets, self.disorder, self.bytes, self.came)

    def _read_ids(self, fd: int, data: bytes) -> None:
        """Of what was read before only so much is read again as may be the beginning of an id."""
        told, end = self._unread.get(fd, b"") + data, 0
        for found in ID.finditer(told):
            number, last, end = int(found[1]), self._ids[fd], found.end()
            self.disorder += last > 0 and number != last + 1
            self._ids[fd] = number
        self._unread[fd] = told[max(end, len(told) - TAIL) :]


def main(address: str, path: str, count: int) -> None:
    readers = Readers(address, path)
    readers.open(count)
    print("ready", flush=True)
    readers.watch(0)
    while True:
        if readers.read(1.0):
            asked = os.read(0, 4_096)
            if not asked:
                return
            if b"mark" in asked:
                readers.came.clear()
            if b"tell" in asked:
                print(msgspec.json.encode(readers.told()).decode(), flush=True)
        if complete := readers.news():
            print(complete, flush=True)
        time.sleep(PAUSE_S)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
