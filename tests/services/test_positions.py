"""A position tells everything that a page shows, is drawn once however many look, and its clocks tell no more than it.

Clocks are agreed as 30 s a turn and a bank of 60 s; the test moves their hands.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from tavolata.spectator.v1 import spectator_pb2

from engine.games import find_game
from engine.kernel.chance import Draw, Roll
from engine.kernel.game import Seats
from engine.kernel.history import Matches
from engine.kernel.official import CallTime, Pause, Resume
from engine.kernel.ports import Unavailable
from engine.kernel.refusal import Refusal
from engine.kernel.value import Referee, SeatView, Spectator, Viewer, instant_text
from services.deck.app import Deck
from services.kit.key import KeyRing
from services.kit.memory_log import MemoryLog
from services.spectator.past import STRIDE, Past
from services.spectator.snapshot import Reading
from tests.kit.given import NOON
from tests.kit.nats import DEADLINE_S
from tests.kit.table import SECOND, play
from tests.services.curtains import Watch, folded, give_up, move
from tests.services.hosts import M, leave, written
from tests.services.small_house import GAME, KEY, Kept, Person, SmallHouse, person, small_house

CLOCKS: dict[str, Any] = {"turn_ms": 30_000, "bank_ms": 60_000}
DELAY_MS = 60_000


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
async def house(watch: Watch, tmp_path: Path) -> AsyncIterator[SmallHouse]:
    async with small_house(MemoryLog(), tmp_path, clock=watch) as opened:
        yield opened


async def direct(house: SmallHouse, name: str, command: Any) -> None:
    await house.host.direct(M, name, written({"type": type(command).name, "data": command}))


async def reading(house: SmallHouse, viewer: Viewer = Spectator()) -> Reading:  # noqa: B008 - immutable
    return (await house.gallery.snapshot(M, viewer, 0)).clock


async def newest_position(one: Person, viewer: Viewer, language: str = "") -> spectator_pb2.Position:
    async with aclosing(one.spectator.positions(M, viewer, language=language)) as positions:
        return await anext(positions)


class TestWhatAPageShows:
    async def test_a_running_match(self, house: SmallHouse) -> None:
        await house.host.open(M, seats=2, players=["ann"])
        await move(house, M)
        history = await folded(house.log, M)
        pending = history.pending
        assert isinstance(pending, Seats)
        async with person(house) as one:
            position = await newest_position(one, Spectator())
        assert (position.match_id, position.game, position.newest) == (M, GAME, history.revision)
        assert (position.waiting, tuple(position.pending_seats)) == (spectator_pb2.WAITING_SEATS, pending.seats)
        assert list(position.players) == ["ann", ""]
        assert (list(position.ranks), position.reason, list(position.left)) == ([], "", [])
        assert (position.complete, position.past_is_open) == (False, True)
        assert position.clock == spectator_pb2.Clock(now=instant_text(NOON)), "no time was agreed"
        for told, score in zip(position.scores, find_game(GAME).scores(history.state.game), strict=True):
            assert (told.seat, told.total) == (score.seat, score.total)
            assert [(line.key, line.label, line.points) for line in told.lines] == [
                (line.key, line.label, line.points) for line in score.lines
            ]
            assert score.objectives
            assert [(each.key, each.label, each.have, each.need, each.met) for each in told.objectives] == [
                (each.key, each.label, each.have, each.need, each.have >= each.need) for each in score.objectives
            ]

    async def test_a_complete_match(self, house: SmallHouse) -> None:
        await house.host.open(M, seats=2)
        await house.host.act(M, "bye", 1, leave(1))
        async with person(house) as one:
            positions = [position async for position in one.spectator.positions(M, Spectator())]
            last = positions[-1]
            early = await one.spectator.snapshot(M, Spectator(), revision=1)
        assert last.waiting == spectator_pb2.WAITING_OVER
        assert (list(last.ranks), last.reason, list(last.left)) == ([1, 2], "last_seat", [1])
        assert (last.revision, last.complete, last.past_is_open) == (last.newest, True, True)
        assert (list(early.ranks), early.reason, list(early.left)) == ([], "", []), "nobody had left yet"
        assert (early.revision, early.newest, early.complete) == (1, last.newest, True)

    async def test_the_stream_shows_what_a_snapshot_shows_but_for_the_view(self, house: SmallHouse) -> None:
        await house.host.open(M, seats=2, **CLOCKS)
        await move(house, M)
        async with person(house) as one:
            for viewer in (Spectator(), SeatView(0), Referee()):
                for language in ("en", "ko"):
                    shown = await one.spectator.snapshot(M, viewer, language=language)
                    assert shown.view_json
                    shown.ClearField("view_json")
                    assert await newest_position(one, viewer, language) == shown

    async def test_what_there_is_not_cannot_be_watched(self, house: SmallHouse) -> None:
        await house.host.open(M, seats=2)
        for code, watching in (
            ("unknown_match", house.gallery.positions("nowhere", Spectator())),
            ("unknown_seat", house.gallery.positions(M, SeatView(2))),
            ("id_malformed", house.gallery.positions("a.b", Spectator())),
        ):
            with pytest.raises(Refusal) as refused:
                await anext(watching)
            assert refused.value.code == code


class TestClocks:
    async def test_they_are_read_when_asked(self, house: SmallHouse, watch: Watch) -> None:
        await house.host.open(M, seats=2, **CLOCKS)
        pending = (await folded(house.log, M)).pending
        assert isinstance(pending, Seats)
        [seat] = pending.seats
        deadline = instant_text(NOON + 90 * SECOND)
        for seconds, left in ((0, 90_000), (10, 80_000), (45, 45_000)):
            watch.forward(seconds * 1000 - (watch.now() - NOON) // 1000)
            by_seat = (left, 90_000) if seat == 0 else (90_000, left)
            now = instant_text(NOON + seconds * SECOND)
            assert await reading(house) == Reading(True, False, False, deadline, by_seat, now)
        await move(house, M)
        spent = await reading(house)
        assert spent.left_ms[seat] == 75_000, "15 of the 45 seconds were taken from the bank"
        assert spent.deadline == instant_text(NOON + (45 + 90) * SECOND)

    async def test_a_pause_stops_them(self, house: SmallHouse, watch: Watch) -> None:
        await house.host.open(M, seats=2, **CLOCKS)
        watch.forward(20_000)
        before = await reading(house)
        await direct(house, "pause", Pause())
        watch.forward(500_000)
        paused = await reading(house)
        assert (paused.paused, paused.deadline, paused.left_ms) == (True, "", before.left_ms)
        await direct(house, "resume", Resume())
        assert (await reading(house)).deadline == instant_text(NOON + (90 + 500) * SECOND)

    async def test_who_has_no_time_left_has_none(self, house: SmallHouse) -> None:
        await house.host.open(M, seats=2)
        await direct(house, "call", CallTime())
        called = await reading(house)
        assert (called.has_clock, called.called, called.left_ms) == (False, True, (0, 0))

    async def test_of_the_past_they_are_read_as_they_stood_then(self, house: SmallHouse, watch: Watch) -> None:
        await house.host.open(M, seats=2, **CLOCKS)
        then = await reading(house)
        revision = (await folded(house.log, M)).revision
        watch.forward(50_000)
        await move(house, M)
        watch.forward(20_000)
        assert (await house.gallery.snapshot(M, Spectator(), revision)).clock == then

    async def test_behind_a_delay_they_are_what_the_referee_saw_so_long_ago(
        self, house: SmallHouse, watch: Watch
    ) -> None:
        await house.host.open(M, seats=2, delay_ms=DELAY_MS, **CLOCKS)
        seen: dict[int, tuple[int, Reading]] = {}
        doings: dict[int, Callable[[], Awaitable[object]]] = {
            25: lambda: move(house, M),
            40: lambda: direct(house, "pause", Pause()),
            70: lambda: direct(house, "resume", Resume()),
            75: lambda: move(house, M),
        }
        for second in range(0, 160, 5):
            if second in doings:
                await doings[second]()
            present = await house.gallery.snapshot(M, Referee(), 0)
            seen[second] = present.revision, present.clock
            if second >= DELAY_MS // 1000:
                shown = await house.gallery.snapshot(M, Spectator(), 0)
                assert (shown.revision, shown.clock) == seen[second - DELAY_MS // 1000]
            watch.forward(5000)
        assert len({clock.deadline for _, clock in seen.values()}) == 5, "two moves, a pause and its end were seen"


class _TiredDeck(Deck):
    is_tired = False

    async def draw(self, match: str, draw_id: str, asked: Roll | Draw) -> tuple[int, ...]:
        if self.is_tired:
            raise Unavailable("deck_unavailable", "The deck gives nothing more.")
        return await super().draw(match, draw_id, asked)


async def _sent_behind_a_delay(folder: Path, meanwhile: str) -> list[Kept]:
    """All that a bystander is sent in the minute after ``meanwhile`` has happened, which is not told yet.

    Where time has been called, the house plays the match to its end, and what is over may be told. So the deck gives
    nothing more from then on, and the match stays where it is.
    """
    watch, log = Watch(), MemoryLog()
    deck = _TiredDeck(KeyRing(KEY), log)
    async with small_house(log, folder, clock=watch, luck=deck) as house, person(house) as one:
        await house.host.open(M, seats=2, delay_ms=DELAY_MS, **CLOCKS)
        deck.is_tired = True
        watch.forward(DELAY_MS)
        if meanwhile == "move":
            await move(house, M)
        elif meanwhile == "pause":
            await direct(house, "pause", Pause())
        elif meanwhile == "call":
            await direct(house, "call", CallTime())
        for _ in range(12):
            await newest_position(one, Spectator())
            await one.spectator.snapshot(M, Spectator())
            await one.try_to(one.spectator.snapshot(M, Spectator(), revision=3))
            watch.forward(4_999)
        return one.kept


async def test_a_clock_behind_a_delay_does_not_tell_what_has_happened_since(tmp_path: Path) -> None:
    sent = [await _sent_behind_a_delay(tmp_path / name, name) for name in ("nothing", "move", "pause", "call")]
    assert sent[1:] == sent[:1] * 3
    assert len({kept.answer for kept in sent[0] if kept.method == "WatchPositions"}) == 12, "its hands move"


async def test_the_end_is_shown_to_who_is_kept_behind(house: SmallHouse, watch: Watch) -> None:
    await house.host.open(M, seats=2, delay_ms=DELAY_MS, **CLOCKS)
    watch.forward(DELAY_MS)
    async with asyncio.timeout(DEADLINE_S), aclosing(house.gallery.positions(M, Spectator())) as positions:
        first = await anext(positions)
        await give_up(house, M)
        last = [position async for position in positions][-1]
    assert (first.complete, last.complete) == (False, True)
    assert last.revision == (await folded(house.log, M)).revision


async def test_a_position_is_drawn_once_however_many_look(
    house: SmallHouse, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[tuple[Viewer, str]] = []
    game = find_game(GAME)
    draw = type(game).board

    def board(self: Any, view: Any, viewer: Viewer, language: str = "en") -> str:
        drawn.append((viewer, language))
        return draw(self, view, viewer, language)

    monkeypatch.setattr(type(game), "board", board)
    await house.host.open(M, seats=2, **CLOCKS)

    async def look(viewer: Viewer, language: str) -> str:
        async with aclosing(house.gallery.positions(M, viewer, language)) as positions:
            return (await anext(positions)).clock.now

    async def everybody_looks() -> set[str]:
        looks: list[tuple[Viewer, str]] = [(Spectator(), "en"), (Spectator(), "it"), (SeatView(1), "en")] * 10
        return set(await asyncio.gather(*(look(viewer, language) for viewer, language in looks)))

    assert await everybody_looks() == {instant_text(NOON)}
    watch.forward(1000)
    assert await everybody_looks() == {instant_text(NOON + SECOND)}, "the clocks are read anew"
    assert len(drawn) == len(set(drawn)) == 3
    await move(house, M)
    await everybody_looks()
    assert len(drawn) == 2 * len(set(drawn)) == 6


def test_any_revision_is_a_few_folds_away(monkeypatch: pytest.MonkeyPatch) -> None:
    played = play(find_game("memcel"), 2, {"on_miss": "keep"}, 1)
    assert len(played.commits) > 2 * STRIDE
    past = Past(played.match)
    for commit, state in zip(played.commits, played.states, strict=True):
        past.add(commit, state)
    folds: list[int] = []
    fold = Matches.fold

    def counted(self: Any, state: Any, events: Any) -> Any:
        folds[-1] += 1
        return fold(self, state, events)

    monkeypatch.setattr(Matches, "fold", counted)
    for revision in [*range(len(played.commits), 0, -1), *range(1, len(played.commits) + 1)]:
        folds.append(0)
        assert past.state_at(revision) == played.states[revision - 1]
        assert folds[-1] == revision % STRIDE
