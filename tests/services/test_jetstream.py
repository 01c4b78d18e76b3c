"""The log on JetStream when the world is unkind: killed servers, lost answers, dropped lines, lost bells."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import nats
import pytest

from engine.kernel.ports import Conflict, Position, Unavailable
from engine.kernel.refusal import Refusal
from services.kit.family import MATCHES
from services.kit.jetstream import JetStreamLog, follow
from services.kit.jetstream.follow import QUIET_S
from services.kit.jetstream.streams import DUPLICATE_WINDOW_NS, Stream, stream_config
from services.local.nats_server import NatsServer
from tests.kit.lines import check_chain, fill, line_of
from tests.kit.logs import NatsPlace, Watcher, one_by_one
from tests.kit.nats import DEADLINE_S, arrived, until
from tests.kit.proxy import FaultyLine


@asynccontextmanager
async def opened(url: str, **options: Any) -> AsyncIterator[JetStreamLog]:
    async with await JetStreamLog.connect(url, create=True, **options) as log:
        yield log


async def api(url: str, subject: str, body: object = None) -> dict[str, Any]:
    """An operator's question to ``$JS.API``."""
    client = await nats.connect(url.split(","))
    try:
        answer = await client.request(f"$JS.API.{subject}", json.dumps(body or {}).encode(), timeout=DEADLINE_S)
    finally:
        await client.close()
    found: dict[str, Any] = json.loads(answer.data)
    return found


@asynccontextmanager
async def faulty(place: NatsPlace, **options: Any) -> AsyncIterator[tuple[FaultyLine, JetStreamLog]]:
    """A log behind a line to one of the servers."""
    line = FaultyLine(place.servers[0].port)
    async with line, await place.open(place.url_of(line.port), **options) as log:
        yield line, log


class TestRepeats:
    async def test_past_the_broker_s_duplicate_window(self, nats_server: NatsServer) -> None:
        async with opened(nats_server.url) as log:
            lines = await fill(log, "hearts", "m1", 2)
            await asyncio.sleep(3 * DUPLICATE_WINDOW_NS / 1e9)
            again = await log.append("hearts", "m1", lines[0], expected=0)
            assert (again.position, again.repeated) == (1, True)
            assert len(await log.read("m1", after=0)) == 2

    async def test_after_the_server_was_killed(self, own_nats: NatsServer) -> None:
        async with opened(own_nats.url) as log:
            lines = await fill(log, "hearts", "m1", 3)
            await own_nats.kill()
            await own_nats.start()
            for place, line in enumerate(lines):
                again = await log.append("hearts", "m1", line, expected=place)
                assert (again.position, again.repeated) == (place + 1, True)
            assert [stored.line for stored in await log.read("m1", after=0)] == lines

    async def test_after_the_answer_was_lost(self, nats_place: NatsPlace) -> None:
        async with faulty(nats_place, ask_s=0.2) as (line, log):
            lines = await fill(log, "hearts", "m1", 1)
            line.deaf = True
            second = line_of("m1", 2, before=lines[0])
            appending = asyncio.ensure_future(log.append("hearts", "m1", second, expected=1))
            await until(lambda: line.swallowed > 0, "an answer is lost")
            line.deaf = False
            appended = await appending
            assert (appended.position, appended.repeated) == (2, True)
            assert [stored.line for stored in await log.read("m1", after=0)] == [*lines, second]

    async def test_after_the_line_was_cut_before_the_answer(self, nats_place: NatsPlace) -> None:
        async with faulty(nats_place) as (line, log):
            line.deaf = True
            first = line_of("m1", 1)
            appending = asyncio.ensure_future(log.append("hearts", "m1", first, expected=0))
            await until(lambda: line.swallowed > 0, "an answer is lost")
            line.deaf = False
            line.cut()
            appended = await appending
            assert (appended.position, appended.repeated) == (1, True)
            assert len(await log.read("m1", after=0)) == 1

    async def test_a_lost_answer_to_a_loser_is_still_a_conflict(self, nats_place: NatsPlace) -> None:
        async with faulty(nats_place, ask_s=0.2) as (line, log):
            await fill(log, "hearts", "m1", 2)
            line.deaf = True
            late = line_of("m1", 2, actor="seat:9")
            appending = asyncio.ensure_future(log.append("hearts", "m1", late, expected=1))
            await until(lambda: line.swallowed > 0, "an answer is lost")
            line.deaf = False
            with pytest.raises(Conflict):
                await appending


class TestOutage:
    async def test_an_append_outlasts_a_restart(self, own_nats: NatsServer) -> None:
        async with opened(own_nats.url) as log:
            await own_nats.kill()
            appending = asyncio.ensure_future(log.append("hearts", "m1", line_of("m1", 1), expected=0))
            await until(lambda: not log.connected, "the line is down")
            await own_nats.start()
            assert (await appending).position == 1

    async def test_the_first_append_after_the_line_dropped_is_stored(self, nats_place: NatsPlace) -> None:
        async with faulty(nats_place) as (line, log):
            await fill(log, "hearts", "m1", 1)
            for revision in (2, 3, 4):
                line.cut()
                appended = await log.append("hearts", "m1", line_of("m1", revision), expected=revision - 1)
                assert appended.position == revision
            assert len(await log.read("m1", after=0)) == 4

    async def test_what_failed_while_disconnected_is_never_stored_later(self, nats_place: NatsPlace) -> None:
        async with await nats_place.open(), faulty(nats_place, patience_s=0.5) as (line, log):
            await fill(log, "hearts", "m1", 1)
            await line.shut()
            await until(lambda: not log.connected, "the line is down")
            with pytest.raises(Unavailable) as refused:
                await log.append("hearts", "m1", line_of("m1", 2, actor="seat:7"), expected=1)
            assert refused.value.code == "log_unavailable"
            await line.open()
            await until(lambda: log.connected, "the line is up")
            # Whatever the client kept would be sent before this, on the same line.
            appended = await log.append("hearts", "m1", line_of("m1", 2), expected=1)
            assert (appended.position, appended.repeated) == (2, False)
            assert (await log.bounds(0)).last == 2

    async def test_writers_through_three_kills_lose_nothing_and_store_nothing_twice(self, own_nats: NatsServer) -> None:
        async with opened(own_nats.url) as log, Watcher(log) as watcher:
            stop = False
            lines: dict[str, list[bytes]] = {f"m{n}": [] for n in range(8)}

            async def write(match: str) -> None:
                mine = lines[match]
                position: Position = 0
                while not stop:
                    line = line_of(match, len(mine) + 1, before=mine[-1] if mine else None)
                    position = (await log.append("hearts", match, line, expected=position)).position
                    mine.append(line)

            writers = [asyncio.ensure_future(write(match)) for match in lines]
            for _ in range(3):
                goal = len(watcher.seen) + 200
                await watcher.has_seen(goal)
                await own_nats.kill()
                await own_nats.start()
            stop = True
            await asyncio.gather(*writers)
            total = sum(map(len, lines.values()))
            await watcher.has_seen(total)
            assert (await log.bounds(0)).last == total
            assert [stored.position for stored in watcher.seen] == list(range(1, total + 1))
            for match, written in lines.items():
                check_chain(match, written)
                assert [stored.line for stored in await log.read(match, after=0)] == written

    async def test_nobody_there_is_told_within_patience(self, own_nats: NatsServer) -> None:
        await own_nats.stop()
        with pytest.raises(Unavailable) as refused:
            await JetStreamLog.connect(own_nats.url, create=True, patience_s=0.3)
        assert refused.value.code == "log_unavailable"

    async def test_a_closed_log_is_unavailable_at_once(self, nats_server: NatsServer) -> None:
        async with opened(nats_server.url) as log:
            pass
        started = time.monotonic()
        with pytest.raises(Unavailable):
            await log.append("hearts", "m1", line_of("m1", 1), expected=0)
        with pytest.raises(Unavailable):
            await log.read("m1", after=0)
        with pytest.raises(Unavailable):
            await anext(log.follow(0, after=0))
        assert time.monotonic() - started < 1

    async def test_closing_the_log_ends_its_followers(self, nats_server: NatsServer) -> None:
        async with opened(nats_server.url) as log, Watcher(log) as watcher:
            await fill(log, "hearts", "m1", 1)
            await watcher.has_seen(1)
            await log.close()
            with pytest.raises(Unavailable):
                await watcher.has_seen(2)


class TestFollowers:
    async def test_a_lost_bell_is_only_late(self, nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(follow, "QUIET_S", 0.1)
        monkeypatch.setattr(follow, "live", lambda subjects: f"nowhere.{subjects}")
        async with opened(nats_server.url) as log, Watcher(log) as watcher:
            for number in range(1, 4):
                await fill(log, "hearts", f"m{number}", 10)
                await watcher.has_seen(10 * number)
            assert [stored.position for stored in watcher.seen] == list(range(1, 31))

    async def test_a_bell_for_what_is_not_there_hides_nothing(self, nats_server: NatsServer) -> None:
        """Somebody rings who is not the log; what is stored after that is heard of all the same."""
        async with opened(nats_server.url) as log, Watcher(log) as watcher:
            await fill(log, "hearts", "m1", 10)
            await watcher.has_seen(10)
            client = log._connection.client
            await client.publish("live.match.00.hearts.m1", b"{}", headers={"Nats-Sequence": "999"})
            await client.publish("live.match.00.hearts.m1", b"{}")
            await arrived(client)
            await fill(log, "hearts", "m2", 10)
            await watcher.has_seen(20)
            assert [stored.position for stored in watcher.seen] == list(range(1, 21))

    async def test_a_cut_line_leaves_no_gap(self, nats_server: NatsServer) -> None:
        async with (
            FaultyLine(nats_server.port) as line,
            opened(line.url) as log,
            opened(nats_server.url) as writer,
            Watcher(log) as watcher,
        ):
            writing = asyncio.ensure_future(fill(writer, "hearts", "m1", 2_000))
            for goal in (100, 400, 900):
                await watcher.has_seen(goal)
                line.cut()
            await writing
            written = time.monotonic()
            await watcher.has_seen(2_000)
            assert time.monotonic() - written < QUIET_S  # by the dropped line, not by the silence
            assert [stored.position for stored in watcher.seen] == list(range(1, 2_001))

    async def test_lost_deliveries_leave_no_gap(self, nats_server: NatsServer) -> None:
        async with (
            FaultyLine(nats_server.port) as line,
            opened(line.url) as log,
            opened(nats_server.url) as writer,
            Watcher(log) as watcher,
        ):
            first = await fill(writer, "hearts", "m1", 10)
            await watcher.has_seen(10)
            line.deaf = True
            second = line_of("m1", 11, before=first[-1])
            await writer.append("hearts", "m1", second, expected=10)
            await until(lambda: line.swallowed > 0, "a delivery is lost")
            line.deaf = False
            await writer.append("hearts", "m1", line_of("m1", 12, before=second), expected=11)
            await watcher.has_seen(12)
            assert [stored.position for stored in watcher.seen] == list(range(1, 13))

    async def test_a_closed_follower_leaves_nothing_behind(self, nats_server: NatsServer) -> None:
        async with opened(nats_server.url) as log:
            await fill(log, "hearts", "m1", 5)
            subscriptions = len(log._connection.client._subs)
            for _ in range(5):
                async with Watcher(log) as watcher:
                    await watcher.has_seen(5)
            assert len(log._connection.client._subs) == subscriptions
            assert not log._connection.drops

    async def test_a_follower_makes_no_consumer(self, nats_server: NatsServer) -> None:
        async with opened(nats_server.url) as log, Watcher(log) as watcher:
            await fill(log, "hearts", "m1", 5)
            await watcher.has_seen(5)
            assert not (await api(nats_server.url, "CONSUMER.NAMES.MATCHES_00"))["consumers"]

    async def test_a_slow_taker_is_not_flooded(self, nats_server: NatsServer) -> None:
        async with opened(nats_server.url) as log:
            await asyncio.gather(*(fill(log, "hearts", f"m{n}", 100) for n in range(40)))
            follower = one_by_one(log.follow(0, after=0))
            seen = [await anext(follower)]
            before = log._connection.client.stats["in_msgs"]
            await log.bounds(0)
            await log.bounds(0)
            assert log._connection.client.stats["in_msgs"] - before < 2_200
            seen += [await anext(follower) for _ in range(3_999)]
            assert [stored.position for stored in seen] == list(range(1, 4_001))
            await follower.aclose()

    async def test_a_log_made_anew_is_not_taken_for_the_old_one(self, nats_server: NatsServer) -> None:
        async with opened(nats_server.url) as log:
            await fill(log, "hearts", "m1", 5)
            follower = one_by_one(log.follow(0, after=0))
            for _ in range(5):
                await anext(follower)
            await api(nats_server.url, "STREAM.DELETE.MATCHES_00")
            async with opened(nats_server.url) as other:
                await fill(other, "hearts", "m2", 9)
                with pytest.raises(Refusal) as refused:
                    async with asyncio.timeout(DEADLINE_S):
                        await anext(follower)
            assert refused.value.code == "log_rewound"


class TestStreams:
    async def test_the_number_of_partitions_is_fixed(self, nats_server: NatsServer) -> None:
        async with opened(nats_server.url, partitions=2) as log:
            assert log.partitions == 2
        for partitions in (1, 3):
            with pytest.raises(Refusal) as refused:
                await JetStreamLog.connect(nats_server.url, partitions=partitions, create=True)
            assert refused.value.code == "partitions_fixed"
        names = await api(nats_server.url, "STREAM.NAMES")
        assert names["streams"] == ["BEATS", "BOOKMARKS", "MATCHES_00", "MATCHES_01"]

    async def test_a_log_is_not_made_by_a_reader(self, nats_server: NatsServer) -> None:
        with pytest.raises(Unavailable) as refused:
            await JetStreamLog.connect(nats_server.url, create=False, patience_s=0.2)
        assert "has not been made" in refused.value.sentence

    async def test_opening_at_once_makes_one_log(self, nats_server: NatsServer) -> None:
        logs = await asyncio.gather(
            *(JetStreamLog.connect(nats_server.url, partitions=4, create=True, bytes_max=n << 20) for n in range(1, 6))
        )
        assert len({(await log.bounds(3)).epoch for log in logs}) == 1
        for log in logs:
            await log.close()

    async def test_a_stream_that_forgets_is_no_log(self, nats_server: NatsServer) -> None:
        async with opened(nats_server.url):
            config = (await api(nats_server.url, "STREAM.INFO.MATCHES_00"))["config"]
        await api(nats_server.url, "STREAM.DELETE.MATCHES_00")
        await api(nats_server.url, "STREAM.CREATE.MATCHES_00", config | {"discard": "old"})
        with pytest.raises(Refusal) as refused:
            await JetStreamLog.connect(nats_server.url, create=True)
        assert refused.value.code == "log_foreign"

    async def test_the_log_keeps_everything(self, nats_server: NatsServer) -> None:
        async with opened(nats_server.url) as log:
            await fill(log, "hearts", "m1", 2)
            config = (await api(nats_server.url, "STREAM.INFO.MATCHES_00"))["config"]
            assert config["discard"] == "new"
            assert config["max_age"] == 0
            assert (await api(nats_server.url, "STREAM.MSG.DELETE.MATCHES_00", {"seq": 1}))["error"]
            assert (await api(nats_server.url, "STREAM.PURGE.MATCHES_00"))["error"]
            assert len(await log.read("m1", after=0)) == 2

    async def test_the_envelope(self, nats_server: NatsServer) -> None:
        trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        async with opened(nats_server.url, traceparent=lambda: trace) as log:
            client = await nats.connect(nats_server.url)
            live = await client.subscribe("live.match.>")
            await arrived(client)
            await fill(log, "hearts", "m1", 1)
            with pytest.raises(Conflict):
                await log.append("hearts", "m1", line_of("m1", 1, actor="seat:9"), expected=0)
            await fill(log, "hearts", "m2", 1)
            published = [await live.next_msg(timeout=DEADLINE_S) for _ in range(2)]
            await client.close()
        assert [message.subject for message in published] == ["live.match.00.hearts.m1", "live.match.00.hearts.m2"]
        headers = published[0].headers
        assert headers is not None
        wanted = {
            "ce-specversion": "1.0",
            "ce-type": "tavolata.commit",
            "ce-source": "/tavolata/hearts",
            "ce-id": "m1/1",
            "ce-time": "2026-11-29T20:48:09.123456Z",
            "ce-subject": "m1",
            "content-type": "application/json",
            "traceparent": trace,
        }
        assert {name: headers.get(name) for name in wanted} == wanted
        assert "Nats-Msg-Id" not in headers
        assert "Nats-Expected-Last-Msg-Id" not in headers

    async def test_a_log_that_has_lost_its_beginning_is_refused(self, nats_server: NatsServer) -> None:
        config = stream_config(Stream(MATCHES, 0), 1, bytes_max=0, replicas=1)
        await api(nats_server.url, "STREAM.CREATE.MATCHES_00", {**config, "first_seq": 22})
        with pytest.raises(Refusal) as refused:
            async with opened(nats_server.url):
                pass
        assert refused.value.code == "log_lost_lines"
