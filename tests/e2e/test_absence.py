"""kill -9 takes the only rules host while a clock runs, and for a while nobody starts it: no player's time is lost."""

import asyncio
import signal
from asyncio.subprocess import DEVNULL, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from engine.kernel.commit import Commit, decode_line
from engine.kernel.official import ClockStarted, TimeGivenBack, TurnExpired
from engine.kernel.value import instant_of
from services.deck.app import Deck
from services.deck.servicer import register
from services.kit.jetstream import JetStreamLog
from services.kit.key import KeyRing
from services.kit.lifecycle import start_server
from services.kit.sockets import free_ports
from services.kit.wire.channel import open_channel
from services.kit.wire.clients import MatchClient
from services.local.nats_server import NatsServer
from tests.e2e.command import COMMAND, environment
from tests.e2e.players import patiently
from tests.kit.nats import own_nats, until
from tests.services.small_house import KEY

__all__ = ["own_nats"]

AWAY_S = 5.0
TURN_S = 3


@asynccontextmanager
async def rules_host(settings: dict[str, str]) -> AsyncIterator[Process]:
    """A process of its own; killed at the end, if it still runs."""
    host = await asyncio.create_subprocess_exec(
        *COMMAND, "serve", "rules", "--game", "just4fun", stdout=DEVNULL, stderr=DEVNULL, env=environment(settings)
    )
    try:
        yield host
    finally:
        if host.returncode is None:
            host.send_signal(signal.SIGKILL)
        await host.wait()


async def test_time_in_which_no_host_ran_is_given_back_before_the_bell(own_nats: NatsServer) -> None:
    port = free_ports(1)[0]
    async with await JetStreamLog.connect(own_nats.url, create=True) as log:
        deck = await start_server("deck", "127.0.0.1:0", lambda server: register(server, Deck(KeyRing(KEY), log)))
        settings = {
            "TAVOLATA_NATS_URL": own_nats.url,
            "TAVOLATA_BIND": f"127.0.0.1:{port}",
            "TAVOLATA_DECK_ADDRESS": f"127.0.0.1:{deck.port}",
        }

        async def commits() -> list[Commit]:
            return [decode_line(stored.line) for stored in await log.read("m-1", after=0)]

        async def has(name: str) -> bool:
            return any(event.type == name for commit in await commits() for event in commit.events)

        async with open_channel(f"127.0.0.1:{port}") as channel:
            async with rules_host(settings):
                matches = MatchClient(channel)
                await patiently(lambda: matches.open("m-1", "just4fun", 2, turn_ms=TURN_S * 1000))
                await until(lambda: has(ClockStarted.name), "the clock runs")
            await asyncio.sleep(AWAY_S)
            async with rules_host(settings):
                await until(lambda: has(TurnExpired.name), "the turn has expired")
        await deck.stop(0)
    told = await commits_of(own_nats)
    back = next(commit for commit in told if commit.events[0].type == TimeGivenBack.name)
    bell = next(commit for commit in told if commit.events[0].type == TurnExpired.name)
    started = next(commit for commit in told if commit.events[-1].type == ClockStarted.name)
    assert back.revision < bell.revision
    assert instant_of(bell.at) - instant_of(started.at) >= (TURN_S + AWAY_S) * 1_000_000


async def commits_of(server: NatsServer) -> list[Commit]:
    async with await JetStreamLog.connect(server.url, create=False) as log:
        return [decode_line(stored.line) for stored in await log.read("m-1", after=0)]
