"""Who watches a table to its end, as anybody may, and comes again behind the last fact whenever the line breaks."""

import asyncio
from contextlib import aclosing
from typing import Final

import httpx
import msgspec

from engine.kernel.facts import Fact
from engine.kernel.official import SeedRevealed
from engine.kernel.ports import Unavailable
from engine.kernel.refusal import Refusal
from engine.kernel.value import Spectator
from services.kit.wire.clients import SpectatorClient
from tests.chaos.records import Notes
from tests.sim.records import Sight

COME_AGAIN_S: Final = 0.2
SILENCE_S: Final = 20.0
"""A page that hears nothing for so long, not even a heartbeat, comes again."""


async def watch(spectators: SpectatorClient, match: str, notes: Notes) -> None:
    """Over gRPC. Raises ``Refusal`` if it is told that there is nothing to see."""
    sight = Sight("a watcher", match, "spectator")
    notes.sights.append(sight)
    while not _complete(sight):
        try:
            async with aclosing(spectators.facts(match, Spectator(), after=_read(sight))) as facts:
                async for fact in facts:
                    sight.facts.append(fact)
        except Refusal as refusal:
            await not_open_yet(refusal)
        except Unavailable:
            await asyncio.sleep(COME_AGAIN_S)
        notes.resumed += not _complete(sight)


async def watch_page(gateway: str, match: str, notes: Notes) -> None:
    """Over HTTP, by lines, as a page would."""
    sight = Sight("a page", match, "spectator")
    notes.sights.append(sight)
    async with httpx.AsyncClient(base_url=f"http://{gateway}", timeout=SILENCE_S, trust_env=False) as client:
        while not _complete(sight):
            try:
                await _read_lines(client, sight)
            except httpx.HTTPError:
                await asyncio.sleep(COME_AGAIN_S)
            notes.resumed += not _complete(sight)


async def _read_lines(client: httpx.AsyncClient, sight: Sight) -> None:
    headers = {"Accept": "application/x-ndjson"}
    query = {"after": str(_read(sight)), "patches": "1"}
    async with client.stream("GET", f"/api/matches/{sight.match}/stream", params=query, headers=headers) as answer:
        if answer.status_code != httpx.codes.OK:
            await asyncio.sleep(COME_AGAIN_S)  # not open yet, or nobody is there
            return
        async for line in answer.aiter_lines():
            told = msgspec.json.decode(line, type=dict[str, msgspec.Raw])
            if bytes(told.pop("event")) == b'"fact"':
                sight.facts.append(msgspec.json.decode(msgspec.json.encode(told), type=Fact))


async def not_open_yet(refusal: Refusal) -> None:
    """A round is published before its matches are open. Raises any other refusal."""
    if refusal.code != "unknown_match":
        raise refusal
    await asyncio.sleep(COME_AGAIN_S)


def _read(sight: Sight) -> int:
    return sight.facts[-1].revision if sight.facts else 0


def _complete(sight: Sight) -> bool:
    return any(event.type == SeedRevealed.name for fact in sight.facts[-1:] for event in fact.events)
