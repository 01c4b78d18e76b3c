"""What we mend of nats-py's client."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from services.kit.jetstream.client import NatsClient
from services.local.nats_server import NatsServer
from tests.kit.nats import until


async def test_a_late_answer_to_a_ping_that_nobody_waits_for_costs_no_connection(nats_server: NatsServer) -> None:
    client = NatsClient()
    lost: list[str] = []

    async def on_drop() -> None:
        lost.append("line")

    await client.connect(nats_server.url, disconnected_cb=on_drop, reconnect_time_wait=0)
    try:
        given_up: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        given_up.cancel()
        await client._send_ping(given_up)
        await client.flush()  # its answer comes behind the other
        assert (client.is_connected, lost) == (True, [])
    finally:
        await client.close()


async def test_the_answer_to_a_ping_proves_that_what_was_said_before_it_has_arrived(nats_server: NatsServer) -> None:
    client = NatsClient()
    await client.connect(nats_server.url)
    written: list[bytes] = []
    assert client._transport is not None
    client._transport.write = written.append  # type: ignore[method-assign, assignment]  # what is written is looked at
    client._transport.writelines = written.extend  # type: ignore[method-assign, assignment]  # what is written is looked at
    try:
        await client.publish("a.word", b"theirs")
        client.put("a.word", b"ours")
        await client._send_ping()
    finally:
        del client._transport.write, client._transport.writelines
        await client.close()
    sent = b"".join(written)
    assert -1 < sent.index(b"theirs") < sent.index(b"ours") < sent.index(b"PING")


async def test_who_rests_leaves_what_comes_unasked_until_the_rest_is_over(nats_server: NatsServer) -> None:
    async with _two_clients(nats_server) as (resting, other, heard, _):
        resting.rest(0.2, lambda: False)
        other.put("a.word", b"0")
        await until(lambda: heard == [b"0"], "what was said is heard")  # and rests from now on
        for number in range(1, 6):
            other.put("a.word", b"%d" % number)
            await other.flush()
        assert heard == [b"0"]
        await until(lambda: len(heard) > 1, "what was said is heard")
        assert heard == [b"%d" % number for number in range(6)]  # in one gulp


async def test_who_rests_reads_at_once_when_it_says_something(nats_server: NatsServer) -> None:
    async with _two_clients(nats_server) as (resting, other, heard, _):
        resting.rest(1e6, lambda: False)
        other.put("a.word", b"first")
        await until(lambda: heard == [b"first"], "what was said is heard")
        other.put("a.word", b"second")
        await other.flush()
        await resting.flush()
        assert heard == [b"first", b"second"]


async def test_who_awaits_an_answer_does_not_rest(nats_server: NatsServer) -> None:
    async with _two_clients(nats_server) as (resting, other, heard, _):
        resting.rest(1e6, lambda: len(heard) < 3)
        for number in range(3):
            other.put("a.word", b"%d" % number)
            await until(lambda: heard[-1:] == [b"%d" % number], "what was said is heard")  # noqa: B023  # awaited here
        other.put("a.word", b"not awaited")
        await other.flush()
        assert len(heard) == 3


async def test_a_client_that_rests_can_be_closed_and_comes_back_to_a_server_that_does(own_nats: NatsServer) -> None:
    async with _two_clients(own_nats) as (resting, other, heard, back):
        resting.rest(0.05, lambda: False)
        other.put("a.word", b"first")
        await until(lambda: heard == [b"first"], "what was said is heard")
        await own_nats.restart()
        await until(lambda: back == [resting, other] or back == [other, resting], "both are back")
        other.put("a.word", b"second")
        await until(lambda: heard == [b"first", b"second"], "what was said is heard")


@asynccontextmanager
async def _two_clients(
    server: NatsServer,
) -> AsyncIterator[tuple[NatsClient, NatsClient, list[bytes], list[NatsClient]]]:
    """One that listens to ``a.word``, another, what the first has heard, and which have come back."""
    listening, other = NatsClient(), NatsClient()
    heard: list[bytes] = []
    back: list[NatsClient] = []

    async def note(client: NatsClient) -> None:
        back.append(client)

    try:
        for client in (listening, other):
            came = partial(note, client)
            await client.connect(server.url, reconnected_cb=came, reconnect_time_wait=0, max_reconnect_attempts=-1)
        await listening.listen("a.word", lambda _, answer: heard.append(answer.data))
        await listening.flush()
        yield listening, other, heard, back
    finally:
        await asyncio.gather(listening.close(), other.close())
