"""One table of bots after the other, and no more than were agreed."""

import asyncio
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import pytest
import structlog
from tavolata.scoring.v1 import scoring_pb2

from bots import exhibition
from bots.attendant import Asked, asked_of
from bots.brains import brain_named
from bots.exhibition import exhibit, number_of, table_of
from engine.games import all_games, find_game
from engine.kernel.ports import Failed, Unavailable
from engine.kernel.refusal import Kind, Refusal
from tests.bots.one_table import rest

RUNNING, ENDED = scoring_pb2.STATUS_RUNNING, scoring_pb2.STATUS_ENDED


class Hall:
    """A house in which a match ends when the test says so."""

    def __init__(self, *listed: scoring_pb2.Match) -> None:
        self.listed = listed
        """Newest first."""
        self.opened: list[tuple[str, str, int]] = []
        self.watched: list[str] = []
        self.errors: list[Exception] = []
        """What the next calls of ``open`` answer."""
        self.ends = asyncio.Semaphore(0)

    def clients(self) -> Any:
        house = SimpleNamespace(open=self.open)
        return SimpleNamespace(
            scoring=SimpleNamespace(matches=self.matches),
            spectator=SimpleNamespace(facts=self.facts),
            rules=lambda game: house,
        )

    async def matches(self) -> AsyncIterator[scoring_pb2.Match]:
        for match in self.listed:
            yield match

    async def open(self, match: str, game: str, seats: int, *, players: tuple[str, ...]) -> None:
        if self.errors:
            raise self.errors.pop(0)
        assert len(players) == seats
        self.opened.append((match, game, seats))

    async def facts(self, match: str, viewer: object) -> AsyncIterator[object]:
        self.watched.append(match)
        yield "opened"
        await self.ends.acquire()


def listed(match_id: str, status: scoring_pb2.Status.ValueType, *players: str) -> scoring_pb2.Match:
    seats = [scoring_pb2.SeatScore(seat=seat, player=player) for seat, player in enumerate(players)]
    return scoring_pb2.Match(match_id=match_id, game="just4fun", status=status, seats=seats)


async def shown(hall: Hall, matches_max: int) -> list[dict[str, Any]]:
    """The whole exhibition, every match ending at once; what the log said."""
    for _ in range(matches_max):
        hall.ends.release()
    with structlog.testing.capture_logs() as told:
        await exhibit(hall.clients(), matches_max=matches_max, pace_ms=0, pause_s=0)
    return [dict(line) for line in told]


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exhibition, "RETRY_S", 0)


def test_games_come_in_turn_at_tables_of_three_and_of_four() -> None:
    tables = [table_of(number, 1500) for number in range(1, 8)]
    assert [(table.match_id, table.game, len(table.players)) for table in tables] == [
        ("exhibition-1", "just4fun", 3),
        ("exhibition-2", "memcel", 3),
        ("exhibition-3", "welcome_to", 3),
        ("exhibition-4", "just4fun", 4),
        ("exhibition-5", "memcel", 4),
        ("exhibition-6", "welcome_to", 4),
        ("exhibition-7", "just4fun", 3),
    ]


@pytest.mark.parametrize("game", all_games())
def test_every_seat_asks_for_a_bot_that_the_game_has(game: str) -> None:
    tables = [table for number in range(1, 2 * len(all_games()) + 1) if (table := table_of(number, 1500)).game == game]
    assert len(tables) == 2
    for table in tables:
        assert len(table.players) in find_game(game).seats
        for seat, player in enumerate(table.players):
            assert asked_of(player) == Asked("greedy", 1500)
            brain_named("greedy", find_game(game), seat)


@pytest.mark.parametrize(
    ("match_id", "number"),
    [
        ("exhibition-1", 1),
        ("exhibition-41", 41),
        ("exhibition-0", 0),
        ("exhibition-01", 0),
        ("exhibition--1", 0),
        ("exhibition-1x", 0),
        ("my-exhibition-1", 0),
        ("exhibition-" + "9" * 40, 0),
    ],
)
def test_a_number_is_read_from_an_id_of_ours_and_from_no_other(match_id: str, number: int) -> None:
    assert number_of(match_id) == number


async def test_the_next_match_is_opened_when_one_has_ended() -> None:
    hall = Hall()
    showing = asyncio.create_task(exhibit(hall.clients(), matches_max=2, pace_ms=0, pause_s=0))
    await rest()
    assert hall.opened == [("exhibition-1", "just4fun", 3)]
    hall.ends.release()
    await rest()
    assert hall.opened[1:] == [("exhibition-2", "memcel", 3)]
    assert not showing.done()
    hall.ends.release()
    await showing
    assert hall.watched == ["exhibition-1", "exhibition-2"]


async def test_it_stops_after_so_many_matches_and_says_so() -> None:
    hall = Hall()
    told = await shown(hall, matches_max=5)
    assert [match for match, _, _ in hall.opened] == [f"exhibition-{number}" for number in range(1, 6)]
    assert told == [{"event": "exhibition_over", "log_level": "info", "matches": 5}]


async def test_after_a_restart_the_numbers_go_on() -> None:
    hall = Hall(
        listed("evening", RUNNING), listed("exhibition-x", RUNNING), listed("exhibition-7", ENDED, "bot:greedy")
    )
    await shown(hall, matches_max=2)
    assert hall.watched == ["exhibition-8", "exhibition-9"]
    assert [match for match, _, _ in hall.opened] == ["exhibition-8", "exhibition-9"]


async def test_after_a_restart_the_match_that_runs_is_watched_before_another_is_opened() -> None:
    hall = Hall(listed("exhibition-7", RUNNING, "bot:greedy@1500", "bot:greedy@1500"), listed("exhibition-6", ENDED))
    await shown(hall, matches_max=2)
    assert hall.watched == ["exhibition-7", "exhibition-8"]
    assert [match for match, _, _ in hall.opened] == ["exhibition-8"]


async def test_a_match_of_people_is_not_waited_for() -> None:
    hall = Hall(listed("exhibition-7", RUNNING, "bot:greedy", "ana"))
    await shown(hall, matches_max=1)
    assert hall.watched == ["exhibition-8"]


async def test_an_id_that_is_taken_is_passed_over() -> None:
    hall = Hall()
    hall.errors = [Refusal("match_exists", "It has been opened before.", Kind.EXISTS)]
    told = await shown(hall, matches_max=2)
    assert [match for match, _, _ in hall.opened] == ["exhibition-2"]
    assert (told[0]["event"], told[0]["match"], told[0]["reason"]) == (
        "exhibition_not_opened",
        "exhibition-1",
        "match_exists",
    )


async def test_a_house_that_is_just_starting_is_asked_again() -> None:
    hall = Hall()
    hall.errors = [Unavailable("service_unavailable", "It is away."), Unavailable("log_full", "It is full.")]
    await shown(hall, matches_max=1)
    assert hall.opened == [("exhibition-1", "just4fun", 3)]


async def test_a_match_that_is_damaged_does_not_stop_the_others() -> None:
    hall = Hall()
    clients = hall.clients()
    facts = hall.facts

    async def broken_once(match: str, viewer: object) -> AsyncIterator[object]:
        async for fact in facts(match, viewer):
            if match == "exhibition-1":
                raise Failed("broken_log", "It is damaged.")
            yield fact

    clients.spectator.facts = broken_once
    hall.ends.release()
    await exhibit(clients, matches_max=2, pace_ms=0, pause_s=0)
    assert hall.watched == ["exhibition-1", "exhibition-2"]
