"""A replica that is behind is not believed: every line that anybody has been told of is in the answer."""

from collections.abc import Callable

import pytest

from engine.kernel.ports import Position, Stored, Unavailable, Whole
from services.kit.family import MATCHES
from services.kit.jetstream import JetStreamLog
from services.kit.jetstream import read as reading
from services.kit.jetstream.connection import Connection
from services.kit.jetstream.parser import Answer
from services.kit.jetstream.streams import Stream
from services.kit.tracing import Traced
from services.local.nats_server import NatsServer
from tests.kit.lines import fill, line_of

M = "m-1"


class Behind:
    """Stands before direct get: the first ``times`` answers come from a replica that knows ``known`` lines."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, known: int, times: int) -> None:
        self.known = known
        self.times = times
        self._page = reading.page
        monkeypatch.setattr(reading, "page", self.page)

    async def page(
        self, connection: Connection, stream: Stream, subjects: str, after: Position, wanted: int
    ) -> tuple[list[Stored], bool]:
        page, left = await self._page(connection, stream, subjects, after, wanted)
        if not self.times:
            return page, left
        self.times -= 1
        return [stored for stored in page if stored.position <= self.known], False


@pytest.mark.parametrize("limit", [0, 1, 3])
@pytest.mark.parametrize("known", [0, 2])
async def test_a_replica_that_is_behind_is_asked_again(
    nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch, limit: int, known: int
) -> None:
    async with await JetStreamLog.connect(nats_server.url, create=True) as log:
        lines = await fill(log, "hearts", M, 5)
        Behind(monkeypatch, known, times=2)
        read = await log.read(M, after=0, limit=limit)
        assert [stored.line for stored in read] == lines[: limit or 5]


async def test_one_that_stays_behind_is_no_answer(nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch) -> None:
    async with await JetStreamLog.connect(nats_server.url, create=True, patience_s=0.5) as log:
        await fill(log, "hearts", M, 2)
        Behind(monkeypatch, known=1, times=1000)
        with pytest.raises(Unavailable):
            await log.read(M, after=0)


async def test_whoever_wants_one_line_asks_no_replica(nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next or the last comes from the leader, so it is there however far behind the others are."""
    async with await JetStreamLog.connect(nats_server.url, create=True, patience_s=0.5) as log:
        lines = await fill(log, "hearts", M, 3)
        Behind(monkeypatch, known=0, times=1000)
        last = await log.last(M)
        assert last == Stored(3, lines[2])
        assert await log.read(M, after=1, limit=1) == (Stored(2, lines[1]),)
        with pytest.raises(Unavailable):
            await log.read(M, after=0, limit=2)


async def test_the_last_line_brings_its_trace(nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "is_tracing", lambda: True)
    async with await JetStreamLog.connect(nats_server.url, create=True, traceparent=lambda: "00-aa-bb-01") as log:
        await fill(log, "hearts", M, 2)
        last, [read] = await log.last(M), await log.read(M, after=1, limit=1)
        assert isinstance(last, Traced)
        assert last == read
        assert last.traceparent == "00-aa-bb-01"


@pytest.mark.parametrize("lost", [1, 3, 5])
async def test_a_page_without_headers_that_has_a_hole_is_read_with_headers(
    nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch, lost: int
) -> None:
    asked: list[dict[str, object]] = []
    burst = reading._burst

    async def holed(
        connection: Connection, stream: Stream, asking: dict[str, object], take: Callable[[Answer], None]
    ) -> Answer:
        asked.append(asking)
        heard = 0

        def drop(answer: Answer) -> None:
            nonlocal heard
            heard += 1
            if heard != lost or "no_hdr" not in asking:
                take(answer)

        return await burst(connection, stream, asking, drop)

    async with await JetStreamLog.connect(nats_server.url, create=True) as log:
        await fill(log, "hearts", M, 5)
        whole = [*await log.read(M, after=0)]
        monkeypatch.setattr(reading, "_burst", holed)
        stream = Stream(MATCHES, 0)
        assert await reading.page_of_all(log._connection, stream, 0, 5) == whole
        assert ["no_hdr" in asking for asking in asked] == [True, False]
        assert await reading.page_of_all(log._connection, stream, 5, 5) == []


@pytest.mark.parametrize("lost", [1, 3, 5])
@pytest.mark.parametrize("known", [5, 3])
async def test_a_whole_match_that_came_with_a_hole_is_read_with_headers(
    nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch, lost: int, known: int
) -> None:
    """Lines that were lost on the way, from a replica that knows all of them or not."""
    asked: list[bool] = []
    burst = reading._burst

    async def holed(
        connection: Connection, stream: Stream, asking: dict[str, object], take: Callable[[Answer], None]
    ) -> Answer:
        asked.append("no_hdr" in asking)
        heard = 0

        def drop(answer: Answer) -> None:
            nonlocal heard
            heard += 1
            if "no_hdr" not in asking or (heard != lost and heard <= known):
                take(answer)

        return await burst(connection, stream, asking, drop)

    async with await JetStreamLog.connect(nats_server.url, create=True) as log:
        lines = await fill(log, "hearts", M, 5)
        newest = (await log.read(M, after=0))[-1].position
        assert await log.whole(M) == Whole(tuple(lines), newest)
        monkeypatch.setattr(reading, "_burst", holed)
        assert await log.whole(M) == Whole(tuple(lines), newest)
        assert asked == [True, False]


async def test_a_line_that_comes_while_a_whole_match_is_read_does_not_lend_its_position_to_another(
    nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who appends behind that position would continue a line that it has not seen."""
    burst, lost = reading._burst, 0

    async with await JetStreamLog.connect(nats_server.url, create=True) as log:
        lines = await fill(log, "hearts", M, 3)

        async def meanwhile(
            connection: Connection, stream: Stream, asking: dict[str, object], take: Callable[[Answer], None]
        ) -> Answer:
            nonlocal lost
            if "no_hdr" in asking and len(lines) == 3:
                known = await log.read(M, after=0)
                line = line_of(M, 4, before=known[-1].line)
                await log.append("hearts", M, line, expected=known[-1].position)
                lines.append(line)
                lost = 4
            heard = 0

            def drop(answer: Answer) -> None:
                nonlocal heard
                heard += 1
                if heard != lost or "no_hdr" not in asking:
                    take(answer)

            return await burst(connection, stream, asking, drop)

        monkeypatch.setattr(reading, "_burst", meanwhile)
        whole = await log.whole(M)
        stored = await log.read(M, after=0)
        assert whole == Whole(tuple(lines), stored[-1].position)
        assert len(whole.lines) == 4
