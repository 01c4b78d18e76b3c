"""nats-py's client, with a quicker way in and out, and with some of it mended.

**In.** Who has subscribed with ``listen`` is called at once, with what ``parser`` has cut out.

**Out.** ``put`` builds a whole command, and what was put in one turn of the loop goes to the kernel together. While the
line is down it raises at once: theirs would keep what is published and send it after the reconnect, long after the
caller has been told that it failed.

**In gulps**, with ``rest``. Waking a process for one message costs more than the message. Who is in no hurry leaves
what comes unasked in the socket for a while and then takes all of it; an answer is never left there.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Final

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.errors import Error as NatsError
from nats.errors import MaxPayloadError, OutboundBufferLimitError

from services.kit.jetstream.parser import MessageParser, Take

CLOSE_S: Final = 2.0

VERSION: Final = "NATS/1.0"


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
        self._parser = self._ps = MessageParser(self)
        self._frames: list[bytes] = []
        """To be written at the end of this turn of the loop."""
        self._rest_s = 0.0
        self._awaits: Callable[[], bool] = bool
        self._waking: asyncio.TimerHandle | None = None
        """While nothing is read."""

    # -- in gulps --------------------------------------------------------------------------------------------------

    def rest(self, seconds: float, awaits: Callable[[], bool]) -> None:
        """From now on, after each reading, read nothing for so long, unless something is said or ``awaits`` says that
        an answer is awaited. 0 is never.
        """
        self._rest_s, self._awaits = seconds, awaits

    def has_read(self) -> None:
        """The parser has taken in all that had come."""
        if self._waking is None and self._rest_s and self.is_connected and not (self._pongs or self._awaits()):
            assert self._transport is not None
            self._waking = asyncio.get_running_loop().call_later(self._rest_s, self._read_on)
            _line(self._transport).pause_reading()

    def _read_on(self) -> None:
        if self._waking is None:
            return
        self._waking.cancel()
        self._waking = None
        if self._transport is not None and not _line(self._transport).is_closing():
            _line(self._transport).resume_reading()

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
        self._read_on()
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

        heard = await self.subscribe(subject, cb=_never, pending_msgs_limit=0, pending_bytes_limit=0)
        self._parser.takers[heard._id] = take
        return heard

    # -- in --------------------------------------------------------------------------------------------------------

    async def _process_headers(self, headers: bytes) -> dict[str, str] | None:
        return headers_of(headers)

    def _remove_sub(self, sid: int, max_msgs: int = 0) -> None:
        self._parser.takers.pop(sid, None)
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

    async def _send_ping(self, future: asyncio.Future[bool] | None = None) -> None:
        """Behind all that was said before it. Theirs overtakes what waits to be written, and then its answer, which
        ``flush`` waits for, proves nothing.
        """
        self._read_on()
        if self._transport is not None and self.is_connected:
            waiting, self._pending, self._pending_data_size = [*self._pending, *self._frames], [], 0
            self._frames = []
            self._transport.writelines(waiting)
        await super()._send_ping(future)

    async def _connect_to_server(self, server: Any) -> None:
        self._read_on()
        if self._transport is not None:
            self._transport.close()  # type: ignore[no-untyped-call]  # theirs has no types
        await super()._connect_to_server(server)

    async def close(self) -> None:
        """In ``CLOSE_S``: behind a certificate that was turned down theirs may wait for a farewell that never comes."""
        closing = asyncio.ensure_future(super().close())
        await asyncio.wait({closing}, timeout=CLOSE_S)
        closing.cancel()


def _line(transport: Any) -> asyncio.Transport:
    """What is under nats-py's own transport."""
    line: asyncio.Transport = transport._io_writer.transport
    return line


async def _never(message: Msg) -> None:
    """Its messages go to a taker."""
