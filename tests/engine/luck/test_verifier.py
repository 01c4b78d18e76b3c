"""The verifier believes nobody and names the first bad line.

Every test takes the export of one honest match, does to it what a forger or a bad disk would do, and says which line
must be named. ``chained`` is the careful forger, who mends the hashes of all the lines after his own.
"""

import random
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest

from engine.kernel.commit import Commit, encode_line, line_hash
from engine.kernel.game import AnyGame
from engine.kernel.refusal import Kind, Refusal
from engine.luck.verifier import Report, VerificationFailed, verify
from tests.kit.duel import DUEL
from tests.kit.forgery import chained
from tests.kit.table import Played, play

PLAYED: Played = play(DUEL, 3, {"rounds": 4}, 5, leavers=1, sleepers=True)
LINES = PLAYED.lines
LAST = len(LINES)
FOREIGN = play(DUEL, 3, {}, 6).lines


def games(rules: str) -> AnyGame:
    if rules != "duel/1":
        raise Refusal("unknown_rules", f"The rules {rules} are not here.", Kind.MISSING)
    return DUEL


def failure(lines: Sequence[bytes]) -> VerificationFailed:
    with pytest.raises(VerificationFailed) as caught:
        verify(lines, games)
    assert caught.value.sentence.endswith(".")
    return caught.value


def fails(lines: Sequence[bytes]) -> tuple[int, str]:
    error = failure(lines)
    return error.line_number, error.code


def commit_of(line: bytes) -> Commit:
    return msgspec.json.decode(line, type=Commit)


def edited(number: int, **changes: Any) -> list[bytes]:
    """The export with one line changed; the others keep their bytes."""
    lines = list(LINES)
    lines[number - 1] = encode_line(msgspec.structs.replace(commit_of(lines[number - 1]), **changes))
    return lines


def line_of(kind: str) -> int:
    """The number of the first line with such a command."""
    return next(number for number, commit in enumerate(PLAYED.commits, 1) if commit.command.type == kind)


def replaced(number: int, old: bytes, new: bytes) -> list[bytes]:
    lines = list(LINES)
    assert old in lines[number - 1]
    lines[number - 1] = lines[number - 1].replace(old, new)
    return lines


# -- what holds --------------------------------------------------------------------------------------------------------


def test_an_honest_export_is_reported() -> None:
    report = verify(LINES, games)
    draws = sum(commit.actor == "luck" for commit in PLAYED.commits) - 1
    ended = PLAYED.states[-1].ended
    assert ended is not None
    assert report == Report("m-5", "duel", 3, LAST, draws, LAST - draws - 1, line_hash(LINES[-1]), ended.ranks)


def test_lines_may_end_in_a_line_feed_and_come_one_by_one() -> None:
    assert verify((line + b"\n" for line in LINES), games) == verify(LINES, games)


def test_the_nonces_of_the_seats_are_mixed_in() -> None:
    assert any(PLAYED.states[0].opened.nonces), "this match would not show it"


# -- one line altered --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", range(1, LAST + 1))
def test_every_flipped_byte_is_named_where_it_stands(number: int) -> None:
    """The ``at`` of the last line is the one place that nothing in the file vouches for."""
    line = LINES[number - 1]
    at = line.index(b'"at":')
    for place in random.Random(number).sample(range(len(line)), 60):
        if number == LAST and at <= place < at + 35:
            continue
        flipped = list(LINES)
        flipped[number - 1] = line[:place] + bytes([line[place] ^ (1 << (place % 7))]) + line[place + 1 :]
        assert failure(flipped).line_number == number, (place, flipped[number - 1])


EDITS: dict[str, Any] = {
    "match": "m-6",
    "revision": 77,
    "actor": "seat:9",
    "at": "2031-01-01T00:00:00.000000Z",
    "rules": "duel/2",
    "prev": "ab" * 32,
    "id": "another",
}


@pytest.mark.parametrize("field", EDITS)
@pytest.mark.parametrize("number", range(1, LAST))
def test_an_edited_field_is_named_where_it_stands(field: str, number: int) -> None:
    assert failure(edited(number, **{field: EDITS[field]})).line_number == number


def test_an_edited_time_in_the_past_is_named_where_it_stands() -> None:
    assert fails(edited(4, at="2001-01-01T00:00:00.000000Z")) == (4, "time_runs_backwards")


def test_a_commit_in_another_spelling_is_no_commit() -> None:
    spaced = [line.replace(b",", b", ", 1) if number == 2 else line for number, line in enumerate(LINES)]
    assert fails(spaced) == (3, "not_a_commit")


def test_events_without_their_last_one_are_decided_otherwise() -> None:
    number = line_of("tavolata.open_match")
    assert fails(chained(edited(number, events=()))) == (number, "decided_otherwise")


def test_a_move_under_another_name_is_decided_otherwise() -> None:
    number = line_of("duel.pick")
    other = "seat:0" if commit_of(LINES[number - 1]).actor != "seat:0" else "seat:1"
    assert failure(chained(edited(number, actor=other))).line_number == number


def test_a_card_exchanged_in_command_and_event_is_not_what_the_seed_gives() -> None:
    number = line_of("luck.resolve")
    line = commit_of(LINES[number - 1])
    cards = msgspec.json.decode(line.command.data)["outcome"]
    spare = next(card for card in range(1, 10) if card not in cards)
    old = f"[{','.join(map(str, cards))}]".encode()
    new = f"[{','.join(map(str, [spare, *cards[1:]]))}]".encode()
    assert fails(chained(replaced(number, old, new))) == (number, "luck_differs")


def test_luck_is_spoken_by_luck_alone() -> None:
    number = line_of("luck.resolve")
    assert fails(chained(edited(number, actor="host"))) == (number, "refused")


def test_a_false_seed_is_named_where_it_is_revealed() -> None:
    seed = PLAYED.states[-1].seed.encode()
    assert fails(replaced(LAST, seed, b"00" * 32)) == (LAST, "seed_differs")


def test_a_false_promise_is_named_where_it_was_given() -> None:
    promise = PLAYED.states[0].opened.commitment.encode()
    assert failure(replaced(1, promise, b"00" * 32)).line_number == 1


def test_a_nonce_exchanged_is_named_where_it_was_given() -> None:
    nonce = next(filter(None, PLAYED.states[0].opened.nonces)).encode()
    assert failure(replaced(1, nonce, b"00" * 8)).line_number == 1


def test_a_nonce_exchanged_with_care_gives_other_luck() -> None:
    nonce = next(filter(None, PLAYED.states[0].opened.nonces)).encode()
    assert fails(chained(replaced(1, nonce, b"00" * 8))) == (line_of("luck.resolve"), "luck_differs")


def test_unknown_rules_are_named() -> None:
    assert fails(edited(1, rules="duel/9")) == (1, "unknown_rules")


# -- lines gone, moved, added ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", range(1, LAST))
def test_a_deleted_line_is_named_by_the_one_that_stands_there_now(number: int) -> None:
    assert fails([*LINES[: number - 1], *LINES[number:]]) == (number, "revision_gap")


@pytest.mark.parametrize("number", range(1, LAST))
def test_swapped_lines_are_named_by_the_first(number: int) -> None:
    lines = list(LINES)
    lines[number - 1], lines[number] = lines[number], lines[number - 1]
    assert fails(lines) == (number, "revision_gap")


@pytest.mark.parametrize("number", range(1, LAST + 1))
def test_a_repeated_line_is_named_where_it_is_repeated(number: int) -> None:
    lines = [*LINES[:number], LINES[number - 1], *LINES[number:]]
    assert failure(lines).line_number == number + 1


@pytest.mark.parametrize("number", range(1, LAST + 1))
def test_a_line_of_another_match_is_foreign(number: int) -> None:
    lines = list(LINES)
    lines[number - 1] = FOREIGN[number - 1] if number < len(FOREIGN) else FOREIGN[-1]
    assert fails(lines) == (number, "foreign_match")


def test_a_foreign_line_made_to_fit_is_still_named() -> None:
    number = line_of("duel.pick")
    lines = list(LINES)
    lines[number - 1] = encode_line(
        msgspec.structs.replace(
            commit_of(FOREIGN[2]), match="m-5", revision=number, prev=commit_of(LINES[number - 1]).prev
        )
    )
    assert failure(lines).line_number == number


def test_a_forged_move_put_in_between_is_named() -> None:
    number = line_of("duel.pick")
    forged = encode_line(msgspec.structs.replace(commit_of(LINES[number - 1]), id="forged"))
    assert failure([*LINES[: number - 1], forged, *LINES[number - 1 :]]).line_number == number
    assert failure([*LINES[:number], forged, *LINES[number:]]).line_number == number + 1


def test_nothing_comes_after_the_end() -> None:
    more = msgspec.structs.replace(commit_of(LINES[-1]), revision=LAST + 1, id="more", prev=line_hash(LINES[-1]))
    assert fails([*LINES, encode_line(more)]) == (LAST + 1, "after_the_end")


def test_a_command_id_is_used_once() -> None:
    moves = [number for number, commit in enumerate(PLAYED.commits, 1) if commit.command.type == "duel.pick"]
    first, second = next(
        (a, b) for a in moves for b in moves if a < b and commit_of(LINES[a - 1]).actor == commit_of(LINES[b - 1]).actor
    )
    forged = chained(edited(second, id=commit_of(LINES[first - 1]).id))
    assert fails(forged) == (second, "id_reused")


def test_the_ids_of_the_house_follow_from_the_match() -> None:
    number = line_of("luck.resolve")
    assert fails(chained(edited(number, id="mine"))) == (number, "bad_id")


# -- files cut short or mistreated -------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", range(1, LAST))
def test_a_match_cut_between_lines_is_unfinished(count: int) -> None:
    assert fails(LINES[:count]) == (count, "unfinished")


@pytest.mark.parametrize("count", range(1, LAST + 1))
def test_a_line_cut_short_is_no_commit(count: int) -> None:
    cut = LINES[count - 1]
    for length in (1, len(cut) // 2, len(cut) - 1):
        assert fails([*LINES[: count - 1], cut[:length]]) == (count, "not_a_commit")


MISTREATED: dict[str, Callable[[bytes], bytes]] = {
    "crlf": lambda line: line + b"\r\n",
    "blank": lambda line: b"\n",
    "spaces": lambda line: b"   ",
    "empty": lambda line: b"",
    "two feeds": lambda line: line + b"\n\n",
    "bom": lambda line: b"\xef\xbb\xbf" + line,
    "utf16": lambda line: line.decode().encode("utf-16"),
    "nul": lambda line: line + b"\x00",
    "deep": lambda line: b"[" * 100_000,
    "json": lambda line: b"{}",
    "long": lambda line: line + b" " * 300_000,
    "bad utf8": lambda line: line.replace(b"m-5", b"m-\xff", 1),
    "key twice": lambda line: line.replace(b'{"match"', b'{"match":"m-5","match"', 1),
    "key more": lambda line: line.replace(b'{"match"', b'{"more":1,"match"', 1),
}


@pytest.mark.parametrize("how", MISTREATED)
@pytest.mark.parametrize("number", [1, 4, LAST])
def test_a_mistreated_line_is_no_commit(how: str, number: int) -> None:
    lines = list(LINES)
    lines[number - 1] = MISTREATED[how](lines[number - 1])
    assert fails(lines) == (number, "not_a_commit")


def test_no_lines_are_no_match() -> None:
    assert fails([]) == (1, "empty")


def test_a_blank_last_line_is_named() -> None:
    assert fails([*LINES, b"\n"]) == (LAST + 1, "not_a_commit")
