"""Whatever has a history keeps the same rules as a match; here it is a tally that people add to."""

from collections.abc import Sequence
from typing import Any, ClassVar

import msgspec
import pytest

from engine.kernel.codec import Codec, Named, Recorded, Undecodable
from engine.kernel.commit import GENESIS, Commit, encode_line, line_hash
from engine.kernel.ledger import BrokenLog, Duplicate, Ledger, Proposal
from engine.kernel.match import Request
from engine.kernel.ports import Stored
from engine.kernel.reader import LineReader
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Value
from tests.kit.given import NOON


class Add(Named, frozen=True):
    name: ClassVar[str] = "tally.add"
    number: int
    note: str = ""


class Begun(Named, frozen=True):
    name: ClassVar[str] = "tally.begun"


class Added(Named, frozen=True):
    name: ClassVar[str] = "tally.added"
    number: int


class Decided(Value, frozen=True):
    command: Recorded
    events: tuple[Recorded, ...]
    state: int


COMMANDS = Codec[Add](Add)
EVENTS = Codec[Begun | Added](Begun, Added)


class Tallies:
    """The aggregate of sums that never fall. They begin with their first number."""

    noun = "tally"
    rules = "tally/1"
    commits_max = 5
    read = staticmethod(LineReader(EVENTS).read)

    def command_of(self, recorded: Recorded) -> Add:
        try:
            return COMMANDS.decode(recorded)
        except Undecodable as error:
            raise Refusal("malformed_command", f"Not a command of a tally: {error}.", Kind.INVALID) from error

    def record_command(self, command: Add) -> Recorded:
        return COMMANDS.encode(command)

    def decide(self, state: int | None, request: Request) -> Decided:
        command = self.command_of(request.command)
        if command.number < 1:
            raise Refusal("too_little", "A number is at least 1.")
        events = (*(() if state is not None else (EVENTS.encode(Begun()),)), EVENTS.encode(Added(command.number)))
        return Decided(self.record_command(command), events, self.fold(state, events))

    def fold(self, state: int | None, events: tuple[Recorded, ...]) -> int:
        return self.evolve(state, [EVENTS.decode(recorded) for recorded in events])

    def evolve(self, state: int | None, events: Sequence[Any]) -> int:
        for happened in events:
            match happened:
                case Begun() if state is None:
                    state = 0
                case Added(number) if state is not None:
                    state += number
                case event:
                    raise Undecodable(f"{event.name} does not stand here")
        if state is None:
            raise Undecodable("the first commit begins no tally")
        return state

    def unknown(self, identity: str) -> Refusal:
        return Refusal("unknown_tally", f"There is no tally {identity}.", Kind.MISSING)

    def too_long(self) -> Refusal:
        return Refusal("tally_too_long", f"A tally has at most {self.commits_max} commits.")


def asked(number: int, *, id: str = "", actor: str = "ada", at: int = NOON) -> Request:
    return Request(id or f"add-{number}", actor, at, COMMANDS.encode(Add(number)))


def proposed(ledger: Ledger[int], request: Request) -> Proposal[int]:
    proposal = ledger.propose(request)
    assert isinstance(proposal, Proposal)
    return proposal


def said(ledger: Ledger[int], request: Request) -> Commit:
    proposal = proposed(ledger, request)
    return ledger.accept(proposal.line, ledger.position + 3, proposal)


def tally(*numbers: int) -> Ledger[int]:
    ledger = Ledger(Tallies(), "t-1")
    for number in numbers:
        said(ledger, asked(number))
    return ledger


def lines_of(*numbers: int) -> list[bytes]:
    ledger, lines = Ledger(Tallies(), "t-1"), []
    for number in numbers:
        proposal = proposed(ledger, asked(number))
        ledger.accept(proposal.line, 1)
        lines.append(proposal.line)
    return lines


def changed(line: bytes, **fields: Any) -> bytes:
    return encode_line(msgspec.structs.replace(msgspec.json.decode(line, type=Commit), **fields))


def test_a_commit_carries_the_thing_its_rules_and_the_chain() -> None:
    ledger = Ledger(Tallies(), "t-1")
    first = said(ledger, asked(4))
    assert (first.match, first.rules, first.revision, first.prev) == ("t-1", "tally/1", 1, GENESIS)
    assert [event.type for event in first.events] == ["tally.begun", "tally.added"]
    second = said(ledger, asked(5))
    assert (second.revision, second.prev) == (2, line_hash(encode_line(first)))
    assert (ledger.state, ledger.revision, ledger.position, ledger.opened_at) == (9, 2, 6, first.at)


def test_folding_the_lines_gives_what_deciding_gave() -> None:
    live, folded = tally(4, 5, 6), Ledger(Tallies(), "t-1")
    for line in lines_of(4, 5, 6):
        folded.accept(line, 1)
    assert (folded.state, folded.head, folded.at) == (15, live.head, live.at)


def test_before_the_first_commit_there_is_no_such_thing() -> None:
    with pytest.raises(Refusal) as caught:
        _ = tally().state
    assert (caught.value.code, caught.value.sentence) == ("unknown_tally", "There is no tally t-1.")


def test_a_repeat_is_the_revision_it_was_whatever_came_since_and_whoever_folds() -> None:
    ledger = Ledger(Tallies(), "t-1")
    for line in lines_of(4, 5, 6):
        ledger.accept(line, 1)
    assert ledger.propose(asked(4)) == Duplicate(1)
    assert ledger.propose(asked(6), expected_revision=1) == Duplicate(3)
    assert [ledger.revision_of("ada", f"add-{number}") for number in (4, 6, 7)] == [1, 3, 0]
    assert ledger.revision_of("bob", "add-4") == 0


def test_a_repeat_in_another_notation_is_a_repeat() -> None:
    loose = Recorded("tally.add", 1, msgspec.Raw(b'{ "note": "", "number": 4 }'))
    assert tally(4, 5).propose(Request("add-4", "ada", NOON, loose)) == Duplicate(1)


def test_an_id_is_one_actor_s_and_one_command_s() -> None:
    ledger = tally(4)
    with pytest.raises(Refusal, match="id_reused"):
        ledger.propose(asked(5, id="add-4"))
    assert said(ledger, asked(5, id="add-4", actor="bob")).revision == 2


def test_a_command_for_another_revision_is_stale() -> None:
    ledger = tally(4)
    with pytest.raises(Refusal) as caught:
        ledger.propose(asked(5), expected_revision=2)
    assert (caught.value.code, caught.value.kind) == ("stale_revision", Kind.STALE)
    assert caught.value.sentence == "The tally is at revision 1, not 2."
    assert isinstance(ledger.propose(asked(5), expected_revision=1), Proposal)


def test_a_thing_has_a_last_revision() -> None:
    with pytest.raises(Refusal, match="tally_too_long"):
        tally(1, 2, 3, 4, 5).propose(asked(6))


def test_what_is_refused_changes_nothing() -> None:
    ledger = tally(4)
    before = (ledger.revision, ledger.head, ledger.state)
    for request in (asked(-1), Request("x", "ada", NOON, Recorded("tally.sing", 1, msgspec.Raw(b"{}")))):
        with pytest.raises(Refusal):
            ledger.propose(request)
    assert (ledger.revision, ledger.head, ledger.state) == before


def test_time_never_goes_back() -> None:
    ledger = tally(4)
    assert said(ledger, asked(5, at=NOON - 1_000_000)).at == ledger.opened_at


def test_a_proposal_of_another_head_is_folded_like_any_line() -> None:
    ledger = tally(4)
    late = proposed(ledger, asked(5))
    said(ledger, asked(6))
    with pytest.raises(BrokenLog):
        ledger.accept(late.line, 9, late)


ONE, TWO, THREE = lines_of(4, 5, 6)
BEGUN_AGAIN = changed(TWO, events=(EVENTS.encode(Begun()),))


@pytest.mark.parametrize(
    ("lines", "revision", "reason"),
    [
        ([TWO], 1, "revision 2 stands where 1 belongs"),
        ([ONE, THREE], 2, "revision 3 stands where 2 belongs"),
        ([ONE, ONE], 2, "revision 1 stands where 2 belongs"),
        ([changed(ONE, match="t-2")], 1, "the line belongs to tally t-2"),
        ([changed(ONE, rules="tally/2")], 1, "it was played by tally/2, not tally/1"),
        ([changed(ONE, actor="eve"), TWO], 2, "the chain is broken: prev is not the hash of the line before"),
        ([changed(ONE, events=())], 1, "the first commit begins no tally"),
        ([ONE, BEGUN_AGAIN], 2, "tally.begun does not stand here"),
        ([changed(ONE, events=(Recorded("tally.lost", 1, msgspec.Raw(b"{}")),))], 1, "'tally.lost' is no known type"),
        ([ONE + b" "], 1, "the line is a commit, but not in its one canonical form"),
    ],
)
def test_a_line_that_does_not_continue_its_thing_is_not_folded(lines: list[bytes], revision: int, reason: str) -> None:
    ledger = Ledger(Tallies(), "t-1")
    for line in lines[:-1]:
        ledger.accept(line, 1)
    before = (ledger.revision, ledger.head, ledger.at)
    with pytest.raises(BrokenLog) as caught:
        ledger.accept(lines[-1], 2)
    assert (caught.value.match, caught.value.revision, caught.value.reason) == ("t-1", revision, reason)
    assert str(caught.value) == f"tally t-1, revision {revision}: {reason}"
    assert (ledger.revision, ledger.head, ledger.at) == before


def test_lines_that_come_together_are_taken_in_up_to_the_first_that_is_not_the_next_one() -> None:
    lines = lines_of(1, 2, 3, 4)
    together, one_by_one = Ledger(Tallies(), "t-1"), Ledger(Tallies(), "t-1")
    together.catch_up([Stored(at, line) for at, line in enumerate(lines, 1)])
    for at, line in enumerate(lines, 1):
        one_by_one.accept(line, at)
    assert vars(together) | {"aggregate": None} == vars(one_by_one) | {"aggregate": None}

    broken = Ledger(Tallies(), "t-1")
    with pytest.raises(BrokenLog) as error:
        broken.catch_up([Stored(at, line) for at, line in enumerate([*lines[:2], lines[3]], 1)])
    assert (error.value.revision, broken.revision, broken.position, broken.state) == (3, 2, 2, 3)
