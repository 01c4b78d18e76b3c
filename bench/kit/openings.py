"""Matches that are open before anything is measured, and long ones: their director has stopped them very often."""

import asyncio
from collections.abc import Sequence
from typing import Final

import uvloop

from services.kit.wire.clients import MatchClient
from services.kit.wire.house import connect

AT_ONCE: Final = 64


def open_matches(url: str, game: str, seats: int, matches: Sequence[str], *, commits: int = 0) -> None:
    """Open them all; then, until each has about ``commits``, pause it and let it go on.

    Matches that people play end long before they have thousands of commits; this makes one that has.
    """
    uvloop.run(_open(url, game, seats, matches, commits))


async def _open(url: str, game: str, seats: int, matches: Sequence[str], commits: int) -> None:
    waiting = iter(matches)
    async with connect(url) as clients:
        rules = clients.rules(game)

        async def work() -> None:
            for match in waiting:
                await rules.open(match, game, seats, turn_ms=60_000 if commits else 0)
                await _lengthen(rules, match, commits)

        await asyncio.gather(*(work() for _ in range(min(AT_ONCE, len(matches)))))


async def _lengthen(rules: MatchClient, match: str, commits: int) -> None:
    for number in range(commits // 2):
        for deed in ("pause", "resume"):
            command = f'{{"type":"tavolata.{deed}","v":1,"data":{{}}}}'
            await rules.direct(match, f"{deed}-{number}", command)
