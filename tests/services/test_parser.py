"""What the server sends comes in pieces of any size; whoever asked gets it whole, and nothing else is lost."""

import asyncio
from typing import Any

import pytest
from nats.errors import ProtocolError

from services.kit.jetstream.parser import Answer, MessageParser

INBOX, OTHER = 1, 2
LINE = b'{"match":"m1","text":"HMSG x 1 0 0\r\n"}'
HEADERS = b"NATS/1.0\r\nce-subject: m1\r\nNats-Sequence: 6\r\nNats-Sequence: 7\r\n\r\n"
END = b"NATS/1.0 204 EOB\r\nNats-Num-Pending: 3\r\n\r\n"


class Client:
    """What the parser needs of nats-py's."""

    def __init__(self) -> None:
        self.stats = {"in_msgs": 0}
        self.heard: list[Any] = []
        self.parser = MessageParser(self)
        self.parser.takers[INBOX] = lambda subject, answer: self.heard.append((subject, answer))

    async def _process_msg(self, sid: int, subject: bytes, reply: bytes, data: bytes, headers: bytes) -> None:
        self.heard.append((sid, subject, reply, data, headers))

    def has_read(self) -> None:
        pass

    async def _process_ping(self) -> None:
        self.heard.append("ping")

    async def _process_err(self, error: str) -> None:
        self.heard.append(error)
        self.parser.reset()


def message(subject: bytes, sid: int, data: bytes, headers: bytes = b"", reply: bytes = b"") -> bytes:
    sizes = b"%d %d" % (len(headers), len(headers) + len(data)) if headers else b"%d" % len(data)
    middle = b" " + reply if reply else b""
    return (
        b"%s %s %d%s %s\r\n" % (b"HMSG" if headers else b"MSG", subject, sid, middle, sizes) + headers + data + b"\r\n"
    )


STREAM = b"".join(
    (
        message(b"_INBOX.a.1", INBOX, LINE),
        b"PING\r\n",
        message(b"_INBOX.a.1", INBOX, LINE, HEADERS, b"$JS.ACK.x"),
        message(b"live.match.00.hearts.m1", OTHER, LINE, HEADERS),
        message(b"live.match.00.hearts.m1", OTHER, b"", reply=b"there"),
        b"PING\r\n",
        message(b"_INBOX.a.1", INBOX, b"", END),
    )
)
HEARD = [
    (b"_INBOX.a.1", Answer(b"", LINE)),
    "ping",
    (b"_INBOX.a.1", Answer(HEADERS, LINE, b"$JS.ACK.x")),
    (OTHER, b"live.match.00.hearts.m1", b"", LINE, HEADERS),
    (OTHER, b"live.match.00.hearts.m1", b"there", b"", b""),
    "ping",
    (b"_INBOX.a.1", Answer(END, b"")),
]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 50, 200, len(STREAM)])
def test_pieces_of_any_size_are_put_together(size: int) -> None:
    client = Client()

    async def feed() -> None:
        for start in range(0, len(STREAM), size):
            await client.parser.parse(STREAM[start : start + size])

    asyncio.run(feed())
    assert client.heard == HEARD
    assert client.stats["in_msgs"] == 3
    assert not client.parser._rest


def test_what_comes_after_the_line_was_given_up_is_not_taken_for_the_next_one() -> None:
    client = Client()
    asyncio.run(client.parser.parse(b"-ERR 'Stale Connection'\r\n" + STREAM))
    assert client.heard == ["'stale connection'"]
    asyncio.run(client.parser.parse(STREAM))
    assert client.heard[1:] == HEARD


@pytest.mark.parametrize("sent", [b"MSG x y 3\r\nabc\r\n", b"MSG x 1\r\n", b"HMSG x 1 3\r\n", b"HELLO\r\n"])
def test_what_is_none_of_the_protocol_is_an_error(sent: bytes) -> None:
    with pytest.raises(ProtocolError):
        asyncio.run(Client().parser.parse(sent))


def test_an_answer_tells_its_status_and_the_servers_own_headers() -> None:
    stored, end = Answer(HEADERS, LINE), Answer(END, b"")
    assert (stored.is_stored, stored.status, stored.header(b"Nats-Sequence")) == (True, "", b"7")
    assert (end.is_stored, end.status, end.description) == (False, "204", "EOB")
    assert end.header(b"Nats-Num-Pending") == b"3"
    assert end.header(b"Nats-Sequence") is None
    assert Answer(b"", LINE).is_stored
