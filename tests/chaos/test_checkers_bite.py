"""The checkers are worth their time: a good round is spoiled, and the checker that forbids it says so."""

import copy
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from engine.kernel.codec import Recorded
from engine.kernel.commit import CLOCK, Commit, decode_line, encode_line, line_hash
from engine.kernel.official import EVENTS, RevealSeed, TurnExpired
from services.kit.wire.house import clients_at
from tests.chaos.calm import calm_house
from tests.chaos.checkers import BORROWED, CHECKERS, violations
from tests.chaos.event import Event, Play
from tests.chaos.evidence import Aftermath, collect
from tests.chaos.records import Told
from tests.chaos.replicas import Copy
from tests.chaos.run import STREAMS

EVENT = Event(seed=3, game="just4fun", tables=2)
MATCH = f"{EVENT.id}-r1-t1"

_kept: list[Aftermath] = []


@pytest.fixture
async def good(tmp_path: Path) -> Aftermath:
    """What a calm round of two tables leaves behind, beside three nodes that agree."""
    if not _kept:
        async with calm_house(tmp_path, EVENT) as house, clients_at(house.named, {}) as clients:
            play = Play(EVENT, house.named, house.rules)
            await play.run()
            ids = [table.match for table in play.tables]
            copies = [Copy(f"nats-{number}", stream, 99, "5eed" * 16) for stream in STREAMS for number in (1, 2, 3)]
            kept = await collect(clients, house.log, EVENT.id, ids, play.notes, copies=copies)
        kept.twin = kept.standings
        _kept.append(kept)
    return copy.deepcopy(_kept[0])


def lose_an_acknowledged_move(left: Aftermath) -> None:
    told = next(each for each in left.notes.told if each.match == MATCH)
    left.matches.record.answers.append(
        Told(MATCH, told.actor, "never-stored", told.revision, repeat=False, at=0.0).answer()
    )


def tell_another_revision(left: Aftermath) -> None:
    answers = left.matches.record.answers
    answers[0] = msgspec.structs.replace(answers[0], revision=answers[0].revision + 1)


def store_a_move_twice(left: Aftermath) -> None:
    """With a chain that holds."""
    lines = left.matches.lines[MATCH]
    moved = next(place for place, line in enumerate(lines) if decode_line(line).actor.startswith("seat:"))
    _rechain(left, [*lines[: moved + 1], lines[moved], *lines[moved + 1 :]])


def drop_a_line(left: Aftermath) -> None:
    del left.matches.lines[MATCH][3]


def forge_a_time(left: Aftermath) -> None:
    lines = left.matches.lines[MATCH]
    commit = decode_line(lines[4])
    at = commit.at[:-2] + ("1Z" if commit.at[-2] != "1" else "2Z")
    lines[4] = encode_line(msgspec.structs.replace(commit, at=at))


def tell_other_events(left: Aftermath) -> None:
    """With a chain that holds: only deciding finds it."""
    lines = list(left.matches.lines[MATCH])
    place = next(place for place, line in enumerate(lines) if decode_line(line).actor.startswith("seat:"))
    commit = decode_line(lines[place])
    lines[place] = encode_line(msgspec.structs.replace(commit, events=commit.events[:-1]))
    _rechain(left, lines)


def leave_a_match_open(left: Aftermath) -> None:
    lines = left.matches.lines[MATCH]
    assert decode_line(lines.pop()).command.type == RevealSeed.name


def export_something_else(left: Aftermath) -> None:
    left.matches.record.exports[MATCH] = left.matches.record.exports[MATCH][:-1]


def miss_a_revision(left: Aftermath) -> None:
    del left.notes.sights[0].facts[5]


def show_a_hand(left: Aftermath) -> None:
    """A watcher is told the cards that a seat has drawn."""
    sight = left.notes.sights[0]
    place = next(
        place
        for place, fact in enumerate(sight.facts)
        if any(event.type == "just4fun.hand_drawn" for event in fact.events)
    )
    commit = decode_line(left.matches.lines[sight.match][place])
    sight.facts[place] = msgspec.structs.replace(sight.facts[place], events=commit.events)


def count_too_little(left: Aftermath) -> None:
    standings = left.matches.record.standings
    standings[0] = msgspec.structs.replace(standings[0], revision=standings[0].revision - 1)


def fail_inside(left: Aftermath) -> None:
    left.matches.record.failures.append('deck: {"event": "internal_error", "level": "error"}')


def fork_a_replica(left: Aftermath) -> None:
    left.copies[1] = msgspec.structs.replace(left.copies[1], digest="0" * 64)


def end_a_replica_early(left: Aftermath) -> None:
    left.copies[2] = msgspec.structs.replace(left.copies[2], last=left.copies[2].last - 1)


def break_the_log_of_the_event(left: Aftermath) -> None:
    del left.event_log[5]


def end_the_event_early(left: Aftermath) -> None:
    left.event_log.pop()


def play_another_result(left: Aftermath) -> None:
    """The two tables are swapped: each has been played, and neither is what counts."""
    lines = left.matches.lines
    first, second = lines
    lines[first], lines[second] = lines[second], lines[first]


def show_another_place(left: Aftermath) -> None:
    first, second, *others = left.standings
    left.standings = (
        msgspec.structs.replace(first, place=second.place),
        msgspec.structs.replace(second, place=first.place),
        *others,
    )
    left.twin = left.standings


def end_otherwise_than_the_twin(left: Aftermath) -> None:
    first, *others = left.twin
    left.twin = (msgspec.structs.replace(first, place=first.place + 1), *others)


def flag_somebody(left: Aftermath) -> None:
    lines = left.matches.lines[MATCH]
    commit: Commit = decode_line(lines[-1])
    expired: Recorded = EVENTS.encode(TurnExpired(1, (0,)))
    lines.append(encode_line(msgspec.structs.replace(commit, actor=CLOCK, events=(expired,))))


def _rechain(left: Aftermath, lines: list[bytes]) -> None:
    before = decode_line(lines[0]).prev
    chained = []
    for revision, line in enumerate(lines, 1):
        commit = msgspec.structs.replace(decode_line(line), revision=revision, prev=before)
        chained.append(encode_line(commit))
        before = line_hash(chained[-1])
    left.matches.lines[MATCH] = chained


SPOILED: dict[str, tuple[Callable[[Aftermath], None], ...]] = {
    "chain": (drop_a_line, forge_a_time),
    "once": (store_a_move_twice,),
    "acknowledged": (lose_an_acknowledged_move, tell_another_revision),
    "decides_again": (tell_other_events,),
    "completes": (leave_a_match_open,),
    "verifies": (export_something_else,),
    "reads_all": (miss_a_revision,),
    "redacts": (show_a_hand,),
    "hides": (show_a_hand,),
    "scores": (count_too_little,),
    "stands": (fail_inside,),
    "replicas_agree": (fork_a_replica, end_a_replica_early),
    "event_verifies": (break_the_log_of_the_event, end_the_event_early),
    "results_are_played": (play_another_result,),
    "standings_are_reckoned": (show_another_place,),
    "standings_are_the_twins": (end_otherwise_than_the_twin,),
    "nobody_is_flagged": (flag_somebody,),
}


def test_every_checker_has_something_to_bite_on() -> None:
    assert set(SPOILED) == {*BORROWED, *CHECKERS}


async def test_a_good_round_has_nothing_to_find(good: Aftermath) -> None:
    assert violations(good) == []
    assert len(good.notes.told) > 100


@pytest.mark.parametrize(("name", "spoil"), [(name, spoil) for name, spoils in SPOILED.items() for spoil in spoils])
async def test_a_spoiled_round_is_found_by_the_checker_that_forbids_it(
    good: Aftermath, name: str, spoil: Callable[[Aftermath], None]
) -> None:
    spoil(good)
    found = {violation.checker.name: violation for violation in violations(good)}
    assert name in found
    assert all(found[name].found)
