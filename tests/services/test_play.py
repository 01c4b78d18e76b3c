"""Many commands on one long call."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from tavolata.match.v1 import match_pb2, match_pb2_grpc

from engine.kernel.chance import Draw, Roll
from engine.kernel.commit import decode_line
from engine.kernel.history import Duplicate
from services.deck.app import Deck
from services.kit.key import KeyRing
from services.kit.memory_log import MemoryLog
from services.kit.wire.channel import open_channel
from services.kit.wire.clients import MatchClient
from tests.kit.nats import DEADLINE_S
from tests.services.hosts import M, next_move
from tests.services.hosts import leave as leave_command
from tests.services.small_house import GAME, KEY, SmallHouse, small_house


async def test_the_commands_of_a_match_are_answered_in_the_order_asked(tmp_path: Path) -> None:
    async with small_house(MemoryLog(), tmp_path) as house, open_channel(house.addresses["rules"]) as channel:
        await MatchClient(channel).open(M, GAME, 2)
        seat, command = await next_move(house.log)
        asked = [
            (11, _act("first", seat, command)),
            (7, _act("first", seat, command)),
            (7, _act("second", 1 - seat, "{")),
            (99, _act("third", seat, command)),
            (3, match_pb2.ActRequest(match_id="nowhere", command_id="x", command_json=command)),
        ]

        async def requests() -> AsyncIterator[match_pb2.PlayRequest]:
            first, *others = (match_pb2.PlayCommand(tag=tag, act=act) for tag, act in asked)
            yield match_pb2.PlayRequest(commands=[first])
            yield match_pb2.PlayRequest(commands=others)

        stub = match_pb2_grpc.MatchServiceStub(channel)
        async with asyncio.timeout(DEADLINE_S):
            answers = [answer async for response in stub.Play(requests()) for answer in response.answers]
        missing = next(answer for answer in answers if answer.tag == 3)
        answers.remove(missing)  # of another match, which waits for nobody
        assert [answer.tag for answer in answers] == [tag for tag, _ in asked[:-1]]
        first, again, malformed, late = answers
        assert not first.accepted.duplicate
        assert again.accepted.duplicate
        assert again.accepted.revision == first.accepted.revision
        assert (malformed.refused.code, malformed.refused.retry) == ("malformed_command", False)
        assert late.refused.sentence
        assert missing.refused.code == "unknown_match"


async def test_a_match_that_waits_keeps_no_other_waiting(tmp_path: Path) -> None:
    log = MemoryLog()
    luck = Held(KeyRing(KEY), log)
    async with small_house(log, tmp_path, luck=luck) as house, open_channel(house.addresses["rules"]) as channel:
        client = MatchClient(channel)
        await client.open("other", GAME, 2)
        await client.open(M, GAME, 2)
        luck.holds.add(M)
        asked = {tag: await _next_act(house, match) for tag, match in enumerate((M, "other"), 1)}
        call = match_pb2_grpc.MatchServiceStub(channel).Play()
        async with asyncio.timeout(DEADLINE_S):
            commands = [match_pb2.PlayCommand(tag=tag, act=act) for tag, act in asked.items()]
            await call.write(match_pb2.PlayRequest(commands=commands))
            assert await _tags(call) == [2]
            luck.release()
            assert await _tags(call) == [1]
        call.cancel()


async def test_what_was_taken_up_when_the_call_ends_becomes_a_fact_and_what_waits_behind_it_does_not(
    tmp_path: Path,
) -> None:
    log = MemoryLog()
    luck = Held(KeyRing(KEY), log)
    async with small_house(log, tmp_path, luck=luck) as house, open_channel(house.addresses["rules"]) as channel:
        client = MatchClient(channel)
        await client.open(M, GAME, 2)
        luck.holds.add(M)
        act = await _next_act(house, M)
        leave = _act("bye", act.seat, leave_command(act.seat))
        call = match_pb2_grpc.MatchServiceStub(channel).Play()
        async with asyncio.timeout(DEADLINE_S):
            commands = [match_pb2.PlayCommand(tag=tag, act=act) for tag, act in enumerate((act, leave), 1)]
            await call.write(match_pb2.PlayRequest(commands=commands))
            await luck.asked.wait()
            call.cancel()
            await asyncio.sleep(0.1)
            luck.release()
            assert isinstance(await client.act(M, act.command_id, act.seat, act.command_json), Duplicate)
        ids = [decode_line(stored.line).id for stored in await log.read(M, after=0)]
        assert ids[-2:] == [act.command_id, "luck:deck/2"]


async def _tags(call: Any) -> list[int]:
    return [answer.tag for answer in (await call.read()).answers]


class Held(Deck):
    """Luck that is slow for some matches, until it is let."""

    def __init__(self, keys: KeyRing, log: MemoryLog) -> None:
        super().__init__(keys, log)
        self.holds: set[str] = set()
        self.asked = asyncio.Event()
        self._may = asyncio.Event()

    def release(self) -> None:
        self._may.set()

    def is_at_hand(self, match: str) -> bool:
        return match not in self.holds

    async def draw(self, match: str, draw_id: str, asked: Roll | Draw) -> tuple[int, ...]:
        if match in self.holds:
            self.asked.set()
            await self._may.wait()
        return await super().draw(match, draw_id, asked)


async def _next_act(house: SmallHouse, match: str) -> match_pb2.ActRequest:
    seat, command = await next_move(house.log, match)
    return match_pb2.ActRequest(match_id=match, command_id="c1", seat=seat, command_json=command)


def _act(command_id: str, seat: int, command: str) -> match_pb2.ActRequest:
    return match_pb2.ActRequest(match_id=M, command_id=command_id, seat=seat, command_json=command)
