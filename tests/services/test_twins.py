"""Two matches that differ only in hidden cards send the same bytes to whoever may not know them.

The luck of both is scripted: seat 1 holds other cards in the one than in the other, and plays the card that both have.
The clock stands still, so nothing may differ at all.
"""

from contextlib import AsyncExitStack, aclosing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.kernel.chance import Draw, Roll
from engine.kernel.deal import Deal
from engine.kernel.refusal import Refusal
from engine.kernel.value import Instant, SeatView, Spectator, Viewer
from services.deck.app import Deck
from services.kit.key import KeyRing, MasterKey
from services.kit.memory_log import MemoryLog
from tests.kit.given import NOON
from tests.kit.nats import until
from tests.services.small_house import GAME, Kept, Person, SmallHouse, person, small_house

MATCH = "m-twin"
OPTIONS = '{"first_player": 0}'
MINE = (5, 6, 7, 8)
COMMITMENT = "ab" * 32


class Noon:
    """It is always noon."""

    def now(self) -> Instant:
        return NOON

    async def sleep_until(self, at: Instant) -> None:
        raise AssertionError("no clock runs here")


class Scripted:
    """Luck that deals what the test says, draw by draw."""

    def __init__(self, *draws: tuple[int, ...]) -> None:
        self.draws = draws

    async def commitment(self, match: str, deal: Deal | None = None) -> str:
        return COMMITMENT

    async def draw(self, match: str, draw_id: str, asked: Roll | Draw) -> tuple[int, ...]:
        return self.draws[int(draw_id.rpartition("/")[2]) - 1]

    async def reveal(self, match: str) -> str:
        raise Refusal("match_running", "It is not over.")

    async def game_of(self, match: str) -> str:
        return GAME

    def is_at_hand(self, match: str) -> bool:
        return True


ONE = Scripted((*MINE, 1, 2, 3, 9), (10,), (11,), (12,))
OTHER = Scripted((*MINE, 1, 4, 5, 9), (10,), (13,), (12,))
"""Seat 1 shares a 1 and a 9 with its twin; what it draws after its move is another card, too."""


def place(field: int, *cards: int) -> str:
    command = {"type": "just4fun.place_token", "data": {"field": field, "cards": cards}}
    return msgspec.json.encode(command).decode()


async def transcript(folder: Path, luck: Scripted, viewer: Viewer) -> list[Kept]:
    """Everything that ``viewer`` is sent, in the order asked, while the same four moves are made."""
    async with AsyncExitStack() as stack:
        house = await stack.enter_async_context(small_house(MemoryLog(), folder, luck=luck, clock=Noon()))
        host = await stack.enter_async_context(person(house))
        reader = await stack.enter_async_context(person(house))
        await host.rules.open(MATCH, GAME, 2, options_json=OPTIONS)
        facts = await stack.enter_async_context(aclosing(reader.spectator.facts(MATCH, viewer)))
        told = 0
        for move in (None, (0, place(5, 5)), (1, place(9, 9)), (0, place(6, 6))):
            if move is not None:
                await host.rules.act(MATCH, f"move-{told}", *move)
            newest = (await house.log.read(MATCH, after=0))[-1].position
            while told < newest:
                told = (await anext(facts)).revision
            await _look_around(house, reader, viewer, newest)
        return reader.kept


async def _look_around(house: SmallHouse, reader: Person, viewer: Viewer, newest: int) -> None:
    async def scoring_knows() -> bool:
        try:
            return (await house.scoring.match(MATCH)).revision == newest
        except Refusal:
            return False

    await until(scoring_knows, "scoring has read the log")
    await reader.scoring.match(MATCH)
    for revision in range(newest + 2):
        await reader.try_to(reader.spectator.snapshot(MATCH, viewer, revision=revision))
    async with aclosing(reader.spectator.positions(MATCH, viewer)) as positions:
        assert (await anext(positions)).revision == newest
    if isinstance(viewer, SeatView):
        await reader.try_to(reader.rules.choices(MATCH, viewer.seat, []))
    if viewer == SeatView(0):
        for guess in (place(2, 2), place(4, 4), place(3, 1, 2)):
            await reader.try_to(reader.rules.act(MATCH, "guess", viewer.seat, guess))


@pytest.mark.parametrize("viewer", [Spectator(), SeatView(0)], ids=["spectator", "the other seat"])
async def test_twins_send_the_same_bytes(viewer: Viewer, tmp_path: Path) -> None:
    one, other = [await transcript(tmp_path / name, luck, viewer) for name, luck in (("a", ONE), ("b", OTHER))]
    assert one == other
    assert len(one) > 20


async def test_twins_are_told_apart_by_the_seat_that_holds_the_cards(tmp_path: Path) -> None:
    one, other = [await transcript(tmp_path / name, luck, SeatView(1)) for name, luck in (("a", ONE), ("b", OTHER))]
    assert one != other


async def test_two_master_keys_deal_the_same_bytes_to_a_spectator_but_for_the_commitment(tmp_path: Path) -> None:
    seen: list[Any] = []
    for number in (1, 2):
        log = MemoryLog()
        deck = Deck(KeyRing(MasterKey("k", f"{number:064x}")), log)
        async with small_house(log, tmp_path / str(number), luck=deck, clock=Noon()) as house, person(house) as one:
            await one.rules.open(MATCH, GAME, 4, options_json=OPTIONS)
            async with aclosing(one.spectator.facts(MATCH, Spectator())) as facts:
                while (await anext(facts)).revision < 2:
                    pass
            await one.spectator.snapshot(MATCH, Spectator(), revision=2)
            own = (await deck.commitment(MATCH)).encode()
            seen.append([Kept(method, answer.replace(own, b"")) for method, answer in one.kept])
    assert seen[0] == seen[1]
