"""What the server sends, taken apart: a burst of lines costs two microseconds a line here, and fifteen in nats-py.

nats-py tries a pattern for every kind of message, reads all headers into a dictionary, and hands each message through a
queue to a task of its own. Nearly all that a log hears is answers on its inbox, of which it needs the bytes and two
numbers. So messages are cut out of what has arrived at once; whoever has subscribed with a taker is called, the headers
unread. The rest of the protocol, and what is heard on other subscriptions, is left to nats-py.
"""

import asyncio
from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeAlias

from nats.errors import ProtocolError
from nats.protocol.parser import Parser

END: Final = b"\r\n"
VERSION: Final = b"NATS/1.0"
STORED: Final = VERSION + END
MESSAGES: Final = (b"HMSG ", b"MSG ")


class Answer(NamedTuple):
    """One message on the inbox. ``headers`` are as they came: ``NATS/1.0\\r\\nName: value\\r\\n\\r\\n``, or empty."""

    headers: bytes
    data: bytes
    reply: bytes = b""
    """Where an answer to it is expected; of what a consumer sends, it says which line this is."""

    @property
    def is_stored(self) -> bool:
        """Whether somebody has stored this; else it is a word of the server's own, with a status."""
        return not self.headers or self.headers.startswith(STORED)

    @property
    def status(self) -> str:
        """``204``; empty for what somebody has stored."""
        return self._first_line.partition(" ")[0]

    @property
    def description(self) -> str:
        """What the server says with a status."""
        return self._first_line.partition(" ")[2]

    def header(self, name: bytes) -> bytes | None:
        """The value of a header; of two with one name the last, which is the server's own."""
        before = END + name + b":"
        at = self.headers.rfind(before)
        if at < 0:
            return None
        at += len(before)
        return self.headers[at : self.headers.index(END, at)].strip()

    @property
    def _first_line(self) -> str:
        return self.headers[len(VERSION) :].partition(END)[0].decode(errors="replace").strip()


def number(answer: Answer, name: bytes) -> int:
    """Of a header; 0 if it is not there or no number."""
    value = answer.header(name)
    return int(value) if value is not None and value.isdigit() else 0


def text(answer: Answer, name: bytes) -> str:
    """Of a header; empty if it is not there."""
    value = answer.header(name)
    return "" if value is None else value.decode(errors="replace")


Take: TypeAlias = Callable[[bytes, Answer], None]
"""Told of each message of a subscription, with the subject that it came on. It must be quick, and must not raise."""


class MessageParser(Parser):
    """nats-py's parser, with a short way for the messages of subscriptions that have a taker."""

    def __init__(self, client: Any) -> None:
        self.takers: dict[int, Take] = {}
        """By subscription."""
        self._client = client
        self._rest = b""
        self._resets = 0
        super().__init__(client)

    def reset(self) -> None:
        self._rest = b""
        self._resets += 1
        super().reset()

    async def parse(self, data: bytes = b"") -> None:
        """Take what has come; what is not whole yet is kept for the next time. Raises ``ProtocolError``."""
        if self._rest:
            data = self._rest + data
        at = heard = 0
        end, resets = len(data), self._resets
        while at < end:
            line_end = data.find(END, at)
            if line_end < 0:
                break
            start = line_end + len(END)
            if data.startswith(MESSAGES, at):
                try:
                    # HMSG <subject> <subscription> [<reply>] <bytes of headers> <bytes>; MSG has no bytes of headers
                    kind, subject, subscription, *reply, size = data[at:line_end].split()
                    body = start + (int(reply.pop()) if kind == b"HMSG" else 0)
                    stop, sid = start + int(size), int(subscription)
                except (ValueError, IndexError) as error:
                    raise ProtocolError("nats: malformed MSG") from error
                at_next = stop + len(END)
                if at_next > end:
                    break
                taker = self.takers.get(sid)
                if taker is None:
                    to = reply[0] if reply else b""
                    await self._client._process_msg(sid, subject, to, data[body:stop], data[start:body])
                else:
                    heard += 1
                    to = reply[0] if reply else b""
                    self._hand_on(taker, subject, Answer(data[start:body], data[body:stop], to))
                at = at_next
            else:
                await self._other(data[at:start])
                at = start
            if resets != self._resets:  # the line is given up, and with it what has come on it
                return
        self._client.stats["in_msgs"] += heard
        self._rest = data[at:]
        self._client.has_read()

    def _hand_on(self, taker: Take, subject: bytes, answer: Answer) -> None:
        try:
            taker(subject, answer)
        except Exception as error:  # a fault of ours; the line and all who wait on it go on
            asyncio.get_running_loop().call_exception_handler({"message": "a message broke", "exception": error})

    async def _other(self, line: bytes) -> None:
        """``PING``, ``INFO`` and the like, one line."""
        await super().parse(line)
        if self.buf:
            raise ProtocolError("nats: unknown protocol")
