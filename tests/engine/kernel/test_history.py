"""A history believes no line that does not continue its match, and knows every command it has had."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from engine.kernel.codec import Recorded
from engine.kernel.commit import Commit, encode_line, line_hash
from engine.kernel.history import BrokenLog, Duplicate, History
from engine.kernel.match import Match, Request
from engine.kernel.official import Leave
from engine.kernel.ports import Stored
from engine.kernel.process import AskLuck, AskSeed, AwaitClock, Housekeeping
from engine.kernel.refusal import Kind, Refusal
from tests.kit.duel import DUEL, Pick
from tests.kit.given import NOON
from tests.kit.table import Table, play

LINES = play(DUEL, 3, {}, 1).lines


def folded(lines: Any) -> History[Any, Any, Any, Any]:
    history = History(Match(DUEL), "m-1")
    for position, line in enumerate(lines, 10):
        history.accept(line, position)
    return history


def broken(lines: Any) -> int:
    with pytest.raises(BrokenLog) as caught:
        folded(lines)
    assert caught.value.match == "m-1"
    return caught.value.revision


def changed(line: bytes, **fields: Any) -> bytes:
    return encode_line(msgspec.structs.replace(msgspec.json.decode(line, type=Commit), **fields))


def table() -> Table:
    return Table(DUEL).open(3).settle()


# -- folding -----------------------------------------------------------------------------------------------------------


def test_a_history_knows_where_it_stands() -> None:
    history = folded(LINES)
    assert (history.revision, history.position) == (len(LINES), len(LINES) + 9)
    assert history.head == line_hash(LINES[-1])


@pytest.mark.parametrize("number", range(2, len(LINES)))
def test_a_flipped_byte_is_found_at_the_next_line_at_the_latest(number: int) -> None:
    """In silence the disk may flip what decodes; the chain still tells."""
    line = LINES[number - 1].replace(b"2025-", b"2024-", 1)
    assert broken([*LINES[: number - 1], line, *LINES[number:]]) == number + 1


def test_a_byte_that_spoils_the_form_is_found_at_once() -> None:
    assert broken([*LINES[:3], LINES[3][:-1], *LINES[4:]]) == 4


def test_a_missing_line_is_found() -> None:
    assert broken([*LINES[:3], *LINES[4:]]) == 4


def test_a_repeated_line_is_found() -> None:
    assert broken([*LINES[:3], *LINES[2:]]) == 4


def test_a_foreign_line_is_found() -> None:
    assert broken([*LINES[:3], play(DUEL, 3, {}, 2).lines[3]]) == 4
    assert broken(play(DUEL, 3, {}, 2).lines) == 1


def test_a_line_of_other_rules_is_found() -> None:
    assert broken([*LINES[:3], changed(LINES[3], rules="duel/2")]) == 4
    assert broken([changed(LINES[0], rules="just4fun/1")]) == 1


def test_an_event_of_an_unknown_type_is_found() -> None:
    alien = Recorded("duel.alien", 1, msgspec.Raw(b"{}"))
    assert broken([*LINES[:3], changed(LINES[3], events=(alien,))]) == 4


def test_a_match_is_opened_once_and_first() -> None:
    opening = msgspec.json.decode(LINES[0], type=Commit)
    assert broken([changed(LINES[0], events=())]) == 1
    assert broken([changed(LINES[1], revision=1, prev="0" * 64)]) == 1
    assert broken([*LINES[:3], changed(LINES[3], events=opening.events)]) == 4


def test_a_broken_line_changes_nothing() -> None:
    history = folded(LINES[:3])
    before = (history.revision, history.position, history.head, history.at, history.state)
    for line in (b"", LINES[2], LINES[4], changed(LINES[3], events=(Recorded("duel.alien", 1, msgspec.Raw(b"{}")),))):
        with pytest.raises(BrokenLog):
            history.accept(line, 99)
    assert (history.revision, history.position, history.head, history.at, history.state) == before


def test_what_was_never_opened_is_missing() -> None:
    with pytest.raises(Refusal) as caught:
        _ = History(Match(DUEL), "m-1").state
    assert caught.value.kind is Kind.MISSING


# -- many lines at once ------------------------------------------------------------------------------------------------


def stored(lines: Any) -> list[Stored]:
    return [Stored(position, line) for position, line in enumerate(lines, 10)]


def caught_up(lines: Any, *sizes: int, proposes: bool = True) -> History[Any, Any, Any, Any]:
    """In batches of these sizes, the last one of what is left."""
    history = History(Match(DUEL), "m-1", proposes=proposes)
    waiting = stored(lines)
    for size in (*sizes, len(waiting)):
        history.catch_up(waiting[:size])
        waiting = waiting[size:]
    return history


def where(history: History[Any, Any, Any, Any]) -> tuple[Any, ...]:
    stands = (history.revision, history.position, history.head, history.at, history.opened_at, history.changed_at)
    return (*stands, history.state if history.revision else None)


@pytest.mark.parametrize("size", range(len(LINES) + 1))
def test_lines_that_are_folded_together_give_what_they_give_one_by_one(size: int) -> None:
    assert where(caught_up(LINES, size)) == where(folded(LINES))
    assert where(caught_up(LINES[:size])) == where(folded(LINES[:size]))


DAMAGED: dict[str, Callable[[bytes], bytes]] = {
    "flipped": lambda line: line.replace(b"2025-", b"2024-", 1),
    "cut": lambda line: line[:-1],
    "repeated": lambda line: LINES[2],
    "foreign": lambda line: play(DUEL, 3, {}, 2).lines[3],
    "of other rules": lambda line: changed(line, rules="duel/2"),
    "of a revision that is not due": lambda line: changed(line, revision=5),
    "of no instant": lambda line: changed(line, at="2025-02-30T12:00:00.000000Z"),
    "of an unknown type": lambda line: changed(line, events=(Recorded("duel.alien", 1, msgspec.Raw(b"{}")),)),
    "of another version": lambda line: line.replace(b'"v":1', b'"v":2'),
    "that opens again": lambda line: changed(line, events=msgspec.json.decode(LINES[0], type=Commit).events),
    "with a space": lambda line: line.replace(b'"events":[', b'"events": ['),
    "with another field": lambda line: line.replace(b'"revision"', b'"more":1,"revision"'),
}


@pytest.mark.parametrize("what", DAMAGED)
def test_a_damaged_line_among_many_is_found_as_it_is_alone(what: str) -> None:
    """At the same line, for the same reason; and those before it have been taken in."""
    lines = [*LINES[:3], DAMAGED[what](LINES[3]), *LINES[4:]]
    one_by_one, together = folded(lines[:3]), History(Match(DUEL), "m-1")
    for each in stored(lines)[3:]:
        try:
            one_by_one.accept(each.line, each.position)
        except BrokenLog as error:
            alone = error
            break
    with pytest.raises(BrokenLog) as among_many:
        together.catch_up(stored(lines))
    assert str(among_many.value) == str(alone)
    assert where(together) == where(one_by_one)


def test_a_match_that_nothing_opens_is_found_among_many() -> None:
    for lines in ([changed(LINES[0], events=()), *LINES[1:]], [changed(LINES[1], revision=1, prev="0" * 64)]):
        history = History(Match(DUEL), "m-1")
        with pytest.raises(BrokenLog) as caught:
            history.catch_up(stored(lines))
        assert (caught.value.revision, history.revision) == (1, 0)


def test_a_line_that_is_spelled_otherwise_inside_an_event_is_taken_in_all_the_same() -> None:
    """What an event says stands as it was written; only the commit around it has one form."""
    first = msgspec.json.decode(LINES[3], type=Commit)
    spaced = tuple(
        msgspec.structs.replace(event, data=msgspec.Raw(bytes(event.data).replace(b",", b", ").replace(b":", b": ")))
        for event in first.events
    )
    lines = [*LINES[:3], changed(LINES[3], events=spaced)]
    assert lines[3] != LINES[3]
    assert where(caught_up(lines)) == where(folded(lines))


def test_repeats_are_recognised_behind_lines_that_were_folded_together() -> None:
    history = caught_up(LINES)
    for line in LINES:
        commit = msgspec.json.decode(line, type=Commit)
        assert history.propose(Request(commit.id, commit.actor, NOON, commit.command)) == Duplicate(commit.revision)


def test_who_only_reads_cannot_propose() -> None:
    """It keeps no ids, so it would take a repeat for a new command."""
    history = caught_up(LINES[:3], proposes=False)
    with pytest.raises(AssertionError, match="only reads"):
        history.propose(Request("new", "host", NOON, history.match.record_command(Leave(0))))
    with pytest.raises(AssertionError, match="only reads"):
        history.revision_of("host", "new")


# -- repeats -----------------------------------------------------------------------------------------------------------


def test_a_repeat_is_answered_with_the_revision_it_had() -> None:
    at = table()
    first = at.say("seat:0", Pick(1, False), "mine")
    assert isinstance(first, Commit)
    at.move(1, Pick(1, False))
    assert at.say("seat:0", Pick(1, False), "mine") == Duplicate(first.revision)


def test_a_repeat_is_recognised_after_the_end_and_after_a_restart() -> None:
    history = folded(LINES)
    for line in LINES:
        commit = msgspec.json.decode(line, type=Commit)
        assert history.propose(Request(commit.id, commit.actor, NOON, commit.command)) == Duplicate(commit.revision)


def test_a_repeat_may_be_spelled_otherwise() -> None:
    at = table()
    at.say("seat:0", Pick(1, False), "mine")
    spaced = Recorded("duel.pick", 1, msgspec.Raw(b'{ "bold": false, "number": 1 }'))
    assert isinstance(at.say("seat:0", spaced, "mine"), Duplicate)
    assert msgspec.json.decode(at.lines[-1], type=Commit).command.data == msgspec.Raw(b'{"number":1,"bold":false}')


def test_a_repeat_does_not_ask_for_the_revision_again() -> None:
    at = table()
    revision = at.history.revision
    at.say("seat:0", Pick(1, False), "mine", expected=revision)
    assert isinstance(at.say("seat:0", Pick(1, False), "mine", expected=revision), Duplicate)


def test_an_id_is_not_used_for_another_command() -> None:
    at = table()
    at.say("seat:0", Pick(1, False), "mine")
    with pytest.raises(Refusal, match="id_reused"):
        at.say("seat:0", Pick(2, False), "mine")


def test_the_same_id_of_another_actor_is_no_repeat() -> None:
    at = table()
    at.say("seat:0", Pick(1, False), "mine")
    assert isinstance(at.say("seat:1", Pick(1, False), "mine"), Commit)


def test_a_refused_command_leaves_its_id_free() -> None:
    at = table()
    with pytest.raises(Refusal):
        at.say("seat:0", Pick(7, False), "mine")
    assert isinstance(at.say("seat:0", Pick(1, False), "mine"), Commit)


# -- revisions ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("away", [-1, 1, 1000])
def test_a_command_for_another_revision_is_stale(away: int) -> None:
    at = table()
    with pytest.raises(Refusal) as caught:
        at.say("seat:0", Pick(1, False), expected=at.history.revision + away)
    assert (caught.value.code, caught.value.kind) == ("stale_revision", Kind.STALE)


def test_a_command_for_this_revision_is_taken() -> None:
    at = table()
    assert isinstance(at.say("seat:0", Pick(1, False), expected=at.history.revision), Commit)


def test_a_match_has_a_last_revision(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.kernel.history.COMMITS_MAX", 2)
    with pytest.raises(Refusal, match="match_too_long"):
        table().move(0, Pick(1, False))


def test_a_proposal_of_another_head_is_folded_like_any_line() -> None:
    at = table()
    request = Request("a", "seat:0", NOON, at.match.record_command(Pick(1, False)))
    proposal = at.history.propose(request)
    assert not isinstance(proposal, Duplicate)
    at.leave(2)
    with pytest.raises(BrokenLog):
        at.history.accept(proposal.line, 9, proposal)


# -- what the house owes -----------------------------------------------------------------------------------------------


def test_the_house_owes_luck_then_the_clock_then_the_seed_then_nothing() -> None:
    at = Table(DUEL).open(2, turn_ms=1000)
    steps = [Housekeeping().resume(at.history)]
    at.settle()
    steps.append(Housekeeping().resume(at.history))
    at.say("host", Leave(0))
    steps.append(Housekeeping().resume(at.history))
    at.close()
    assert [type(step) for step in steps] == [AskLuck, AwaitClock, AskSeed]
    assert [step.command_id for step in steps if step] == ["luck:charms/1", "clock:1", "luck:seed"]
    assert Housekeeping().resume(at.history) is None


def test_without_a_clock_the_house_waits_for_the_seats() -> None:
    assert Housekeeping().resume(table().history) is None
