"""A game of memory over the wire: who comes late, or again, or twice, is told no more than what lies open now.

One match of MEMCEL is played to its end while a bystander and every seat watch from the beginning. Again and again a
newcomer looks at it with each viewer's eyes, and asks for what has been.
"""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tavolata.spectator.v1 import spectator_pb2

from bots.mirror import Mirror
from engine.games import find_game
from engine.games.memcel.events import TilePeeked, TileRevealed
from engine.games.memcel.model import HIDDEN
from engine.kernel.commit import decode_line
from engine.kernel.facts import Fact, fact_of
from engine.kernel.game import Seats
from engine.kernel.history import AnyHistory, History
from engine.kernel.match import AnyMatch, Match
from engine.kernel.refusal import Refusal
from engine.kernel.value import SeatView, Spectator, Viewer
from services.kit.memory_log import MemoryLog
from services.spectator.feed import Feed
from tests.kit.table import pick
from tests.services.small_house import Heard, Person, SmallHouse, person, small_house

GAME = "memcel"
MATCH = "m-memory"
SEATS = 3
LOOKS = 12
"""Moves between two visits of the newcomer."""


class Play:
    """The match as the referee knows it, and what everybody has been told while it went on."""

    def __init__(self, house: SmallHouse, one: Person) -> None:
        self.house = house
        self.one = one
        self.match: AnyMatch = Match(find_game(GAME))
        self.history: AnyHistory = History(self.match, MATCH)
        self.told: dict[str, list[Fact]] = {"bystander": [], "first window": [], "second window": []}
        self.shown: dict[Viewer, list[spectator_pb2.Position]] = {Spectator(): [], SeatView(0): []}
        self.dice = random.Random(5)
        self.moves = 0

    async def catch_up(self) -> AnyHistory:
        for stored in await self.house.log.read(MATCH, after=self.history.position):
            self.history.accept(stored.line, stored.position)
        return self.history

    async def watch(self, name: str, viewer: Viewer) -> None:
        async with aclosing(self.one.spectator.facts(MATCH, viewer)) as facts:
            async for fact in facts:
                self.told[name].append(fact)

    async def look_on(self, viewer: Viewer) -> None:
        async with aclosing(self.one.spectator.positions(MATCH, viewer)) as positions:
            async for position in positions:
                self.shown[viewer].append(position)

    async def move(self) -> None:
        pending = self.history.pending
        assert isinstance(pending, Seats)
        seat = pending.seats[0]
        command = pick(self.match.game, self.history.state.game, seat, self.dice)
        text = msgspec.json.encode(self.match.record_command(command)).decode()
        self.moves += 1
        await self.one.rules.act(MATCH, f"c{self.moves}", seat, text)
        await self.catch_up()

    def events(self, facts: list[Fact], kind: type[Any]) -> list[Any]:
        found = (self.match.event_of(recorded) for fact in facts for recorded in fact.events)
        return [event for event in found if isinstance(event, kind)]


@asynccontextmanager
async def begun(tmp_path: Path) -> AsyncIterator[Play]:
    async with small_house(MemoryLog(), tmp_path, game=GAME) as house, person(house) as one:
        options = msgspec.json.encode({"on_miss": "keep", "max_rounds": 12}).decode()
        await one.rules.open(MATCH, GAME, SEATS, options_json=options)
        play = Play(house, one)
        await play.catch_up()
        yield play


async def _newcomer(play: Play, viewer: Viewer) -> list[Fact]:
    """All that somebody is told who opens the match now."""
    newest = play.history.revision
    facts: list[Fact] = []
    async with aclosing(play.one.spectator.facts(MATCH, viewer)) as stream:
        async for fact in stream:
            facts.append(fact)
            if fact.revision == newest:
                return facts
    return facts


async def test_nobody_learns_from_the_past_what_the_present_does_not_show(tmp_path: Path) -> None:
    async with begun(tmp_path) as play, asyncio.timeout(100):
        async with asyncio.TaskGroup() as group:
            group.create_task(play.watch("bystander", Spectator()))
            group.create_task(play.watch("first window", SeatView(0)))
            group.create_task(play.watch("second window", SeatView(0)))
            group.create_task(play.look_on(Spectator()))
            group.create_task(play.look_on(SeatView(0)))
            while not (await play.catch_up()).state.seed:
                if play.moves % LOOKS == 0 and isinstance(play.history.pending, Seats):
                    await _look(play)
                if isinstance(play.history.pending, Seats):
                    await play.move()
        assert play.moves > 3 * LOOKS
        _told_once(play)
        await _never_shown(play)
        await _open_in_the_end(play)


async def _look(play: Play) -> None:
    state = play.history.state
    lie_open = _lie_open(play)
    viewers: list[Viewer] = [Spectator(), *map(SeatView, range(SEATS))]
    for viewer in viewers:
        facts = await _newcomer(play, viewer)
        shown = [event for event in play.events(facts, TileRevealed) if event.face != HIDDEN]
        assert len(shown) <= lie_open, f"{viewer} is told of {len(shown)} faces; {lie_open} lie open"
        assert all(event.face == HIDDEN for event in play.events(facts, TilePeeked))
        if isinstance(viewer, SeatView):
            mirror = Mirror(play.match.game, viewer.seat)
            for fact in facts:
                mirror.take(fact)
            assert mirror.state == play.match.view(state, viewer), "who comes late sees another present"
    with pytest.raises(Refusal, match="match_running"):
        await play.one.spectator.export(MATCH)
    snapshot = await play.one.spectator.snapshot(MATCH, Spectator())
    assert (snapshot.past_is_open, snapshot.complete) == (False, False)
    if play.history.revision > 2:
        with pytest.raises(Refusal, match="past_is_closed"):
            await play.one.spectator.snapshot(MATCH, Spectator(), revision=2)


def _told_once(play: Play) -> None:
    """Live, a bystander saw each face as it was turned up; a peeked face went to one window of one seat."""
    revealed = play.events(play.told["bystander"], TileRevealed)
    assert revealed, "tiles were turned up"
    assert all(event.face != HIDDEN for event in revealed)
    assert all(event.face == HIDDEN for event in play.events(play.told["bystander"], TilePeeked))
    windows = [play.events(play.told[name], TilePeeked) for name in ("first window", "second window")]
    for one, other in zip(*windows, strict=True):
        assert HIDDEN in (one.face, other.face), "both windows were told what was peeked at"
        if one.seat != 0:
            assert one.face == other.face == HIDDEN
    mine = [(one.face, other.face) for one, other in zip(*windows, strict=True) if one.seat == 0]
    assert any(faces != (HIDDEN, HIDDEN) for faces in mine[len(mine) // 2 :]), "who stayed is told"


async def _never_shown(play: Play) -> None:
    """A position says what lies open at its revision; what is told once is told by facts alone, and never here."""
    history: AnyHistory = History(play.match, MATCH)
    lines = await play.house.log.read(MATCH, after=0)
    commits = [history.accept(stored.line, stored.position) for stored in lines]
    peeked = 0
    for viewer, positions in play.shown.items():
        assert positions[-1].complete
        assert positions[-1].past_is_open
        assert len(positions) > LOOKS
        for position in positions[:-1]:
            if position.complete:
                continue
            commit = commits[position.revision - 1]
            assert not position.past_is_open
            assert not position.view_json
            if any(recorded.type == TilePeeked.name for recorded in commit.events):
                peeked += 1
                assert list(position.words) == list(fact_of(play.match, commit, viewer, once=False).words)
    assert peeked, "somebody peeked while a position was shown"


async def _open_in_the_end(play: Play) -> None:
    """A match that is complete shows what was seen then, at every revision."""
    facts = await _newcomer(play, Spectator())
    assert play.events(facts, TileRevealed) == play.events(play.told["bystander"], TileRevealed)
    snapshot = await play.one.spectator.snapshot(MATCH, Spectator(), revision=2)
    assert (snapshot.revision, snapshot.past_is_open, snapshot.complete) == (2, True, True)
    assert len(await play.one.spectator.export(MATCH)) == play.history.revision


async def test_a_feed_that_comes_late_recalls(tmp_path: Path) -> None:
    async with begun(tmp_path) as play, asyncio.timeout(60):
        while await _revealed(play) < 4:
            await play.move()
        heard = Heard()
        stored = await play.house.log.read(MATCH, after=0)
        feed = Feed(heard, play.house.log)
        await feed.publish(stored, late_until=[stored[-1].position], shown=lambda match_id: None)
        await feed.settle()
        facts = [msgspec.json.decode(payload, type=Fact) for _, payload in heard.messages]
        assert [fact.revision for fact in facts] == list(range(1, len(stored) + 1))
        shown = [event for event in play.events(facts, TileRevealed) if event.face != HIDDEN]
        assert len(shown) <= _lie_open(play) < await _revealed(play)


async def _revealed(play: Play) -> int:
    """How many tiles have been turned up so far, whether they still lie open or not."""
    commits = [decode_line(stored.line) for stored in await play.house.log.read(MATCH, after=0)]
    return sum(recorded.type == TileRevealed.name for commit in commits for recorded in commit.events)


def _lie_open(play: Play) -> int:
    return sum(tile is not None and tile.up for ring in play.history.state.game.board for tile in ring)
