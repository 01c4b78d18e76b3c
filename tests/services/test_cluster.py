"""The log on three servers when one of them is not like the others: deposed, killed, paused, behind."""

import asyncio

import pytest

from engine.kernel.ports import Appended, Conflict, Position, Stored, Unavailable
from services.kit.jetstream.feed import CorePublisher
from tests.kit.given import NOON
from tests.kit.lines import check_chain, fill, line_of
from tests.kit.logs import ClusterPlace, NatsPlace, Watcher, beaten
from tests.kit.proxy import FaultyLine

RACERS = 60


class TestLeadership:
    async def test_of_all_who_race_while_the_leader_steps_down_one_wins(self, three_nodes: ClusterPlace) -> None:
        async with await three_nodes.open() as log:
            position, lines, leader = 0, list[bytes](), None
            for revision in range(1, 4):
                before = lines[-1] if lines else None
                racing = [line_of("m1", revision, actor=f"seat:{n}", before=before) for n in range(RACERS)]
                leader = await three_nodes.leader(but=leader)
                outcomes, _ = await asyncio.gather(
                    asyncio.gather(
                        *(log.append("hearts", "m1", line, expected=position) for line in racing),
                        return_exceptions=True,
                    ),
                    three_nodes.api("STREAM.LEADER.STEPDOWN.MATCHES_00"),
                )
                [winner] = [n for n, outcome in enumerate(outcomes) if isinstance(outcome, Appended)]
                assert sum(isinstance(outcome, Conflict) for outcome in outcomes) == RACERS - 1
                won = outcomes[winner]
                assert isinstance(won, Appended)
                position = won.position
                lines.append(racing[winner])
            stored = await log.read("m1", after=0)
            assert [line.line for line in stored] == lines
            assert (await log.bounds(0)).last == 3

    async def test_nobody_misses_anything_when_the_leader_is_killed(self, three_nodes: ClusterPlace) -> None:
        """Writers, a reader of the feed and the beats of the hosts all go on with the two that are left."""
        async with await three_nodes.open() as log, await three_nodes.open() as reader, Watcher(reader) as watcher:
            beats = log.beats()
            await beaten(beats, "hearts", NOON)
            lines: dict[str, list[bytes]] = {f"m{n}": [] for n in range(4)}
            stop = False

            async def write(match: str) -> None:
                position: Position = 0
                while not stop:
                    mine = lines[match]
                    line = line_of(match, len(mine) + 1, before=mine[-1] if mine else None)
                    position = (await log.append("hearts", match, line, expected=position)).position
                    mine.append(line)

            writers = [asyncio.ensure_future(write(match)) for match in lines]
            await watcher.has_seen(100)
            leader = await three_nodes.leader()
            await leader.kill()
            await watcher.has_seen(len(watcher.seen) + 100)
            stop = True
            await asyncio.gather(*writers)
            total = sum(map(len, lines.values()))
            await watcher.has_seen(total)
            assert [stored.position for stored in watcher.seen] == list(range(1, total + 1))
            for match, written in lines.items():
                check_chain(match, written)
                assert [stored.line for stored in await log.read(match, after=0)] == written
            assert await beats.last("hearts") == NOON
            await beaten(beats, "hearts", NOON + 1)
            assert await beats.last("hearts") == NOON + 1
            # The one that was killed comes back and has what it missed.
            await leader.start()
            await three_nodes.cluster.wait_healthy()
            async with await three_nodes.open(three_nodes.url_of(leader.port)) as behind:
                assert [stored.line for stored in await behind.read("m0", after=0)] == lines["m0"]


class TestReplicas:
    async def test_a_replica_that_is_behind_is_not_believed(self, three_nodes: ClusterPlace) -> None:
        """It answers questions as soon as it runs again, and does not know yet what it has missed."""
        async with await three_nodes.open() as log:
            await fill(log, "hearts", "m1", 1)
            leader = await three_nodes.leader()
            follower = next(node for node in three_nodes.cluster.nodes if node != leader)
            others = ",".join(three_nodes.url_of(node.port) for node in three_nodes.cluster.nodes if node != follower)
            async with (
                await three_nodes.open(three_nodes.url_of(follower.port)) as through_it,
                await three_nodes.open(others) as writer,
            ):
                last = (await through_it.read("m1", after=0))[-1]
                for _ in range(3):
                    follower.pause()
                    written = [last]
                    for _ in range(40):
                        line = line_of("m1", len(written), actor="seat:1", padding=50_000)
                        appended = await writer.append("hearts", "m1", line, expected=written[-1].position)
                        written.append(Stored(appended.position, line))
                    follower.resume()
                    assert list(await through_it.read("m1", after=last.position)) == written[1:]
                    last = written[-1]

    async def test_two_of_three_gone_is_unavailable_and_stores_nothing(self, three_nodes: ClusterPlace) -> None:
        async with await three_nodes.open(ask_s=0.3, patience_s=0.6) as log:
            lines = await fill(log, "hearts", "m1", 2)
            for node in three_nodes.cluster.nodes[:2]:
                node.pause()
            with pytest.raises(Unavailable, match="log_unavailable"):
                await log.append("hearts", "m1", line_of("m1", 3), expected=2)
            for node in three_nodes.cluster.nodes[:2]:
                node.resume()
            await three_nodes.cluster.wait_healthy()
        async with await three_nodes.open() as log:
            stored = [line.line for line in await log.read("m1", after=0)]
            # Nobody was told that it is there; it may be, once, since a leader may have got it before all went quiet.
            assert stored in (lines, [*lines, line_of("m1", 3)])


class TestWhatIsSaid:
    async def test_nothing_of_ours_names_the_last_message_s_id(self, nats_place: NatsPlace) -> None:
        """One such header that does not fit stops a replicated stream for good. Nobody can slip it in either."""
        forbidden = "Nats-Expected-Last-Msg-Id"
        smuggled = f"x\r\n{forbidden}: x\r\nNats-Msg-Id: x"
        said: list[bytes] = []
        async with FaultyLine(nats_place.servers[0].port, heard=said.append) as line:
            url = nats_place.url_of(line.port)
            async with await nats_place.open(url, traceparent=lambda: smuggled) as log, Watcher(log) as watcher:
                first = line_of("m1", 1).replace(b'"2026-11-29T20:48:09.123456Z"', b'"x\\r\\nNats-Msg-Id: x"')
                for _ in range(2):
                    await log.append("hearts", "m1", first, expected=0)
                with pytest.raises(Conflict):
                    await log.append("hearts", "m1", line_of("m1", 1), expected=0)
                await watcher.has_seen(1)
                assert len(await log.read("m1", after=0)) == 1
                await log.bounds(0)
                await beaten(log.beats(), "hearts", NOON)
                assert await log.beats().last("hearts") == NOON
            async with await CorePublisher.connect(url) as publisher:
                await publisher.publish("feed.m1", b"{}")
                await publisher.flush()
        names = {part.partition(b":")[0].lower() for part in b"".join(said).split(b"\r\n") if b":" in part}
        assert b"nats-expected-last-subject-sequence" in names
        assert not names & {forbidden.lower().encode(), b"nats-msg-id"}
