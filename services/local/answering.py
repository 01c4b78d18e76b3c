"""Whether a service of the house answers yet: a gRPC service its health check, the gateway its ``/readyz``."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

ASK_SECONDS = 1.0


@contextlib.asynccontextmanager
async def answering(address: str, *, is_web: bool) -> AsyncIterator[Callable[[], Awaitable[bool]]]:
    """Something to ask again and again."""
    if is_web:
        yield lambda: _web_answers(address)
        return
    async with grpc.aio.insecure_channel(address) as channel:
        stub = health_pb2_grpc.HealthStub(channel)

        async def answers() -> bool:
            with contextlib.suppress(grpc.aio.AioRpcError):
                response = await stub.Check(health_pb2.HealthCheckRequest(), timeout=ASK_SECONDS)
                return bool(response.status == health_pb2.HealthCheckResponse.SERVING)
            return False

        yield answers


async def _web_answers(address: str) -> bool:
    host, _, port = address.rpartition(":")
    with contextlib.suppress(OSError, TimeoutError):
        async with asyncio.timeout(ASK_SECONDS):
            reader, writer = await asyncio.open_connection(host, int(port))
            try:
                writer.write(f"GET /readyz HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n".encode())
                await writer.drain()
                return (await reader.readline()).split()[1:2] == [b"200"]
            finally:
                writer.close()
    return False
