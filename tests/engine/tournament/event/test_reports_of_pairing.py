"""Public bug reports about pairing, as an event shows them. ``reports`` lists all; more in the tests of pairing."""

from collections.abc import Iterator
from fractions import Fraction

import pytest

from engine.kernel.commit import HOUSE
from engine.tournament import commands as c
from engine.tournament.arena import arena_pods
from engine.tournament.drafting import problem_of
from engine.tournament.exact import exact_of
from engine.tournament.pairing import pair
from engine.tournament.pairing.explain import explain
from engine.tournament.played import Entry
from engine.tournament.record import met
from engine.tournament.state import TablePhase
from tests.kit.tournaments import Desk, Section, event, stage, swiss

PAIRS: Section = {"smallest": 2, "target": 2, "largest": 2}
WINS = {"scheme": "win-heavy"}


def scattered(entry: Entry) -> int:
    return entry * 7919 % 101


@pytest.mark.parametrize("format_", ["swiss", "planned", "groups"])
def test_eight_players_play_seven_rounds(format_: str) -> None:
    """lila #7675, #6689: stopped after five, since earlier rounds were drawn without looking ahead."""
    rounds = {} if format_ == "groups" else {"rounds": 7}
    desk = Desk(event(stage(format_, **rounds, **PAIRS), scoring=WINS))
    desk.gather(8)
    for _ in range(7):
        assert len(desk.play(scattered).tables) == 4
    assert desk.refused(desk.next_draft()) == "stage_over"
    if format_ != "swiss":
        assert set(met(desk.state).values()) == {1}


def pairings(people: tuple[Entry, ...]) -> Iterator[tuple[tuple[Entry, Entry], ...]]:
    if not people:
        yield ()
        return
    first, *rest = people
    for other in rest:
        for more in pairings(tuple(entry for entry in rest if entry != other)):
            yield ((first, other), *more)


@pytest.mark.parametrize("number", range(3))
def test_the_gap_in_points_is_the_least_that_can_be(number: int) -> None:
    """sendou.ink #2496: three wins met none. Against all 105 ways to pair eight people."""
    desk = Desk(event(swiss(4, **PAIRS, repeat_points=1000), scoring={"scheme": "commander"}), f"cup-{number}")
    desk.gather(8)
    for _ in range(3):
        desk.play(scattered)
    points = {entry: int(worth) for entry, worth in desk.points().items()}
    before = met(desk.state)
    desk.draft()
    assert desk.state.draft is not None

    def cost(pairing: tuple[tuple[Entry, Entry], ...]) -> tuple[int, int]:
        repeats = sum(before[min(pair), max(pair)] for pair in pairing)
        return repeats, sum(abs(points[one] - points[other]) for one, other in pairing)

    ours = tuple((pod.entries[0], pod.entries[1]) for pod in desk.state.draft.pods)
    assert cost(ours) == min(map(cost, pairings(tuple(range(1, 9)))))


@pytest.mark.parametrize("count", [4, 5, 7, 8, 9, 12, 16])
def test_an_arena_does_not_seat_the_same_table_twice_running_while_others_are_there(count: int) -> None:
    """lila #1773, #468, #1185, #6394: the same opponents again and again."""
    desk = Desk(event(stage("arena", horizon_ms=2_400_000, typical_ms=60_000, wait_ms=120_000)))
    desk.gather(count)
    desk.begin()
    started: dict[int, int] = {}
    last: dict[Entry, set[Entry]] = {}
    for minute in range(39):
        for table in desk.round().tables:
            if table.phase is TablePhase.WAITING and minute - started[table.number] >= 2 + table.number % 3:
                desk.do(desk.score(table.number, *map(scattered, table.entries)), HOUSE)
        playing = {entry for table in desk.round().tables if not table.settled for entry in table.entries}
        if arena_pods(desk.state, desk.round(), desk.now):
            desk.do(c.SeatArena(desk.round().beat + 1), HOUSE)
        new = [table for table in desk.round().tables if table.number not in started]
        for table in new:
            started[table.number] = minute
            if any(last.get(entry) == set(table.entries) for entry in table.entries):
                assert len(new) == 1
                assert set(table.entries) | playing == set(range(1, count + 1)), "somebody else was waiting"
            last.update((entry, set(table.entries)) for entry in table.entries)
        desk.passes(60)
    assert len(started) >= 5


def test_the_weight_of_a_repeat_is_a_choice_and_its_price_is_told() -> None:
    """BGA's page for the MSO: avoiding repeats makes strange tables late, so it was switched off."""
    repeats, spread = [], []
    for weight in (0, 10, 1000):
        desk = Desk(event(swiss(6, repeat_points=weight)))
        desk.gather(16)
        for _ in range(6):
            desk.play(scattered)
        told = [played.drafted.quality for played in desk.state.rounds]
        repeats.append(sum(quality.repeats for quality in told))
        spread.append(sum((exact_of(quality.spread) for quality in told), Fraction()))
        assert repeats[-1] == sum(times - 1 for times in met(desk.state).values())
        assert all(exact_of(quality.spread) >= exact_of(quality.spread_bound) for quality in told)
    assert repeats[0] > repeats[1] >= repeats[2]
    assert spread[0] < spread[1] <= spread[2]


def test_a_penalty_is_paired_by_as_it_stands() -> None:
    """Pantheon #838: point penalties did not count when the next round was seated."""
    desk = Desk(event(swiss(2)))
    desk.gather(16)
    desk.play()
    leader = desk.order()[0]
    desk.do(c.Penalise(leader, "points", "9"))
    desk.draft()
    assert desk.state.draft is not None
    problem = problem_of(desk.state, desk.state.draft)
    points = {each.entry: each.points for each in problem.contenders}
    assert points == {entry: int(worth) for entry, worth in desk.points().items()}
    assert points[leader] == -4
    assert next(pod.table for pod in desk.state.draft.pods if leader in pod.entries) == 4


def test_points_and_lots_pair_and_tie_breaks_do_not() -> None:
    """lila #7353: a user thought that tie-breaks drove the pairing; it is said what did."""
    drafts = []
    for order in (("TP", "SOS", "RAW"), ("TP", "RAW", "WINS", "PLACES")):
        desk = Desk(event(swiss(2), scoring={"scheme": "5-3-2-1", "order": order}))
        desk.gather(13)
        desk.play(scattered)
        drafts.append(desk.draft())
    assert drafts[0] == drafts[1]
    assert desk.state.draft is not None
    problem = problem_of(desk.state, desk.state.draft)
    for entry, worth in desk.points().items():
        by = explain(problem, pair(problem), entry).paired_by
        assert (str(by.points), by.then) == (worth, "lots")
