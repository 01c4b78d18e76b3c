"""The raw way to read one match: a batched direct get by plain nats-py, and nobody looks at a line."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final, Self

import nats
from nats.aio.client import Client
from nats.aio.msg import Msg

from bench.kit.past import STREAM

BATCH: Final = 1024
ENDS_S: Final = 30.0


class RawReader:
    """One connection. Made by ``connected``."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._inbox = client.new_inbox()
        self._heard: list[Msg] = []
        self._done = asyncio.Event()

    @classmethod
    @asynccontextmanager
    async def connected(cls, url: str) -> AsyncIterator[Self]:
        client = await nats.connect(url)
        reader = cls(client)
        await client.subscribe(reader._inbox, cb=reader._hear)
        try:
            yield reader
        finally:
            await client.close()

    async def read(self, game: str, match: str) -> int:
        """How many lines came, of up to ``BATCH``."""
        self._heard.clear()
        self._done.clear()
        asked = {"seq": 1, "next_by_subj": STREAM.subject(game, match), "batch": BATCH}
        await self._client.publish(f"$JS.API.DIRECT.GET.{STREAM.name}", json.dumps(asked).encode(), reply=self._inbox)
        await asyncio.wait_for(self._done.wait(), ENDS_S)
        return len(self._heard)

    async def _hear(self, message: Msg) -> None:
        if message.headers and message.headers.get("Status") == "204":
            self._done.set()
        else:
            self._heard.append(message)
