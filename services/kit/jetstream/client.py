"""nats-py's client, with a quicker way in and out, and with some of it mended.

**In.** Its parser tries one regular expression after the other on whatever has come, cuts each message off the front of
all the rest, and hands it over a queue to a task. Ours finds the end of the line and splits it; who has subscribed with
``listen`` is called at once. The words of the server that are no messages still go to theirs.

**Out.** ``put`` builds a whole command, and what was put in one turn of the loop goes to the kernel together. While the
line is down it raises at once: theirs would keep what is published and send it after the reconnect, long after the
caller has been told that it failed.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Final

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.errors import Error as NatsError
from nats.errors import MaxPayloadError, OutboundBufferLimitError, ProtocolError
from nats.protocol.parser import Parser

CLOSE_S: Final = 2.0

Take = Callable[[Msg], None]

END: Final = b"\r\n"
END_SIZE: Final = len(END)

VERSION: Final = "NATS/1.0"

MESSAGE, WITH_HEADERS = ord("M"), ord("H")
"""How ``MSG`` and ``HMSG`` begin, and nothing else that a server says."""


def header_block(headers: Mapping[str, str]) -> bytes:
    """As it stands in front of a payload. Names and values are ours: nothing in them needs an escape."""
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"{VERSION}\r\n{lines}\r\n".encode()


def headers_of(block: bytes) -> dict[str, str] | None:
    """2 us a message rather than 40: theirs looks at every letter of every name."""
    if not block:
        return None
    first, *lines = block.decode(errors="replace").split("\r\n")
    status, _, description = first.removeprefix(VERSION).strip().partition(" ")
    parsed = {"Status": status} if status else {}
    if description:
        parsed["Description"] = description
    for line in lines:
        name, colon, value = line.partition(":")
        if colon:
            parsed[name] = value.strip()
    return parsed


class NatsClient(Client):
    """Takes ``tls://`` for what it says: theirs goes on in the clear with a server that offers no TLS. And lets go of
    the socket of an attempt that was never answered, when it makes the next one.
    """

    def __init__(self) -> None:
        super().__init__()
        self._ps = _Parser(self)
        self.takers: dict[int, Take] = {}
        """By subscription."""
        self._frames: list[bytes] = []
        """To be written at the end of this turn of the loop."""

    # -- out -------------------------------------------------------------------------------------------------------

    def put(self, subject: str, payload: bytes, *, reply: str = "", headers: bytes = b"") -> None:
        """Publish; ``headers`` is a ``header_block``. Raises nats-py's errors: while the line is down, too."""
        size = len(headers) + len(payload)
        if not self.is_connected:
            raise OutboundBufferLimitError
        if size > self._max_payload:
            raise MaxPayloadError
        if headers:
            frame = b"HPUB %b %b %d %d\r\n%b%b\r\n" % (
                subject.encode(), reply.encode(), len(headers), size, headers, payload,
            )  # fmt: skip
        else:
            frame = b"PUB %b %b %d\r\n%b\r\n" % (subject.encode(), reply.encode(), size, payload)
        if not self._frames:
            asyncio.get_running_loop().call_soon(self._write_frames)
        self._frames.append(frame)

    def _write_frames(self) -> None:
        written, self._frames = b"".join(self._frames), []
        if not self.is_connected or self._transport is None:
            return  # the line has dropped just now: whoever waits is told so
        if self._pending:  # behind what the library has not sent yet: a subscription, for instance
            self._pending.append(written)
            self._pending_data_size += len(written)
        else:
            self._transport.write(written)

    async def listen(self, subject: str, take: Take) -> Subscription:
        """``take`` is called with each message as it is read; it must be quick, and must not raise."""

        async def later(message: Msg) -> None:
            take(message)

        heard = await self.subscribe(subject, cb=later, pending_msgs_limit=0, pending_bytes_limit=0)
        self.takers[heard._id] = take
        return heard

    # -- in --------------------------------------------------------------------------------------------------------

    async def take(self, sid: int, subject: bytes, reply: bytes, block: bytes, payload: bytes) -> None:
        """One message from the wire."""
        take = self.takers.get(sid)
        if take is None:
            await self._process_msg(sid, subject, reply, payload, block)
            return
        self.stats["in_msgs"] += 1
        self.stats["in_bytes"] += len(payload)
        try:
            take(Msg(self, subject.decode(), reply.decode(), payload, headers_of(block)))
        except Exception as error:  # a fault of ours; the line and all who wait on it go on
            asyncio.get_running_loop().call_exception_handler({"message": "a message broke", "exception": error})

    async def _process_headers(self, headers: bytes) -> dict[str, str] | None:
        return headers_of(headers)

    def _remove_sub(self, sid: int, max_msgs: int = 0) -> None:
        self.takers.pop(sid, None)
        super()._remove_sub(sid, max_msgs)

    # -- mended ----------------------------------------------------------------------------------------------------

    def _connect_command(self) -> bytes:
        server = self._current_server
        if server is not None and server.uri.scheme == "tls" and not self._server_info.get("tls_required"):
            raise NatsError("the server speaks no TLS")
        command: bytes = super()._connect_command()
        return command

    async def _process_pong(self) -> None:
        """A late answer to a ping that nobody waits for any more is no error; theirs gives the line up over it."""
        if self._pongs and self._pongs[0].done():
            self._pongs[0] = asyncio.get_running_loop().create_future()
        await super()._process_pong()

    async def _connect_to_server(self, server: Any) -> None:
        if self._transport is not None:
            self._transport.close()  # type: ignore[no-untyped-call]  # theirs has no types
        await super()._connect_to_server(server)

    async def close(self) -> None:
        """In ``CLOSE_S``: behind a certificate that was turned down theirs may wait for a farewell that never comes."""
        closing = asyncio.ensure_future(super().close())
        await asyncio.wait({closing}, timeout=CLOSE_S)
        closing.cancel()


class _Parser(Parser):
    """Messages are read here; a line that is anything else is theirs to read."""

    def __init__(self, client: NatsClient) -> None:
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
        at, end, resets = 0, len(data), self._resets
        while at < end:
            line_end = data.find(END, at)
            if line_end < 0:
                break
            body = line_end + END_SIZE
            kind = data[at]
            if kind in (MESSAGE, WITH_HEADERS):
                try:
                    words = data[at:line_end].split()
                    reply = words[3] if len(words) == (5 if kind == MESSAGE else 6) else b""
                    payload = body + (0 if kind == MESSAGE else int(words[-2]))
                    next_at = body + int(words[-1]) + END_SIZE
                    sid, subject = int(words[2]), words[1]
                except (ValueError, IndexError) as error:
                    raise ProtocolError("nats: malformed MSG") from error
                if next_at > end:
                    break
                await self._client.take(sid, subject, reply, data[body:payload], data[payload : next_at - END_SIZE])
            else:
                next_at = body
                await super().parse(data[at:next_at])
                if resets != self._resets:  # the line is given up, and with it what has come on it
                    return
            at = next_at
        self._rest = data[at:]
