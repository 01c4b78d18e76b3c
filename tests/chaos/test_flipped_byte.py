"""A byte of the log is another one on the disk: match and revision are named, and nothing is folded over it."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import Final

import pytest

from engine.kernel.facts import Fact
from engine.kernel.ports import Failed
from engine.kernel.refusal import Refusal
from engine.kernel.value import Spectator
from services.kit.jetstream import JetStreamLog
from services.kit.wire.channel import open_channel
from services.kit.wire.clients import MatchClient
from services.kit.wire.house import HouseClients, clients_at
from tests.chaos.calm import CalmHouse, calm_house
from tests.chaos.event import Event
from tests.chaos.replicas import copies_of
from tests.kit.lines import fill
from tests.kit.nats_cluster import NODES, NatsCluster
from tests.services.hosts import next_move

HOUSE: Final = Event(seed=5, game="just4fun", tables=1)
DAMAGED, SOUND = "m-damaged", "m-sound"
REVISION: Final = 6
MOVES: Final = 4
LINES: Final = 50


async def test_the_only_node_comes_back_with_a_flipped_byte(tmp_path: Path) -> None:
    """Both services that are asked name match and revision; another match goes on."""
    async with calm_house(tmp_path, HOUSE) as house:
        await _play(house, (DAMAGED, SOUND))
        line = await _line(house.log, DAMAGED, REVISION)
    flip(tmp_path / "nats", line)
    async with calm_house(tmp_path, HOUSE) as house, clients_at(house.named, {HOUSE.game: house.rules[0]}) as clients:
        rules = clients.rules(HOUSE.game)
        for told in (
            await _failure_of_watching(clients),
            await _failure_of_moving(rules),
        ):
            assert told.code == "broken_log"
            assert told.sentence == f"The log of match {DAMAGED} is damaged at revision {REVISION}."
        await _play(house, (SOUND,), first=MOVES)
        async with aclosing(_facts(clients, SOUND)) as facts:
            assert (await anext(facts)).revision == 1


async def test_a_node_that_crashed_and_forgets_its_end_is_not_believed(tmp_path: Path) -> None:
    """Without its index the server ends its log before the damage, and says nothing: the read models know better."""
    async with calm_house(tmp_path, HOUSE) as house:
        await _play(house, (DAMAGED, SOUND))
        line = await _line(house.log, DAMAGED, REVISION)
    flip(tmp_path / "nats", line)
    for index in (tmp_path / "nats").glob("**/msgs/index.db"):
        index.unlink()
    with pytest.raises(Refusal) as refused:
        async with calm_house(tmp_path, HOUSE):
            pass
    assert refused.value.code == "other_log"


@pytest.mark.timeout(120)
async def test_a_node_of_three_with_a_flipped_byte_is_named_and_every_match_can_be_read(tmp_path: Path) -> None:
    async with NatsCluster(tmp_path) as cluster:
        async with await JetStreamLog.connect(cluster.url, create=True, replicas=NODES, patience_s=20) as log:
            lines = await fill(log, "none", DAMAGED, LINES)
        assert len({copy.digest for copy in await copies_of(cluster.url, ["MATCHES_00"])}) == 1
        leader = await cluster.stream_leader("MATCHES_00")
        damaged = next(node for node in cluster.nodes if node is not leader)
        await damaged.stop()
        flip(damaged.folder, lines[REVISION - 1])
        await cluster.start()
        copies = {copy.node: copy.digest for copy in await copies_of(cluster.url, ["MATCHES_00"])}
        others = {digest for node, digest in copies.items() if node != damaged.name}
        assert len(others) == 1
        assert copies[damaged.name] not in others
        async with await JetStreamLog.connect(damaged.url, create=False, patience_s=20) as log:
            assert [stored.line for stored in await log.read(DAMAGED, after=0)] == lines


def flip(folder: Path, line: bytes) -> None:
    """One bit in the middle of a line, where the server keeps it."""
    [block] = folder.glob("**/MATCHES_00/msgs/*.blk")
    stored = bytearray(block.read_bytes())
    assert stored.count(line) == 1
    stored[stored.index(line) + len(line) // 2] ^= 1
    block.write_bytes(stored)


async def _play(house: CalmHouse, matches: tuple[str, ...], first: int = 0) -> None:
    """Some moves in each, behind the ``first`` ones."""
    async with (
        open_channel(house.rules[0]) as channel,
        await JetStreamLog.connect(house.log, create=False) as log,
    ):
        rules = MatchClient(channel)
        for match in matches:
            if not first:
                await rules.open(match, HOUSE.game, 2)
            for number in range(first, first + MOVES):
                await rules.act(match, f"move-{number}", *await next_move(log, match))


async def _line(url: str, match: str, revision: int) -> bytes:
    async with await JetStreamLog.connect(url, create=False) as log:
        return (await log.read(match, after=0))[revision - 1].line


def _facts(clients: HouseClients, match: str) -> AsyncGenerator[Fact, None]:
    return clients.spectator.facts(match, Spectator())


async def _failure_of_watching(clients: HouseClients) -> Failed:
    with pytest.raises(Failed) as failed:
        async for _ in _facts(clients, DAMAGED):
            pass
    return failed.value


async def _failure_of_moving(rules: MatchClient) -> Failed:
    with pytest.raises(Failed) as failed:
        await rules.act(DAMAGED, "one-more", 0, '{"type":"just4fun.place_token","data":{}}')
    return failed.value
