"""A log that is without a leader takes nobody's time, also where the beats of the hosts have one."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import nats
import pytest

from engine.games import find_game
from engine.kernel.commit import Commit, decode_line
from engine.kernel.official import TimeGivenBack, TurnExpired
from engine.kernel.ports import Unavailable
from engine.kernel.value import Instant, instant_of
from services.deck.app import Deck
from services.kit.clock import SystemClock
from services.kit.jetstream import JetStreamLog
from services.kit.key import KeyRing
from services.rules.app import MatchHost
from tests.kit.nats import until
from tests.kit.nats_cluster import NODES, NatsCluster, NatsNode
from tests.services.hosts import next_move, running
from tests.services.small_house import KEY

MATCH: Final = "m-1"
LONG_MS: Final = 6_000
SHORT_MS: Final = 2_000
"""Over before the hosts count as away: what ends a turn then must wait all the same."""
STREAM: Final = "MATCHES_00"


@pytest.fixture
async def cluster(tmp_path: Path) -> AsyncIterator[NatsCluster]:
    async with NatsCluster(tmp_path, durability="fast") as made:
        yield made


@pytest.mark.timeout(180)
@pytest.mark.parametrize("turn_ms", [LONG_MS, SHORT_MS])
async def test_nobody_is_flagged_while_the_matches_have_no_leader(cluster: NatsCluster, turn_ms: int) -> None:
    async with await JetStreamLog.connect(cluster.url, create=True, replicas=NODES, patience_s=20) as log:
        host = MatchHost(find_game("just4fun"), log, Deck(KeyRing(KEY), log), SystemClock(), log.beats())
        async with running(host):
            await until(lambda: _has_beaten(log), "the host has said that it is there")
            leader = await _apart(cluster)
            before = await log.beats().last("just4fun")
            await until(lambda: _has_beaten(log, before), "it has said so again: nobody was away when the match began")
            await host.open(MATCH, seats=2, turn_ms=turn_ms)
            seat, move = await next_move(log, MATCH)
            leader.pause()
            paused = SystemClock().now()
            try:
                await asyncio.sleep(turn_ms / 1000)  # the turn is over by the clock on the wall
                await _patiently(host, seat, move)
            finally:
                leader.resume()
            told = await _commits(log)
        await host.close()
    events = [event.type for commit in told for event in commit.events]
    assert TurnExpired.name not in events
    actors = [commit.actor for commit in told]
    assert f"seat:{seat}" in actors
    # A turn that ran meanwhile was given that time. A short one is over by its move before anybody counts as away; then
    # the one behind it begins after that, when there is a leader again.
    behind = told[actors.index(f"seat:{seat}") + 1]
    assert TimeGivenBack.name in events or (turn_ms == SHORT_MS and instant_of(behind.at) > paused + 1000 * turn_ms), (
        "a clock has run while there was no leader"
    )


async def _apart(cluster: NatsCluster) -> NatsNode:
    """The node that leads the matches, after it has been made another than that of the beats."""
    async with asyncio.timeout(60):
        while True:
            matches, beats = await cluster.stream_leader(STREAM), await cluster.stream_leader("BEATS")
            if matches is not None and beats is not None and matches is not beats:
                return matches
            if beats is not None:
                await _step_down(cluster, "BEATS")
            await asyncio.sleep(0.2)


async def _step_down(cluster: NatsCluster, stream: str) -> None:
    client = await nats.connect(cluster.nodes[0].url)
    try:
        await client.request(f"$JS.API.STREAM.LEADER.STEPDOWN.{stream}", b"", timeout=5)
    finally:
        await client.close()


async def _has_beaten(log: JetStreamLog, since: Instant = 0) -> bool:
    return await log.beats().last("just4fun") > since


async def _patiently(host: MatchHost, seat: int, move: str) -> None:
    """As a player's client does: the same command again while the house cannot be reached."""
    async with asyncio.timeout(60):
        while True:
            try:
                await host.act(MATCH, "in-time", seat, move)
                return
            except Unavailable:
                await asyncio.sleep(0.1)


async def _commits(log: JetStreamLog) -> list[Commit]:
    return [decode_line(stored.line) for stored in await log.read(MATCH, after=0)]
