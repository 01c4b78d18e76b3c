"""What we mend of nats-py's client."""

import asyncio

from services.kit.jetstream.client import NatsClient
from services.local.nats_server import NatsServer


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
