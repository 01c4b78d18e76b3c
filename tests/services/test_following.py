"""Matches that are folded side by side: together or one by one, from the beginning or from the middle, past damage."""

import random
from typing import Any

import pytest

from engine.games import find_game
from engine.kernel.game import Seats
from engine.kernel.history import AnyHistory, History
from engine.kernel.match import MatchState
from engine.kernel.ports import Stored
from services.kit.following import AT_ONCE, WAITING_MAX, Following, match_of_rules
from services.kit.memory_log import MemoryLog
from tests.kit.duel import DUEL
from tests.kit.lines import line_of
from tests.kit.table import Table, pick, play

GAME = "just4fun"


def match_lines(match: str, seed: int) -> list[bytes]:
    """A complete match."""
    game, dice = find_game(GAME), random.Random(seed)
    table = Table(game, match, dice.randbytes(32)).open(4).settle()
    while isinstance(pending := table.pending, Seats):
        table.move(pending.seats[0], pick(game, table.state.game, pending.seats[0], dice))
        table.settle()
    return list(table.close().lines)


ONE, TWO = match_lines("one", 1), match_lines("two", 2)
assert len(ONE) > 2 * WAITING_MAX


async def logged(*matches: tuple[str, list[bytes]]) -> tuple[MemoryLog, list[Stored]]:
    """A log with these matches, a line of each in turn, and its lines in their order."""
    log = MemoryLog()
    last: dict[str, int] = {}
    stored: list[Stored] = []
    for at in range(max(len(lines) for _, lines in matches)):
        for match, lines in matches:
            if at < len(lines):
                appended = await log.append(GAME, match, lines[at], expected=last.get(match, 0))
                last[match] = appended.position
                stored.append(Stored(appended.position, lines[at]))
    return log, stored


async def changed(following: Following) -> dict[str, tuple[int, MatchState[Any]]]:
    return {history.match_id: (history.revision, history.state) async for history in following.changed()}


def folded(match: str, lines: list[bytes]) -> AnyHistory:
    history: AnyHistory = History(match_of_rules("just4fun/1"), match)
    for position, line in enumerate(lines, 1):
        history.accept(line, position)
    return history


@pytest.mark.parametrize("size", [1, 5, WAITING_MAX - 1, 2 * WAITING_MAX, 2 * WAITING_MAX + 1, 10_000])
async def test_matches_stand_where_their_lines_have_come(size: int) -> None:
    log, stored = await logged(("one", ONE), ("two", TWO))
    following, seen = Following(log), {"one": 0, "two": 0}
    for start in range(0, len(stored), size):
        batch = stored[start : start + size]
        await following.take(batch)
        for each in batch:
            seen["one" if each.line in ONE else "two"] += 1
        touched = {"one" if each.line in ONE else "two" for each in batch}
        assert following.touched == len(touched)
        told = await changed(following)
        assert told.keys() == touched
        for match, (revision, state) in told.items():
            assert revision == seen[match]
            assert state == folded(match, (ONE if match == "one" else TWO)[:revision]).state
    assert await changed(following) == {}, "what has been told is not told again"


async def test_after_every_few_matches_others_have_the_core(monkeypatch: pytest.MonkeyPatch) -> None:
    following = Following(MemoryLog())
    opened = (Table(find_game(GAME), f"m-{at}", bytes(32)).open(2) for at in range(1, 2 * AT_ONCE + 2))
    await following.take(Stored(at, table.lines[0]) for at, table in enumerate(opened, 1))
    done: list[str] = []

    async def rest(seconds: float) -> None:
        done.append(f"rest {seconds}")

    monkeypatch.setattr("services.kit.following.asyncio.sleep", rest)
    async for history in following.changed(rest_s=0.5):
        done.append(history.match_id)  # noqa: PERF401 - rests are noted in between
    few = [[f"m-{at}" for at in range(start, start + AT_ONCE)] for start in (1, 1 + AT_ONCE)]
    assert done == [*few[0], "rest 0.5", *few[1], "rest 0.5", f"m-{2 * AT_ONCE + 1}"]


async def test_a_match_that_is_met_in_the_middle_is_read_from_its_beginning() -> None:
    log, stored = await logged(("one", ONE))
    following = Following(log)
    await following.take(stored[WAITING_MAX + 3 : WAITING_MAX + 5])
    assert (await changed(following))["one"] == (WAITING_MAX + 5, folded("one", ONE[: WAITING_MAX + 5]).state)
    await following.take(stored[WAITING_MAX + 4 : WAITING_MAX + 5])
    assert await changed(following) == {}, "a line that comes twice changes nothing"


async def test_of_a_damaged_match_what_is_sound_is_told_once_and_others_go_on() -> None:
    sound = WAITING_MAX + 10
    log, stored = await logged(("one", [*ONE[:sound], line_of("one", sound + 1), *ONE[sound + 1 :]]), ("two", TWO))
    following = Following(log)
    await following.take(stored[: 2 * sound + 20])
    told = await changed(following)
    assert told["one"] == (sound, folded("one", ONE[:sound]).state)
    assert told["two"][0] == sound + 10
    await following.take(stored[2 * sound + 20 :])
    assert (await changed(following)).keys() == {"two"}


async def test_a_line_that_is_no_commit_is_passed_over() -> None:
    log, stored = await logged(("one", ONE[:3]))
    following = Following(log)
    await following.take([Stored(1, b"nonsense"), Stored(2, b'{"match":"other","revision":1,"at":"today"}'), *stored])
    assert (await changed(following)).keys() == {"one"}


async def test_a_match_by_rules_that_are_not_here_is_passed_over() -> None:
    lines = play(DUEL, 2, {}, 1).lines
    following = Following(MemoryLog())
    await following.take([Stored(position, line) for position, line in enumerate(lines, 1)])
    assert await changed(following) == {}
