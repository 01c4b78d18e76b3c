"""Many matches over one long call: each watch is told what a call of its own would be told, and keeps nothing from the
others.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import grpc
import pytest
from tavolata.spectator.v1 import spectator_pb2 as pb
from tavolata.spectator.v1 import spectator_pb2_grpc

from engine.kernel.facts import Fact, fact_of
from engine.kernel.match import Match
from engine.kernel.ports import Log, Unavailable
from engine.kernel.refusal import Refusal
from engine.kernel.value import Referee, Revision, SeatView, Spectator, Viewer, viewer_name
from services.kit.access.carried import carry
from services.kit.lifecycle import start_server
from services.kit.memory_log import MemoryLog
from services.kit.wire import watches
from services.kit.wire.channel import open_channel, stream
from services.kit.wire.clients import SpectatorClient, fact_of_message, message_of_fact
from services.kit.wire.lasting import lasting_facts
from services.spectator import servicer_watching as watching
from services.spectator.room import SEVERAL_BYTES, SEVERAL_MAX
from services.spectator.servicer import register
from services.spectator.servicer_watching import Watching
from tests.kit.nats import DEADLINE_S, until
from tests.services.curtains import Watch, move, open_table
from tests.services.followed import Followed, Line, calls, line_to
from tests.services.hosts import commits, game, play_out
from tests.services.small_house import SmallHouse, person, small_house

A, B = "m-a", "m-b"
DELAY_MS = 60_000

Requests = AsyncIterator[pb.WatchManyRequest]


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[SmallHouse]:
    async with small_house(MemoryLog(), tmp_path) as opened:
        for match in (A, B):
            await opened.host.open(match, seats=2)
        yield opened


async def expected(log: Log, match: str, viewer: Viewer) -> list[Fact]:
    return [fact_of(Match(game()), commit, viewer) for commit in await commits(log, match)]


async def newest(house: SmallHouse, match: str) -> Revision:
    return len(await house.log.read(match, after=0))


class TestReaders:
    async def test_matches_share_one_call_and_each_reader_is_told_its_own(self, house: SmallHouse) -> None:
        async with person(house) as one, open_channel(house.addresses["spectator"]) as channel:
            looks: list[tuple[str, Viewer]] = [
                (match, each) for match in (A, B) for each in (Spectator(), SeatView(1), Referee())
            ]
            readers = [Followed(one.spectator.facts(match, viewer)) for match, viewer in looks]
            for reader, (match, _) in zip(readers, looks, strict=True):
                await reader.has(await newest(house, match))
            assert calls() == 1
            await asyncio.gather(*(play_out(house.log, house.host, match) for match in (A, B)))
            for reader, (match, viewer) in zip(readers, looks, strict=True):
                await asyncio.wait_for(reader.task, DEADLINE_S)
                assert reader.facts == await expected(house.log, match, viewer), (match, viewer_name(viewer))
            await until(lambda: calls() == 0, "the call has ended with its last watch")
            stub = spectator_pb2_grpc.SpectatorServiceStub(channel)
            async with aclosing(stream(stub.WatchFacts, pb.WatchFactsRequest(match_id=A, viewer="seat:1"))) as alone:
                facts = [fact_of_message(response.fact) async for response in alone]
            assert facts == await expected(house.log, A, SeatView(1)), "a call of its own is told the same"

    async def test_a_refusal_is_of_one_watch(self, house: SmallHouse) -> None:
        async with person(house) as one:
            reader = Followed(one.spectator.facts(A, Spectator()))
            await reader.has(await newest(house, A))
            for code, facts in (
                ("unknown_match", one.spectator.facts("nowhere", Spectator())),
                ("id_malformed", one.spectator.facts("a.b", Spectator())),
                ("unknown_seat", one.spectator.facts(A, SeatView(2))),
                ("no_such_revision", one.spectator.facts(A, Spectator(), after=99)),
                ("unknown_language", one.spectator.facts(A, Spectator(), language="xx")),
            ):
                with pytest.raises(Refusal) as caught:
                    await anext(facts)
                assert caught.value.code == code
            await move(house, A)
            await reader.has(await newest(house, A))
            assert calls() == 1
            await reader.leave()

    async def test_who_leaves_is_told_nothing_more_and_the_others_are(self, house: SmallHouse) -> None:
        async with person(house) as one:
            stays, leaves = (Followed(one.spectator.facts(match, Spectator())) for match in (A, B))
            await leaves.has(await newest(house, B))
            await leaves.leave()
            rooms = house.gallery._rooms
            await until(lambda: not rooms[B].readers and not any(rooms[B]._readers.values()), "the place is empty")
            for match in (A, B):
                await move(house, match)
            await stays.has(await newest(house, A))
            assert calls() == 1
            await stays.leave()
            await until(lambda: calls() == 0, "the call has ended with its last watch")
            assert not rooms[A].readers

    async def test_a_reader_goes_on_from_any_revision(self, house: SmallHouse) -> None:
        await play_out(house.log, house.host, A)
        all_of_it = await expected(house.log, A, SeatView(0))
        async with person(house) as one, asyncio.timeout(DEADLINE_S):
            for after in (0, 1, len(all_of_it) // 2, len(all_of_it) - 1, len(all_of_it)):
                facts = [fact async for fact in one.spectator.facts(A, SeatView(0), after=after)]
                assert facts == all_of_it[after:]

    async def test_a_call_that_breaks_is_taken_up_again_without_a_gap(self, house: SmallHouse) -> None:
        spectator = house.servers["spectator"]
        async with open_channel(house.addresses["spectator"]) as channel:
            client = SpectatorClient(channel)
            readers = {match: Followed(lasting_facts(client, match, Spectator())) for match in (A, B)}
            for match, reader in readers.items():
                await reader.has(await newest(house, match))
            await spectator.stop(0)
            await asyncio.gather(*(play_out(house.log, house.host, match) for match in (A, B)))
            again = await start_server(
                "spectator", f"127.0.0.1:{spectator.port}", lambda server: register(server, house.gallery)
            )
            try:
                for match, reader in readers.items():
                    await asyncio.wait_for(reader.task, DEADLINE_S)
                    assert reader.facts == await expected(house.log, match, Spectator())
            finally:
                await again.stop(0)

    async def test_all_that_is_watched_is_told_that_the_call_has_broken(self, house: SmallHouse) -> None:
        async with person(house) as one:
            readers = [Followed(one.spectator.facts(match, Spectator())) for match in (A, B)]
            for match, reader in zip((A, B), readers, strict=True):
                await reader.has(await newest(house, match))
            await house.servers["spectator"].stop(0)
            for reader in readers:
                with pytest.raises(Unavailable):
                    await asyncio.wait_for(reader.task, DEADLINE_S)

    async def test_a_call_has_its_limit_and_the_next_watch_another_call(
        self, house: SmallHouse, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(watches, "TOGETHER_MAX", 2)
        async with person(house) as one:
            readers = [Followed(one.spectator.facts(A, Spectator())) for _ in range(3)]
            for reader in readers:
                await reader.has(await newest(house, A))
            assert calls() == 2
            for reader in readers:
                await reader.leave()
            await until(lambda: calls() == 0, "both have ended")

    async def test_a_call_is_renewed_and_the_old_one_goes_on(
        self, house: SmallHouse, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(watches, "RENEW_S", 0.0)
        async with person(house) as one:
            readers = [Followed(one.spectator.facts(A, Spectator())) for _ in range(2)]
            for reader in readers:
                await reader.has(await newest(house, A))
            assert calls() == 2
            await move(house, A)
            for reader in readers:
                await reader.has(await newest(house, A))
                await reader.leave()

    async def test_an_expired_token_is_no_refusal_where_there_is_a_newer_one(self) -> None:
        carried: list[object] = []

        async def refusing(requests: Requests, context: Any) -> AsyncIterator[pb.WatchManyResponse]:
            async for request in requests:
                for watch in request.begin:
                    carried.extend(value for name, value in context.invocation_metadata() if name == "authorization")
                    refused = pb.NotWatched(status=16, code="token_expired", sentence="It is over.")
                    yield pb.WatchManyResponse(told=[pb.Told(tag=watch.tag, refused=refused)])

        def offer(server: grpc.aio.Server) -> list[str]:
            decode, encode = pb.WatchManyRequest.FromString, pb.WatchManyResponse.SerializeToString
            method = grpc.stream_stream_rpc_method_handler(refusing, decode, encode)
            name = "tavolata.spectator.v1.SpectatorService"
            server.add_registered_method_handlers(name, {"WatchMany": method})
            return []

        tokens = iter(("old", "new", "new", "new"))
        server = await start_server("spectator", "127.0.0.1:0", offer)
        async with asyncio.timeout(DEADLINE_S), open_channel(f"127.0.0.1:{server.port}") as channel:
            client = SpectatorClient(channel)
            carry(lambda: next(tokens))
            with pytest.raises(Unavailable, match="token_renewed"):
                await anext(client.facts(A, SeatView(0)))
            with pytest.raises(Refusal, match="token_expired"):
                await anext(client.facts(A, SeatView(0)))
        await server.stop(0)
        assert carried == ["Bearer old", "Bearer new"]


class TestSlowReaders:
    async def test_nobody_is_told_further_ahead_than_they_have_taken(
        self, house: SmallHouse, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(watching, "AHEAD_MAX", 5)
        for match in (A, B):
            await play_out(house.log, house.host, match)
        end = await newest(house, A)
        async with line_to(house.addresses["spectator"]) as line:
            line.say(begin=[pb.Watch(tag=1, match_id=A), pb.Watch(tag=2, match_id=B)])
            while line.ends.get(2) != "complete":
                line.say(taken=[pb.Taken(tag=2, revision=len(line.told.get(2, ())))])
                await asyncio.sleep(0.005)
            assert line.told[1] == [1, 2, 3, 4, 5], "the other one has been told to its end"
            line.say(taken=[pb.Taken(tag=1, revision=3)])
            await until(lambda: len(line.told[1]) == 8, "there is room for three more")
            line.say(taken=[pb.Taken(tag=1, revision=1)])  # it has been further
            line.say(taken=[pb.Taken(tag=1, revision=end)])
            await until(lambda: line.ends.get(1) == "complete", "all of it is told")
            assert line.told[1] == list(range(1, end + 1))

    async def test_our_reader_says_what_it_has_taken(self, house: SmallHouse, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(watching, "AHEAD_MAX", 4)
        monkeypatch.setattr(watches, "AHEAD_MAX", 4)
        await play_out(house.log, house.host, A)
        async with person(house) as one, asyncio.timeout(DEADLINE_S):
            waits = one.spectator.facts(B, Spectator())
            await anext(waits)
            facts = [fact async for fact in one.spectator.facts(A, Spectator())]
            assert facts == await expected(house.log, A, Spectator())
            for _ in range(6):
                await move(house, B)
            rest = [await anext(waits) for _ in range(await newest(house, B) - 1)]
            assert [fact.revision for fact in rest] == list(range(2, len(rest) + 2))
            await waits.aclose()

    async def test_what_the_transport_does_not_take_is_not_kept_anywhere(self, house: SmallHouse) -> None:
        line = Line()
        line.say(begin=[pb.Watch(tag=1, match_id=A), pb.Watch(tag=2, match_id=B)])
        many = Watching(house.gallery)
        async with asyncio.timeout(DEADLINE_S), aclosing(many.responses(line.requests())) as responses:
            while len(line.told) < 2:
                line.hear(pb.WatchManyResponse.FromString(await anext(responses)))
            for match in (A, B):  # nobody asks for a message
                await play_out(house.log, house.host, match)
            rooms = house.gallery._rooms
            await until(lambda: rooms[A].complete and rooms[B].complete, "all of it has been heard of here")
            assert len(many._ready) == 2
            encoded = [each for room in rooms.values() for made in room._facts.values() for each in made.values()]
            assert sum(bool(each.wire) for each in encoded) == sum(map(len, line.told.values())), "nothing is encoded"
            line.hang_up()
            async for response in responses:
                assert len(response) < 2 * SEVERAL_BYTES
                line.hear(pb.WatchManyResponse.FromString(response))
        for tag, match in ((1, A), (2, B)):
            assert line.told[tag] == list(range(1, await newest(house, match) + 1))
        assert line.ends == {1: "complete", 2: "complete"}

    async def test_one_that_begins_far_back_keeps_nobody_waiting(
        self, house: SmallHouse, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(watching, "SEVERAL_MAX", 8)
        await play_out(house.log, house.host, A)
        line = Line()
        line.say(begin=[pb.Watch(tag=1, match_id=A), pb.Watch(tag=2, match_id=B)])
        line.hang_up()
        async with asyncio.timeout(DEADLINE_S), aclosing(Watching(house.gallery).responses(line.requests())) as told:
            while 2 not in line.told:
                line.hear(pb.WatchManyResponse.FromString(await anext(told)))
            assert len(line.told.get(1, ())) <= 16 < await newest(house, A)


class TestTheCall:
    async def test_it_goes_on_to_the_last_end_when_nothing_more_is_asked(self, house: SmallHouse) -> None:
        async with line_to(house.addresses["spectator"]) as line:
            line.say(begin=[pb.Watch(tag=7, match_id=A), pb.Watch(tag=8, match_id="nowhere")])
            line.hang_up()
            await until(lambda: 7 in line.told and 8 in line.ends, "the watch has begun")
            assert line.ends == {8: "unknown_match"}
            await play_out(house.log, house.host, A)
            await until(lambda: calls() == 0, "the call is over")
            assert line.told[7] == list(range(1, await newest(house, A) + 1))
            assert line.ends[7] == "complete"

    async def test_a_tag_that_is_in_use_begins_anew(self, house: SmallHouse) -> None:
        async with line_to(house.addresses["spectator"]) as line:
            line.say(begin=[pb.Watch(tag=1, match_id=A)])
            await until(lambda: 1 in line.told, "the watch has begun")
            line.say(begin=[pb.Watch(tag=1, match_id=B)])
            count = await newest(house, A) + await newest(house, B)
            await until(lambda: len(line.told[1]) == count, "another match is told")
            await until(lambda: house.gallery._rooms[A].readers == 0, "the first place is empty")
            line.say(leave=[1, 99])
            await until(lambda: house.gallery._rooms[B].readers == 0, "the second one, too")

    async def test_too_many_watches_end_it(self, house: SmallHouse, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(watching, "WATCHES_MAX", 2)
        monkeypatch.setattr(watches, "TOGETHER_MAX", 3)
        async with person(house) as one:
            readers = [Followed(one.spectator.facts(A, Spectator())) for _ in range(3)]
            for reader in readers:
                with pytest.raises(Refusal, match="too_many_watches"):
                    await asyncio.wait_for(reader.task, DEADLINE_S)
            assert not house.gallery._rooms[A].readers

    async def test_a_fact_is_encoded_once_for_all_who_are_shown_the_same(
        self, house: SmallHouse, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        made: list[tuple[str, int]] = []

        def encode(fact: Fact) -> pb.Fact:
            made.append((fact.match, fact.revision))
            return message_of_fact(fact)

        monkeypatch.setattr(watching, "message_of_fact", encode)
        async with person(house) as one, person(house) as another:
            readers = [Followed(each.spectator.facts(A, Spectator())) for each in (one, one, another)]
            await play_out(house.log, house.host, A)
            for reader in readers:
                await asyncio.wait_for(reader.task, DEADLINE_S)
                assert reader.facts == await expected(house.log, A, Spectator())
        assert made == [(A, revision) for revision in range(1, await newest(house, A) + 1)]


class TestWhoMayLook:
    async def test_the_delay_is_of_each_viewer(self, tmp_path: Path) -> None:
        clock = Watch()
        async with small_house(MemoryLog(), tmp_path, clock=clock) as house:
            await open_table(house, None, A, delay_ms=DELAY_MS)
            opening = await newest(house, A)
            async with line_to(house.addresses["spectator"]) as line:
                looks = [pb.Watch(tag=1, match_id=A), pb.Watch(tag=2, match_id=A, viewer="seat:0")]
                line.say(begin=looks)
                await until(lambda: 1 in line.ends and 2 in line.told, "both have been answered")
                assert line.ends == {1: "unknown_match"}, "that there is such a match is not told yet"
                clock.forward(DELAY_MS)
                line.say(begin=looks[:1])
                await until(lambda: len(line.told.get(1, ())) == opening, "it is shown")
                await move(house, A)
                now = await newest(house, A)
                await until(lambda: len(line.told[2]) == now, "its seat sees the move")
                assert len(line.told[1]) == opening
                clock.forward(DELAY_MS)
                await until(lambda: len(line.told[1]) == now, "everybody sees it")


def test_limits_leave_room() -> None:
    """A call of ours fills no call of theirs, and half of what may be ahead is more than one message tells."""
    assert watches.TOGETHER_MAX < watches.WATCHES_MAX
    assert watches.AHEAD_MAX // 2 >= SEVERAL_MAX
