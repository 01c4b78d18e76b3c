"""Checks the archive of an event from its lines alone: no house, no key, no trust in whoever archived it.

Line by line: it is one commit in canonical JSON, it belongs here, it names the hash of the line before, and the rules,
asked again at the same instant, make the very same bytes. A draft is decided like all else: its seed must be the one
behind the seed before, back to the promise of the first line, and its pods, byes and quality must come out again. So
that one comparison of bytes is the whole check; the rest of this file finds out what to say when it fails.

What nothing inside the archive can show is that a result is what the players did; each result that was read from a
match names it, and ``tavolata verify`` checks that match.
"""

from collections.abc import Iterable
from typing import Final

from engine.kernel.commit import BadLine, Commit, decode_line, line_hash
from engine.kernel.ledger import Duplicate, Ledger
from engine.kernel.match import Request
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Value, clip, instant_of
from engine.luck.verifier import VerificationFailed
from engine.tournament.aggregate import tournament_ledger
from engine.tournament.commands import DraftRound
from engine.tournament.decider import RULES
from engine.tournament.drafting import PLAN, draft_round
from engine.tournament.events import EVENTS, DraftEdited, RoundDrafted, RoundPublished
from engine.tournament.limits import COMMITS_MAX
from engine.tournament.played import Entry
from engine.tournament.state import Phase, RoundPhase, TablePhase, Tournament

NEAR_DIGITS: Final = 32
"""Equal hex digits of two unlike hashes are 4 of 64; with 32, one is an edit of the other."""


class TournamentReport(Value, frozen=True):
    """An archive that holds. Every commit was decided again; of these, ``drafts`` drew their round again."""

    tournament: str
    name: str
    phase: str
    finished: bool
    """Whether the log goes to the end of the event. A log that was cut off behind any line holds as well, up to there;
    so whoever has one that is not finished asks for the rest.
    """
    round: int
    """The newest that is published, cancelled ones left out; 0 before the first."""
    round_phase: str
    """``published``, ``running`` or ``closed``; empty before the first round."""
    commits: int
    drafts: int
    rounds: int
    tables: int
    results: int
    entrants: int
    root_hash: str
    """The hash of the last line, which stands for all of them."""
    final: tuple[tuple[Entry, ...], ...]
    """The final order, the best first, equals together; empty while the event is not finished."""


class RoundReport(Value, frozen=True):
    """A published round that was drawn again from the log before it."""

    round: int
    engine: str
    seed: str
    seed_before: str
    """What the hash of ``seed`` is: the seed of the draft before, or the promise of the first line."""
    drafts: int
    """How many drafts of this round there were; the last one was published."""
    edits: int
    """Changes that an organiser has made in it; each is a command of the log with its reason."""
    pods: tuple[tuple[int, tuple[Entry, ...]], ...]
    """Table and entries in seat order, as published."""
    byes: tuple[Entry, ...]
    repeats: int
    repeats_bound: int
    spread: str
    spread_bound: str
    searched: bool
    """Whether the pairing engine chose the pods; else the plan of the format did."""


def verify_tournament(lines: Iterable[bytes]) -> TournamentReport:
    """Raises ``VerificationFailed`` naming the first line that does not hold."""
    ledger, commits = _folded(_read(lines))
    state = ledger.state
    counted = [each for each in state.rounds if each.phase is not RoundPhase.CANCELLED]
    tables = [table for each in counted for table in each.tables]
    return TournamentReport(
        tournament=state.id,
        name=state.config.name,
        phase=state.phase.value,
        finished=state.phase is Phase.FINISHED,
        round=counted[-1].number if counted else 0,
        round_phase=counted[-1].phase.value if counted else "",
        commits=ledger.revision,
        drafts=sum(commit.command.type == DraftRound.name for commit in commits),
        rounds=len(counted),
        tables=len(tables),
        results=sum(table.phase is TablePhase.DONE for table in tables),
        entrants=len(state.entrants),
        root_hash=ledger.head,
        final=state.final,
    )


def final_state(lines: Iterable[bytes]) -> Tournament:
    """The event as it stands at the end of its lines. Raises ``VerificationFailed``."""
    ledger, _ = _folded(_read(lines))
    return ledger.state


def verify_round(lines: Iterable[bytes], number: int) -> RoundReport:
    """Draw one published round again. Raises ``VerificationFailed``, and ``Refusal`` for a round that is not there."""
    read = _read(lines)
    _folded(read)  # the whole archive first: a round in a log that does not hold proves nothing
    ledger = tournament_ledger(read[0][1].match)
    drafts = edits = 0
    drafted: RoundDrafted | None = None
    before = ""
    for line_number, (line, commit) in enumerate(read, 1):
        for recorded in commit.events:
            if recorded.type == RoundDrafted.name and ledger.state.next_round == number:
                before = ledger.state.last_seed or ledger.state.commitment
                drafted = _drawn_again(ledger.state, commit, line_number)
                drafts, edits = drafts + 1, 0
            elif recorded.type == DraftEdited.name:
                edits += 1
            elif recorded.type == RoundPublished.name and ledger.state.next_round == number:
                assert drafted is not None
                return _round_report(ledger.state, drafted, before, drafts, edits)
        ledger.accept(line, line_number)
    raise _no_round(number)


def _no_round(number: int) -> Refusal:
    return Refusal("unknown_round", f"The log has no published round {number}.", Kind.MISSING)


def _drawn_again(state: Tournament, commit: Commit, line_number: int) -> RoundDrafted:
    """The draft that follows from the state and the seed; the very events of the commit, or it does not hold."""
    stored = next(event for event in map(EVENTS.decode, commit.events) if isinstance(event, RoundDrafted))
    again = draft_round(state, stored.seed)
    if again != stored:
        raise VerificationFailed(line_number, "decided_otherwise", "The seed draws another round from this field.")
    return again


def _round_report(state: Tournament, drawn: RoundDrafted, before: str, drafts: int, edits: int) -> RoundReport:
    published = state.draft
    assert published is not None
    quality = published.quality
    return RoundReport(
        round=drawn.round,
        engine=drawn.engine,
        seed=drawn.seed,
        seed_before=before,
        drafts=drafts,
        edits=edits,
        pods=tuple((pod.table, pod.entries) for pod in published.pods),
        byes=published.byes,
        repeats=quality.repeats,
        repeats_bound=quality.repeats_bound,
        spread=quality.spread,
        spread_bound=quality.spread_bound,
        searched=drawn.engine != PLAN,
    )


# -- line by line ------------------------------------------------------------------------------------------------------


def _read(lines: Iterable[bytes]) -> list[tuple[bytes, Commit]]:
    """Lines with their commits. Raises ``VerificationFailed`` for what is none."""
    found: list[tuple[bytes, Commit]] = []
    for number, given in enumerate(lines, 1):
        if number > COMMITS_MAX:
            raise VerificationFailed(number, "too_long", f"An event has at most {COMMITS_MAX} commits.")
        line = given.removesuffix(b"\n")
        try:
            found.append((line, decode_line(line)))
        except BadLine as error:
            raise VerificationFailed(number, "not_a_commit", f"{error}.") from error
    if not found:
        raise VerificationFailed(1, "empty", "There is no commit.")
    return found


def _folded(read: list[tuple[bytes, Commit]]) -> tuple[Ledger[Tournament], list[Commit]]:
    """Every line decided again. Raises ``VerificationFailed``."""
    ledger = tournament_ledger(read[0][1].match)
    for number, (line, commit) in enumerate(read, 1):
        _check_place(read, number, ledger)
        if instant_of(commit.at) < ledger.at:
            raise VerificationFailed(number, "time_runs_backwards", "The line is older than the line before it.")
        try:
            proposal = ledger.propose(Request(commit.id, commit.actor, instant_of(commit.at), commit.command))
        except Refusal as refusal:
            code = "seed_differs" if refusal.code == "seed_differs" else "refused"
            raise VerificationFailed(number, code, f"The rules refuse it: {refusal.sentence}") from refusal
        if isinstance(proposal, Duplicate):
            sentence = f"The command id {clip(commit.id, 64)} was used by line {proposal.revision}."
            raise VerificationFailed(number, "id_reused", sentence)
        if proposal.line != line:
            byte = next((at for at, (a, b) in enumerate(zip(line, proposal.line, strict=False)) if a != b), len(line))
            sentence = f"The rules make other events of this command; the first other byte is {byte + 1}."
            raise VerificationFailed(number, "decided_otherwise", sentence)
        ledger.accept(line, number, proposal)
    return ledger, [commit for _, commit in read]


def _check_place(read: list[tuple[bytes, Commit]], number: int, ledger: Ledger[Tournament]) -> None:
    commit = read[number - 1][1]
    if commit.match != ledger.identity:
        sentence = f"The line is of {clip(commit.match, 64)}, not {clip(ledger.identity, 64)}."
        raise VerificationFailed(number, "foreign_match", sentence)
    if commit.rules != RULES:
        raise VerificationFailed(number, "unknown_rules", f"The line was written by {clip(commit.rules)}, not {RULES}.")
    if commit.revision != number:
        raise VerificationFailed(number, "revision_gap", f"Revision {commit.revision} stands where {number} belongs.")
    if commit.prev != ledger.head:
        suspect = _suspect(read, number, ledger.head)
        raise VerificationFailed(
            suspect,
            "chain_broken",
            f"Line {number} does not name the hash of the line before it: line {suspect} was altered.",
        )


def _suspect(read: list[tuple[bytes, Commit]], number: int, before: str) -> int:
    """Which of two lines was altered when the one with this number does not follow the one before."""
    line, commit = read[number - 1]
    if number == 1:
        return 1
    if number < len(read):
        return number - 1 if read[number][1].prev == line_hash(line) else number
    near = sum(map(str.__eq__, commit.prev, before)) >= NEAR_DIGITS
    return number if near else number - 1
