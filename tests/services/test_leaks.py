"""What leaves the house tells nobody what he may not know: whole matches, every byte that was sent, searched.

Everybody at the table is nosy: asks for snapshots of all revisions, for choices, for scores, and tries moves that are
refused. All of it is kept, and searched for cards of other hands, for seeds, and for the deck's own commands.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from prometheus_client import generate_latest
from structlog.testing import capture_logs
from tavolata.spectator.v1 import spectator_pb2

from engine.games import find_game
from engine.games.just4fun.model import HIDDEN, HandDrawn
from engine.kernel.codec import Named
from engine.kernel.game import Seats
from engine.kernel.history import AnyHistory, History
from engine.kernel.match import Match
from engine.kernel.official import Leave, SeedRevealed
from engine.kernel.value import SeatView, Spectator, Viewer, viewer_name
from engine.luck.seeds import match_seed, mixed_seed
from services.kit.memory_log import MemoryLog
from tests.kit.nats import until
from tests.kit.table import pick
from tests.services.small_house import GAME, KEY, Heard, Kept, Person, SmallHouse, person, small_house

MATCH = "m-secret"
NONCE = "c0ffee"


class Table:
    """One match with all its people, played to the end by whoever is asked."""

    def __init__(self, house: SmallHouse, people: dict[Viewer, Person], number: int) -> None:
        self.house = house
        self.people = people
        self.seats = len(people) - 1
        self.dice = random.Random(number)
        self.history: AnyHistory = History(Match(find_game(GAME)), MATCH)
        self.moves = 0

    async def play(self, options: dict[str, Any], leaver: int | None) -> None:
        anybody = self.people[Spectator()]
        await anybody.rules.open(
            MATCH, GAME, self.seats, options_json=msgspec.json.encode(options).decode(), nonces=[NONCE]
        )
        async with asyncio.TaskGroup() as group:
            for viewer, one in self.people.items():
                group.create_task(_watch(one, viewer))
            while not await self._is_complete():
                pending = self.history.pending
                if isinstance(pending, Seats):
                    await asyncio.gather(*(self._be_nosy(viewer, one) for viewer, one in self.people.items()))
                    await self._move(pending.seats[0])
                if self.moves == 9 and leaver is not None and leaver not in self.history.state.left:
                    await self._act(leaver, Leave(leaver))

    async def _is_complete(self) -> bool:
        for stored in await self.house.log.read(MATCH, after=self.history.position):
            self.history.accept(stored.line, stored.position)
        return bool(self.history.state.seed)

    async def _move(self, seat: int) -> None:
        await self._act(seat, pick(self.history.match.game, self.history.state.game, seat, self.dice))

    async def _act(self, seat: int, command: Named) -> None:
        self.moves += 1
        text = msgspec.json.encode(self.history.match.record_command(command)).decode()
        await self.people[SeatView(seat)].rules.act(MATCH, f"move-{self.moves}", seat, text)

    async def _be_nosy(self, viewer: Viewer, one: Person) -> None:
        revision = self.dice.randrange(self.history.revision + 2)
        await one.try_to(one.spectator.snapshot(MATCH, viewer))
        await one.try_to(one.spectator.snapshot(MATCH, viewer, revision=revision))
        await one.try_to(one.scoring.match(MATCH))
        if isinstance(viewer, SeatView):
            await one.try_to(one.rules.choices(MATCH, viewer.seat, []))
            hopeless = {"type": "just4fun.place_token", "data": {"field": 36, "cards": [1, 1, 1]}}
            await one.try_to(one.rules.act(MATCH, "hopeless", viewer.seat, msgspec.json.encode(hopeless).decode()))


async def _watch(one: Person, viewer: Viewer) -> None:
    async def facts() -> None:
        async with aclosing(one.spectator.facts(MATCH, viewer)) as stream:
            async for _ in stream:
                pass

    async def positions() -> None:
        async with aclosing(one.spectator.positions(MATCH, viewer)) as stream:
            async for _ in stream:
                pass

    await asyncio.gather(facts(), positions())


@asynccontextmanager
async def full_table(house: SmallHouse, seats: int) -> AsyncIterator[dict[Viewer, Person]]:
    async with AsyncExitStack() as stack:
        everybody: list[Viewer] = [Spectator(), *map(SeatView, range(seats))]
        yield {viewer: await stack.enter_async_context(person(house)) for viewer in everybody}


@pytest.mark.parametrize(
    ("seats", "options", "leaver"),
    [
        pytest.param(2, {}, None, id="two seats"),
        pytest.param(3, {"layout": "random", "reshuffle": "when_needed"}, 1, id="three seats, one leaves"),
        pytest.param(4, {"layout": "random", "removed_tokens_return": True}, None, id="four seats"),
    ],
)
async def test_no_byte_that_leaves_the_house_tells_a_secret(
    seats: int, options: dict[str, Any], leaver: int | None, tmp_path: Path
) -> None:
    feed = Heard()
    with capture_logs() as said:
        async with small_house(MemoryLog(), tmp_path, publisher=feed) as house, full_table(house, seats) as people:
            table = Table(house, people, seats)
            await table.play(options, leaver)
            await until(lambda: len(feed.messages) == table.history.revision, "the feed has told of the whole match")
            lines = [stored.line for stored in await house.log.read(MATCH, after=0)]

    for viewer, one in people.items():
        assert sum(len(_facts(kept)) for kept in one.kept if kept.method == "WatchMany") == len(lines)
        assert _last_position(one).revision == len(lines)
        for kept in one.kept:
            holds_no_secret(kept.answer, f"{kept.method} for {viewer_name(viewer)}")
            shows_no_hand_but(viewer, kept)
    for _, payload in feed.messages:
        holds_no_secret(payload, "the feed")
        fact = msgspec.json.decode(payload)
        for event in fact["events"]:
            hides_cards(Spectator(), event["type"], event["data"])
    holds_no_secret(repr(said).encode(), "the log output", may_reveal=False)
    assert MATCH.encode() not in generate_latest()
    assert any(b"luck.resolve" in line for line in lines), "there was something to hide"


def _facts(kept: Kept) -> list[spectator_pb2.Fact]:
    response = spectator_pb2.WatchManyResponse.FromString(kept.answer)
    return [fact for told in response.told for fact in told.facts]


def _last_position(one: Person) -> spectator_pb2.Position:
    sent = [kept.answer for kept in one.kept if kept.method == "WatchPositions"]
    return spectator_pb2.WatchPositionsResponse.FromString(sent[-1]).position


def holds_no_secret(sent: bytes, where: str, *, may_reveal: bool = True) -> None:
    """Neither keys nor seeds in any form, nor what the deck says to the rules; the seed in the closing fact alone."""
    seed = match_seed(KEY.secret, MATCH)
    mixed = [mixed_seed(seed, [bytes.fromhex(NONCE)] + [b""] * others) for others in range(4)]
    for secret in (KEY.secret, seed, *mixed):
        assert secret not in sent, f"{where} holds a secret"
        revealed = secret == seed and may_reveal and SeedRevealed.name.encode() in sent
        assert revealed or secret.hex().encode() not in sent.lower(), f"{where} holds a secret"
    for command in (b"luck.resolve", b"luck.reveal_seed", b'"outcome"', b'"spec"'):
        assert command not in sent, f"{where} holds the deck's {command.decode()}"


def shows_no_hand_but(viewer: Viewer, kept: Kept) -> None:
    """Cards of other hands are zeros in facts and views, and unnamed in the sentences about them."""
    if kept.method == "WatchMany":
        for fact in _facts(kept):
            for event in fact.events:
                hides_cards(viewer, event.type, msgspec.json.decode(event.data_json))
            names_no_cards_but(viewer, fact.words)
    elif kept.method == "WatchPositions":
        position = spectator_pb2.WatchPositionsResponse.FromString(kept.answer).position
        assert not position.view_json
        assert position.svg
        names_no_cards_but(viewer, position.words)
    elif kept.method == "GetSnapshot":
        position = spectator_pb2.GetSnapshotResponse.FromString(kept.answer).position
        names_no_cards_but(viewer, position.words)
        for seat, hand in enumerate(msgspec.json.decode(position.view_json)["hands"]):
            assert viewer == SeatView(seat) or set(hand) <= {HIDDEN}, f"{viewer_name(viewer)} sees the hand of {seat}"
            if viewer == SeatView(seat):
                assert HIDDEN not in hand


def names_no_cards_but(viewer: Viewer, words: Sequence[str]) -> None:
    for sentence in words:
        if " draws " in sentence and not _is_about(viewer, sentence):
            assert sentence.endswith((" card.", " cards.", " a new hand.")), sentence


def hides_cards(viewer: Viewer, event: str, data: dict[str, Any]) -> None:
    if event == HandDrawn.name:
        own = viewer == SeatView(data["seat"])
        assert (HIDDEN not in data["cards"]) if own else (set(data["cards"]) == {HIDDEN})


def _is_about(viewer: Viewer, sentence: str) -> bool:
    return isinstance(viewer, SeatView) and sentence.startswith(f"Seat {viewer.seat} ")
