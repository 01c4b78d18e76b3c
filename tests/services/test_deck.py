"""Luck that is the same on every replica for ever, that comes late enough, and a key that stays hidden."""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from io import StringIO
from pathlib import Path
from unittest.mock import patch

import grpc
import pytest
from rich.console import Console
from structlog.testing import capture_logs
from tavolata.deck.v1 import deck_pb2, deck_pb2_grpc

from engine.kernel.chance import Draw, Roll, commitment
from engine.kernel.deal import Deal
from engine.kernel.history import BrokenLog
from engine.kernel.official import SeedRevealed
from engine.kernel.ports import Position, Stored
from engine.kernel.refusal import Kind, Refusal
from engine.luck.algorithm import outcome
from engine.luck.seeds import match_seed, mixed_seed
from services.deck.app import Deck
from services.deck.servicer import register
from services.kit.clock import SystemClock
from services.kit.key import KeyRing, MasterKey, load_or_make, write
from services.kit.lifecycle import start_server
from services.kit.memory_log import MemoryLog
from services.kit.wire.channel import open_channel
from services.kit.wire.clients import DeckClient
from services.rules.app import MatchHost
from tests.services.hosts import M, game, leave
from tests.services.small_house import GAME, KEY

OTHER = MasterKey("other", "0dd5" * 16)
ASKED = Draw(tuple(range(1, 20)), 5)
SEED = match_seed(KEY.secret, M)


class CountingLog(MemoryLog):
    """Knows what it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    async def read(self, match: str, *, after: Position, limit: int = 0) -> tuple[Stored, ...]:
        self.asked.append(f"lines {match}")
        return await super().read(match, after=after, limit=limit)

    async def last(self, match: str) -> Stored | None:
        self.asked.append(f"last {match}")
        return await super().last(match)


async def open_match(log: MemoryLog, *nonces: str) -> MatchHost:
    host = MatchHost(game(), log, Deck(KeyRing(KEY), log), SystemClock())
    await host.open(M, seats=2, nonces=nonces)
    return host


class TestLuck:
    async def test_every_replica_answers_the_same_for_ever(self) -> None:
        log = MemoryLog()
        await open_match(log)
        replicas = [Deck(KeyRing(KEY), log) for _ in range(3)]
        for asked in (ASKED, Roll(6, 4)):
            for draw_id in ("deck/1", "deck/2", "dice/1"):
                answers = {await deck.draw(M, draw_id, asked) for deck in replicas for _ in range(2)}
                assert answers == {outcome(SEED, draw_id, asked)}
        assert {await deck.commitment(M) for deck in replicas} == {commitment(SEED).hex()}

    async def test_nothing_is_drawn_before_the_opening_is_in_the_log(self) -> None:
        with pytest.raises(Refusal) as refused:
            await Deck(KeyRing(KEY), MemoryLog()).draw(M, "deck/1", ASKED)
        assert (refused.value.code, refused.value.kind) == ("match_not_open", Kind.MISSING)

    async def test_the_nonces_of_the_log_are_mixed_in(self) -> None:
        log = MemoryLog()
        await open_match(log, "aa", "bb")
        mixed = mixed_seed(SEED, [b"\xaa", b"\xbb"])
        assert await Deck(KeyRing(KEY), log).draw(M, "deck/1", ASKED) == outcome(mixed, "deck/1", ASKED)
        assert outcome(mixed, "deck/1", ASKED) != outcome(SEED, "deck/1", ASKED)

    async def test_no_seed_before_the_end_is_in_the_log(self) -> None:
        log = MemoryLog()
        deck = Deck(KeyRing(KEY), log)
        with pytest.raises(Refusal, match="match_not_open"):
            await deck.reveal(M)
        host = await open_match(log)
        with pytest.raises(Refusal) as refused:
            await deck.reveal(M)
        assert (refused.value.code, refused.value.kind) == ("match_running", Kind.DENIED)
        await host.act(M, "bye", 0, leave(0))
        assert await deck.reveal(M) == SEED.hex()

    async def test_its_own_end_opens_a_seed_and_so_does_the_seed_itself(self) -> None:
        """A host that asks again, its commit stored meanwhile, is told the same; one line is asked for each time."""
        log = CountingLog()
        host, deck = await open_match(log), Deck(KeyRing(KEY), log)
        await deck.draw(M, "deck/1", ASKED)
        log.asked.clear()
        with pytest.raises(Refusal, match="match_running"):
            await deck.reveal(M)
        await host.act(M, "bye", 0, leave(0))
        last = await MemoryLog.last(log, M)
        assert last is not None
        assert SeedRevealed.name.encode() in last.line
        log.asked.clear()
        assert await deck.reveal(M) == SEED.hex()
        assert log.asked == [f"last {M}"]

    async def test_the_end_of_another_match_opens_nothing(self) -> None:
        log = MemoryLog()
        host, deck = await open_match(log), Deck(KeyRing(KEY), log)
        await host.open("m-2", seats=2)
        await host.act("m-2", "bye", 0, leave(0))
        with pytest.raises(Refusal, match="match_running"):
            await deck.reveal(M)

    async def test_a_match_of_another_key_is_not_dealt(self) -> None:
        log = MemoryLog()
        host = await open_match(log)
        other = Deck(KeyRing(OTHER), log)
        for call in (other.draw(M, "deck/1", ASKED), other.reveal(M)):
            with pytest.raises(Refusal) as refused:
                await call
            assert (refused.value.code, refused.value.kind) == ("other_key", Kind.DENIED)
        await host.act(M, "bye", 0, leave(0))
        with pytest.raises(Refusal, match="other_key"):
            await other.reveal(M)

    async def test_a_match_whose_opening_is_damaged_is_not_dealt(self) -> None:
        log = MemoryLog()
        await log.append(GAME, M, json.dumps({"match": M, "revision": 1, "at": "today"}).encode(), expected=0)
        with pytest.raises(BrokenLog):
            await Deck(KeyRing(KEY), log).draw(M, "deck/1", ASKED)


class TestKeyFile:
    def test_it_is_made_for_its_owner_alone_and_found_again(self, tmp_path: Path) -> None:
        path = tmp_path / "deck" / "master.key"
        made = load_or_make(path)
        assert path.stat().st_mode & 0o777 == 0o600
        assert path.parent.stat().st_mode & 0o777 == 0o700
        assert load_or_make(path).keys == made.keys
        assert [each.name for each in path.parent.iterdir()] == ["master.key"]

    def test_two_houses_have_two_keys(self, tmp_path: Path) -> None:
        assert load_or_make(tmp_path / "a").keys != load_or_make(tmp_path / "b").keys

    @pytest.mark.parametrize("mode", [0o644, 0o604, 0o660, 0o650])
    def test_a_file_that_others_may_read_is_refused(self, mode: int, tmp_path: Path) -> None:
        path = tmp_path / "master.key"
        write(path, KEY)
        path.chmod(mode)
        with pytest.raises(Refusal, match="key_file_open"):
            load_or_make(path)

    @pytest.mark.parametrize(
        "content",
        [
            b"",
            b"{}",
            b"\xff",
            b'{"key_id": "x", "key": "5eed"}',
            b'{"key_id": "x", "key": "' + b"zz" * 32 + b'"}',
            b'{"key_id": "x", "key": "' + b"5eed" * 16,
        ],
    )
    def test_a_damaged_file_is_refused_and_kept(self, content: bytes, tmp_path: Path) -> None:
        path = tmp_path / "master.key"
        path.write_bytes(content)
        path.chmod(0o600)
        with pytest.raises(Refusal) as refused:
            load_or_make(path)
        assert refused.value.code == "key_file_damaged"
        assert "5eed" not in str(refused.value)
        assert path.read_bytes() == content

    def test_a_key_is_never_written_over(self, tmp_path: Path) -> None:
        path = tmp_path / "master.key"
        write(path, KEY)
        write(path, OTHER)
        assert load_or_make(path).keys == (KEY,)

    def test_replicas_that_race_to_make_it_end_with_one_key(self, tmp_path: Path) -> None:
        # Every replica is process 1 of its own container, and the volume is one.
        with patch.object(os, "getpid", return_value=1), ThreadPoolExecutor(16) as replicas:
            for number in range(20):
                path = tmp_path / str(number) / "master.key"
                keys = {ring.newest.key for ring in replicas.map(load_or_make, [path] * 16)}
                assert len(keys) == 1
                assert load_or_make(path).newest.key in keys


class TestHiding:
    def test_no_print_of_a_key_shows_it(self) -> None:
        console = Console(record=True, file=StringIO())
        console.print(KEY)
        console.print({"key": KEY})
        for shown in (repr(KEY), str(KEY), f"{KEY}", repr([KEY]), console.export_text()):
            assert KEY.key not in shown

    async def test_no_answer_and_no_log_line_holds_the_key_or_a_seed(self) -> None:
        log = MemoryLog()
        await open_match(log)
        answers: list[bytes] = []
        with capture_logs() as said:
            async with _served(Deck(KeyRing(KEY), log)) as stub:
                calls = (
                    stub.GetCommitment(deck_pb2.GetCommitmentRequest(match_id=M)),
                    stub.RevealSeed(deck_pb2.RevealSeedRequest(match_id=M)),
                    stub.RevealSeed(deck_pb2.RevealSeedRequest(match_id="nowhere")),
                )
                answers.extend([await _answer(call) for call in calls])
                draws = (
                    deck_pb2.Draw(match_id=M, draw_id="deck/1"),
                    deck_pb2.Draw(match_id=M, draw_id="x" * 999, dice=deck_pb2.Dice(sides=6)),
                    deck_pb2.Draw(match_id=M, draw_id="d/1", dice=deck_pb2.Dice(sides=6, count=1)),
                    deck_pb2.Draw(match_id="a.b", draw_id="deck/1"),
                )
                answers.extend([await _drawn(stub, draw) for draw in draws])
            async with _served(Deck(KeyRing(OTHER), log)) as stub:
                answers.append(await _answer(stub.RevealSeed(deck_pb2.RevealSeedRequest(match_id=M))))
            async with _served(_Breaking(KeyRing(KEY), log)) as stub:
                answers.append(await _answer(stub.GetCommitment(deck_pb2.GetCommitmentRequest(match_id=M))))
        for secret in (KEY.key, SEED.hex(), OTHER.key, match_seed(OTHER.secret, M).hex()):
            assert all(secret.encode() not in answer and bytes.fromhex(secret) not in answer for answer in answers)
            assert secret not in json.dumps(said, default=repr)

    async def test_the_client_speaks_as_the_deck_does(self) -> None:
        log = MemoryLog()
        deck = Deck(KeyRing(KEY), log)
        server = await start_server("deck", "127.0.0.1:0", lambda made: register(made, deck))
        async with open_channel(f"127.0.0.1:{server.port}") as channel:
            client = DeckClient(channel)
            assert await client.commitment(M) == await deck.commitment(M)
            with pytest.raises(Refusal, match="match_not_open"):
                await client.draw(M, "deck/1", ASKED)
            await open_match(log)
            for asked in (ASKED, Roll(6, 3), Draw((3, 3, 4), 0)):
                assert await client.draw(M, "deck/1", asked) == await deck.draw(M, "deck/1", asked)
        await server.stop(0)


class _Breaking(Deck):
    """A deck with a fault of ours that would tell everything."""

    async def commitment(self, match: str, deal: Deal | None = None) -> str:
        raise RuntimeError(f"{self._keys!r} failed for {match}")


@asynccontextmanager
async def _served(deck: Deck) -> AsyncIterator["deck_pb2_grpc.DeckServiceAsyncStub"]:
    server = await start_server("deck", "127.0.0.1:0", lambda made: register(made, deck))
    async with open_channel(f"127.0.0.1:{server.port}") as channel:
        yield deck_pb2_grpc.DeckServiceStub(channel)
    await server.stop(0)


async def _drawn(stub: "deck_pb2_grpc.DeckServiceAsyncStub", *draws: deck_pb2.Draw) -> bytes:
    """Every byte of the answers to what is asked on one call."""
    call = stub.DrawMany(_once(deck_pb2.DrawManyRequest(draws=draws)))
    return b"".join([response.SerializeToString() async for response in call])


async def _once(request: deck_pb2.DrawManyRequest) -> AsyncIterator[deck_pb2.DrawManyRequest]:
    yield request


async def _answer(call: "asyncio.Future[object] | object") -> bytes:
    """Every byte of an answer or of a refusal."""
    try:
        return bytes((await call).SerializeToString())  # type: ignore[misc]  # grpcio's types do not say that a call can be awaited
    except grpc.aio.AioRpcError as error:
        metadata = b"".join(
            value if isinstance(value, bytes) else value.encode() for _, value in error.trailing_metadata()
        )
        return (error.details() or "").encode() + metadata
