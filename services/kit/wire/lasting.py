"""Facts that go on over a service that is started again, for whoever has nobody else to ask anew."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final

from engine.kernel.facts import Fact
from engine.kernel.ports import Unavailable
from engine.kernel.value import Revision
from services.kit.lookers import Looker
from services.kit.wire.clients import SpectatorClient

PATIENCE_S: Final = 30.0
"""A service that is upgraded is back in seconds, a machine that is replaced in less than this."""

RETRY_S: Final = 0.2


async def lasting_facts(
    spectator: SpectatorClient,
    match: str,
    viewer: Looker,
    *,
    after: Revision = 0,
    language: str = "",
    patience_s: float = PATIENCE_S,
) -> AsyncGenerator[Fact, None]:
    """``SpectatorClient.facts``, asked again behind the last fact that came; ends when the match is complete.

    Raises what that raises, and ``Unavailable`` when there has been no answer for ``patience_s``. Not for a game whose
    past is closed: what is told once is not told again.
    """
    loop = asyncio.get_running_loop()
    until = loop.time() + patience_s
    while True:
        try:
            async with aclosing(spectator.facts(match, viewer, after=after, language=language)) as facts:
                async for fact in facts:
                    after = fact.revision
                    yield fact
                    until = loop.time() + patience_s
                return
        except Unavailable:
            if loop.time() > until:
                raise
        await asyncio.sleep(RETRY_S)
