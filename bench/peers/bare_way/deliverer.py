"""Gives what the log says it has stored to who watches, on a gRPC stream each.

python -m bench.peers.bare_way.deliverer NATS_URL
"""

import asyncio
import sys
from collections.abc import AsyncIterator

import grpc
import nats
import uvloop
from nats.aio.msg import Msg

from bench.peers.bare_way.wire import LIVE, SUBJECTS, TABLE, WATCH, heard, say


async def main(url: str) -> None:
    connection = await nats.connect(url)
    watching: dict[str, asyncio.Queue[bytes]] = {}

    async def stored(message: Msg) -> None:
        watcher = watching.get(message.subject.rpartition(".")[2])
        if watcher is not None:
            watcher.put_nowait(message.data)

    async def watch(_: bytes, context: grpc.aio.ServicerContext[bytes, bytes]) -> AsyncIterator[bytes]:
        table = str(dict(context.invocation_metadata() or ())[TABLE])
        queue = watching[table] = asyncio.Queue()
        try:
            yield b"watching"
            while True:
                yield await queue.get()
        finally:
            del watching[table]

    await connection.subscribe(f"{LIVE}{SUBJECTS}", cb=stored)
    server = grpc.aio.server()
    handler: grpc.RpcMethodHandler[bytes, bytes] = grpc.unary_stream_rpc_method_handler(watch)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(WATCH[0], {WATCH[1]: handler}),))
    say(port=server.add_insecure_port("127.0.0.1:0"))
    await server.start()
    while await heard():
        pass
    await server.stop(None)
    await connection.close()


if __name__ == "__main__":
    uvloop.run(main(sys.argv[1]))
