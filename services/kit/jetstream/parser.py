"""What the server sends, taken apart: a burst of lines costs two microseconds a line here, and fifteen in nats-py.

nats-py tries a pattern for every kind of message, reads all headers into a dictionary, and hands each message through a
queue to a task of its own. Nearly all that a log hears is answers on its inbox, of which it needs the bytes and two
numbers. So messages are cut out of what has arrived at once; answers go straight to who asked, the headers unread. The
rest of the protocol, and what is heard on other subscriptions, is left to nats-py.
"""

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


Take: TypeAlias = Callable[[bytes, Answer], None]
"""Told of each answer, with the subject that it came on."""


class InboxParser(Parser):
    """nats-py's parser, with a short way for the messages of one subscription."""

    def __init__(self, client: Any) -> None:
        super().__init__(client)
        self._inbox = -1
        self._take: Take = _nobody

    def hand_on(self, subscription: int, take: Take) -> None:
        """From now on the messages of this subscription go to ``take``, and past its queue."""
        self._inbox, self._take = subscription, take

    async def parse(self, data: bytes = b"") -> None:
        """What has arrived, behind what was left of the time before. Raises ``ProtocolError``."""
        buffer = self.buf
        buffer.extend(data)
        data = bytes(buffer)
        at = heard = 0
        while (end := data.find(END, at)) >= 0:
            start = end + len(END)
            if data.startswith(MESSAGES, at):
                try:
                    # HMSG <subject> <subscription> [<reply>] <bytes of headers> <bytes>; MSG has no bytes of headers
                    kind, subject, subscription, *reply, size = data[at:end].split()
                    body = start + (int(reply.pop()) if kind == b"HMSG" else 0)
                    stop, sid = start + int(size), int(subscription)
                except (ValueError, IndexError) as error:
                    raise ProtocolError("nats: malformed MSG") from error
                if len(data) < stop + len(END):
                    break
                at = stop + len(END)
                if sid == self._inbox:
                    heard += 1
                    self._take(subject, Answer(data[start:body], data[body:stop]))
                    continue
                await self.nc._process_msg(sid, subject, reply[0] if reply else b"", data[body:stop], data[start:body])
            else:
                await self._other(data[at:start])
                at = start
            if self.buf is not buffer:  # the line was given up meanwhile, and what came on it
                return
        self.nc.stats["in_msgs"] += heard
        del buffer[:at]

    async def _other(self, line: bytes) -> None:
        """``PING``, ``INFO`` and the like."""
        buffer, self.buf = self.buf, bytearray(line)
        mine = self.buf
        await super().parse()
        if self.buf is mine:
            self.buf = buffer
            if mine:
                raise ProtocolError("nats: unknown protocol")


def _nobody(subject: bytes, answer: Answer) -> None:
    """Before there is an inbox."""
