"""The archive of an event is checked without a house: what holds is counted, what was altered is named."""

from pathlib import Path

import msgspec
import pytest

from cli.tournament.archive import report_text
from cli.tournament.audit import verify_round, verify_tournament
from engine.kernel.commit import decode_line, encode_line, line_hash
from engine.kernel.refusal import Refusal
from engine.luck.seed_chain import follows
from engine.luck.verifier import VerificationFailed
from engine.tournament import commands as c
from tests.cli.errors import says_no
from tests.cli.events import InMemory
from tests.cli.here import here

PLAYERS = 11
"""Not a multiple of a table: three tables, one of them short."""


@pytest.fixture(scope="module")
def played() -> InMemory:
    event = InMemory()
    event.play(PLAYERS)
    return event


def refused(lines: list[bytes]) -> VerificationFailed:
    with pytest.raises(VerificationFailed) as caught:
        verify_tournament(lines)
    return caught.value


def altered(line: bytes, before: bytes, after: bytes) -> bytes:
    assert before in line
    return line.replace(before, after, 1)


def chained(lines: list[bytes], start: int) -> list[bytes]:
    """A forger's work: the chain is made anew over altered lines."""
    made = lines[:start]
    for line in lines[start:]:
        made.append(encode_line(msgspec.structs.replace(decode_line(line), prev=line_hash(made[-1]))))
    return made


def line_of(event: InMemory, command: str) -> int:
    """Where the first commit of such a command stands, from 0."""
    return next(at for at, line in enumerate(event.lines) if decode_line(line).command.type == f"tournament.{command}")


def test_a_whole_event_holds_and_is_counted(played: InMemory) -> None:
    report = verify_tournament(played.lines)
    assert (report.tournament, report.name, report.phase) == ("ev", "In memory", "finished")
    assert (report.commits, report.drafts, report.rounds) == (len(played.lines), 3, 3)
    assert (report.tables, report.results, report.entrants) == (3 + 3 + 1, 7, PLAYERS)
    assert (report.finished, report.round, report.round_phase) == (True, 3, "closed")
    assert report.root_hash == line_hash(played.lines[-1])
    assert sorted(entry for group in report.final for entry in group) == list(range(1, PLAYERS + 1))


def test_the_beginning_of_an_event_holds_too(played: InMemory) -> None:
    report = verify_tournament(played.lines[: line_of(played, "draft_round")])
    assert (report.phase, report.drafts, report.final) == ("ready", 0, ())
    assert (report.finished, report.round, report.round_phase) == (False, 0, "")


@pytest.mark.parametrize(
    ("before", "told"),
    [
        ("open_registration", "the registration has not been opened; the event is not finished"),
        ("register", "the registration is open; the event is not finished"),
        ("draft_round", "no round is published; the event is not finished"),
        ("start_round", "round 1 is published; the event is not finished"),
        ("report_result", "round 1 is running; the event is not finished"),
        ("make_cut", "round 2 is closed; the event is not finished"),
    ],
)
def test_a_log_that_was_cut_off_holds_and_says_where_it_ends(played: InMemory, before: str, told: str) -> None:
    text = report_text(verify_tournament(played.lines[: line_of(played, before)]))
    assert text.startswith("holds as far as it goes: ")
    assert text.endswith(f"; {told}")


@pytest.mark.parametrize("command", ["register", "draft_round", "report_result", "make_cut"])
def test_a_changed_byte_is_named(played: InMemory, command: str) -> None:
    at = line_of(played, command)
    lines = list(played.lines)
    lines[at] = altered(lines[at], b'"reason":""', b'"reason":"x"')
    failure = refused(lines)
    assert (failure.line_number, failure.code) == (at + 1, "chain_broken")


def test_an_altered_time_is_named_by_the_line_behind_it(played: InMemory) -> None:
    lines = list(played.lines)
    lines[3] = altered(lines[3], b"1970-01-01T00:00:04.000000Z", b"1970-01-01T00:00:04.000001Z")
    failure = refused(lines)
    assert (failure.line_number, failure.code) == (4, "chain_broken")


def test_other_pods_are_found_though_the_chain_was_made_anew(played: InMemory) -> None:
    at = line_of(played, "draft_round")
    lines = list(played.lines)
    event = decode_line(lines[at]).events[0]
    pods = msgspec.json.decode(event.data)["pods"]
    forged = bytes(event.data).replace(
        msgspec.json.encode(pods[0]), msgspec.json.encode([pods[0][0], pods[0][1][::-1]]), 1
    )
    commit = decode_line(lines[at])
    lines[at] = encode_line(
        msgspec.structs.replace(commit, events=(msgspec.structs.replace(event, data=msgspec.Raw(forged)),))
    )
    failure = refused(chained(lines, at + 1))
    assert (failure.line_number, failure.code) == (at + 1, "decided_otherwise")
    assert "the first other byte is" in failure.sentence


def test_another_seed_than_was_promised_is_found(played: InMemory) -> None:
    at = line_of(played, "draft_round")
    lines = list(played.lines)
    seed = decode_line(lines[at]).command.data
    text = msgspec.json.decode(seed)["seed"].encode()
    lines[at] = lines[at].replace(text, b"ab" * 32)
    failure = refused(chained(lines, at + 1))
    assert (failure.line_number, failure.code) == (at + 1, "seed_differs")


@pytest.mark.parametrize(
    ("change", "line", "code"),
    [
        (lambda lines: [*lines[:5], *lines[6:]], 6, "revision_gap"),
        (lambda lines: [*lines[:5], b"{}", *lines[5:]], 6, "not_a_commit"),
        (lambda lines: [*lines[:-1], lines[-1] + b" "], None, "not_a_commit"),
        (lambda lines: [], 1, "empty"),
        (lambda lines: [line.replace(b'"match":"ev"', b'"match":"e2"') if n == 4 else line
                        for n, line in enumerate(lines)], 5, "foreign_match"),
    ],
)  # fmt: skip
def test_what_is_missing_or_put_in_is_named(played: InMemory, change: object, line: int | None, code: str) -> None:
    assert callable(change)
    failure = refused(change(list(played.lines)))
    assert failure.code == code
    assert failure.line_number == (line or len(played.lines))


def test_a_published_round_is_drawn_again_with_its_edits() -> None:
    event = InMemory()
    event.enter(9)

    def edit() -> None:
        pods = event.ledger.state.draft.pods if event.ledger.state.draft else ()
        event.do(c.SwapInDraft((pods[0].entries[0], pods[1].entries[0]), "brothers"))

    event.draft()
    event.do(c.DiscardDraft("too soon"))
    event.play_round(edit)
    event.play_round()
    first, second = verify_round(event.lines, 1), verify_round(event.lines, 2)
    assert (first.drafts, first.edits, second.drafts, second.edits) == (2, 1, 1, 0)
    assert first.engine == "pods/1"
    assert follows(first.seed_before, first.seed)
    assert follows(second.seed_before, second.seed)
    assert second.seed_before == first.seed
    assert first.pods == tuple((table.number, table.entries) for table in event.ledger.state.rounds[0].tables)
    with pytest.raises(Refusal, match="no published round 3"):
        verify_round(event.lines, 3)


def test_the_command_needs_no_house(played: InMemory, tmp_path: Path) -> None:
    file = tmp_path / "ev.jsonl"
    file.write_bytes(b"".join(line + b"\n" for line in played.lines))
    ran = here("tournament", "verify", file)
    assert ran.code == 0, ran.err
    assert f"holds: {len(played.lines)} commits chained and decided again, 3 drafts drawn again" in ran.out
    assert ran.out.endswith("; the event is finished\n")
    document = here("tournament", "verify", file, "--json").document
    assert (document["holds"], document["finished"], document["drafts"], document["results"]) == (True, True, 3, 7)


def test_the_command_says_which_line_does_not_hold(played: InMemory, tmp_path: Path) -> None:
    file = tmp_path / "ev.jsonl"
    lines = list(played.lines)
    lines[2] = lines[2].replace(b'"p3"', b'"p9"', 1)
    file.write_bytes(b"".join(line + b"\n" for line in lines))
    sentence = says_no(here("tournament", "verify", file), "refused")
    assert sentence.startswith(f"{file}, line 3: ")
    document = here("tournament", "verify", file, "--json")
    assert (document.code, '"line": 3' in document.out) == (1, True)
