"""A name that stands for several machines: all of them are asked in turn, and one that has gone is not missed."""

from collections import Counter

import grpc

from services.kit.lifecycle import Register, start_server
from services.kit.wire.channel import open_channel
from services.kit.wire.clients import ScoringClient
from tests.kit.nats import until


async def test_replicas_of_one_name_share_the_calls_and_one_that_stops_loses_none() -> None:
    """``localhost`` is two addresses, and so two machines as far as a channel can tell."""
    asked: Counter[str] = Counter()

    def replica(name: str) -> Register:
        async def get_match(request: bytes, context: object) -> bytes:
            asked[name] += 1
            return b""

        def register(server: grpc.aio.Server) -> list[str]:
            handlers: dict[str, grpc.RpcMethodHandler[bytes, bytes]] = {
                "GetMatch": grpc.unary_unary_rpc_method_handler(get_match)
            }
            service = grpc.method_handlers_generic_handler("tavolata.scoring.v1.ScoringService", handlers)
            server.add_generic_rpc_handlers((service,))
            return []

        return register

    first = await start_server("first", "127.0.0.1:0", replica("first"))
    second = await start_server("second", f"[::1]:{first.port}", replica("second"))
    async with open_channel(f"localhost:{first.port}") as channel:
        client = ScoringClient(channel)

        async def both_are_known() -> bool:
            await client.match("m")
            return len(asked) == 2

        await until(both_are_known, "both replicas are asked")
        asked.clear()
        for _ in range(10):
            await client.match("m")
        assert asked == {"first": 5, "second": 5}
        await second.stop(0)
        asked.clear()
        for _ in range(10):
            await client.match("m")
        assert asked == {"first": 10}
    await first.stop(0)
