"""Takes commands on a gRPC stream a table, appends a commit for each and answers when the log has it.

    python -m bench.peers.bare_way.service NATS_URL

Each append has the expected last sequence of its table, as the house's have. Acknowledgements come to one inbox and
find their append by a number, which is the fastest that nats-py can do.
"""

import asyncio
import sys
from collections.abc import AsyncIterator
from typing import Any

import grpc
import msgspec
import nats
import uvloop
from nats.aio.client import Client
from nats.aio.msg import Msg

from bench.peers.bare_way.wire import LIVE, PLAY, STREAM, SUBJECTS, TABLE, heard, say


class Ack(msgspec.Struct, frozen=True):
    seq: int = 0
    error: dict[str, Any] | None = None


_ack = msgspec.json.Decoder(Ack)


class Log:
    def __init__(self, connection: Client) -> None:
        self._connection = connection
        self._inbox = connection.new_inbox()
        self._waiting: dict[str, asyncio.Future[bytes]] = {}
        self._asked = 0

    async def open(self) -> None:
        republish = {"src": SUBJECTS, "dest": f"{LIVE}{SUBJECTS}"}
        config = {"name": STREAM, "subjects": [SUBJECTS], "storage": "file", "republish": republish}
        made = await self._connection.request(f"$JS.API.STREAM.CREATE.{STREAM}", msgspec.json.encode(config))
        assert b'"error"' not in made.data, made.data
        await self._connection.subscribe(f"{self._inbox}.*", cb=self._acknowledged)

    async def append(self, subject: str, commit: bytes, expected: int) -> int:
        self._asked += 1
        number = str(self._asked)
        answer = self._waiting[number] = asyncio.get_running_loop().create_future()
        headers = {"Nats-Expected-Last-Subject-Sequence": str(expected)}
        await self._connection.publish(subject, commit, f"{self._inbox}.{number}", headers)
        ack = _ack.decode(await answer)
        assert ack.error is None, ack.error
        return ack.seq

    async def _acknowledged(self, message: Msg) -> None:
        self._waiting.pop(message.subject.rpartition(".")[2]).set_result(message.data)


async def main(url: str) -> None:
    connection = await nats.connect(url)
    log = Log(connection)
    await log.open()

    async def play(
        commands: AsyncIterator[bytes], context: grpc.aio.ServicerContext[bytes, bytes]
    ) -> AsyncIterator[bytes]:
        table = str(dict(context.invocation_metadata() or ())[TABLE])
        subject = f"bare.{table}"
        last, revision = 0, 0
        async for command in commands:
            revision += 1
            commit = b'{"revision":' + str(revision).encode() + b',"command":"' + command + b'"}'
            last = await log.append(subject, commit, last)
            yield b"accepted %d" % revision

    server = grpc.aio.server()
    handler: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(play)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(PLAY[0], {PLAY[1]: handler}),))
    say(port=server.add_insecure_port("127.0.0.1:0"))
    await server.start()
    while await heard():
        pass
    await server.stop(None)
    await connection.close()


if __name__ == "__main__":
    uvloop.run(main(sys.argv[1]))
