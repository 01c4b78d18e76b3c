"""Would this build have written the same? One stored match or event, replayed and sorted.

same         every line is decided again to the very same bytes, and the luck of a complete match is drawn again
migratable   not the same bytes, but the same events: what is stored has older versions, upcasters lead from them to
             those of today, and the rules decide the very events that they lead to
differs      the rules decide other events, refuse what they once took, or draw other luck
unreadable   it cannot be replayed: no commit, a broken chain, rules or types that this build does not have

A build has one version of the rules of each game (``game_of_rules``), and a match is bound to the one it began with;
so a match of another version is unreadable, until a build can find two versions of a game.
"""

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Any, Final, Protocol, TypeAlias

import msgspec

from cli.tournament.audit import verify_tournament
from engine.games import game_of_rules
from engine.kernel.codec import Named, Recorded, Undecodable
from engine.kernel.commit import GENESIS, BadLine, Commit, decode_line, line_hash
from engine.kernel.game import AnyGame
from engine.kernel.ledger import Decided
from engine.kernel.match import Match, Request
from engine.kernel.official import MatchOpened, ResolveLuck, SeedRevealed
from engine.kernel.refusal import Refusal
from engine.kernel.value import Revision, Value, instant_of
from engine.luck import seeds
from engine.luck.algorithm import outcome
from engine.luck.verifier import VerificationFailed, verify
from engine.tournament.aggregate import TournamentAggregate
from engine.tournament.decider import RULES as TOURNAMENT
from engine.tournament.events import EVENTS

OTHERWISE: Final = frozenset({"decided_otherwise", "refused", "bad_id"})
"""Codes of the verifiers that say: not the bytes that this build makes. It may be the same events all the same."""

OTHER_LUCK: Final = frozenset({"luck_differs", "seed_differs"})

GameOfRules: TypeAlias = Callable[[str], AnyGame]


class Sort(StrEnum):
    SAME = "same"
    MIGRATABLE = "migratable"
    DIFFERS = "differs"
    UNREADABLE = "unreadable"


class Verdict(Value, frozen=True, omit_defaults=True):
    """``revision`` is the first line that is not the same, ``what`` says how. No value of an event stands in it: the
    hands of running matches are in these files.
    """

    sort: Sort
    rules: str = ""
    revision: Revision = 0
    what: str = ""


class _Rules(Protocol):
    """What replaying asks of a kind of thing."""

    def decide(self, state: Any, request: Request) -> Decided[Any]: ...
    def event_of(self, recorded: Recorded) -> Named: ...


class _Tournaments(TournamentAggregate):
    def event_of(self, recorded: Recorded) -> Named:
        return EVENTS.decode(recorded)


class _Unlike(Exception):
    """The verdict on a thing that is not the same."""

    def __init__(self, sort: Sort, revision: Revision, what: str) -> None:
        super().__init__(what)
        self.sort = sort
        self.revision = revision
        self.what = what


def sort_lines(lines: Sequence[bytes], games: GameOfRules = game_of_rules) -> Verdict:
    """The verdict on the lines of one match or event, from the first."""
    try:
        rules = decode_line(lines[0]).rules
    except BadLine as error:
        return Verdict(Sort.UNREADABLE, revision=1, what=f"{error}.")
    failure = _verified(lines, rules, games)
    if failure is None:
        return Verdict(Sort.SAME, rules)
    if failure.code in OTHER_LUCK:
        return Verdict(Sort.DIFFERS, rules, failure.line_number, failure.sentence)
    if failure.code not in OTHERWISE:
        return Verdict(Sort.UNREADABLE, rules, failure.line_number, failure.sentence)
    try:
        _replay(lines, _Tournaments() if rules == TOURNAMENT else Match(games(rules)))
    except _Unlike as unlike:
        return Verdict(unlike.sort, rules, unlike.revision, unlike.what)
    return Verdict(Sort.MIGRATABLE, rules, failure.line_number, "The same events, stored in an older version.")


def _verified(lines: Sequence[bytes], rules: str, games: GameOfRules) -> VerificationFailed | None:
    """Why it is not the same; ``None`` if it is. A match that was still running is, as far as it goes."""
    try:
        if rules == TOURNAMENT:
            verify_tournament(lines)
        else:
            verify(lines, games)
    except VerificationFailed as failure:
        return None if failure.code == "unfinished" else failure
    return None


def _replay(lines: Sequence[bytes], rules: _Rules) -> None:
    """Decide every command again, and compare events by their values of today. Raises ``_Unlike``."""
    state: Any = None
    head = GENESIS
    luck = _Luck()
    for revision, line in enumerate(lines, 1):
        commit = _commit(line, revision, head)
        try:
            stored = [rules.event_of(recorded) for recorded in commit.events]
        except Undecodable as error:
            raise _Unlike(Sort.UNREADABLE, revision, f"{error}.") from error
        try:
            decided = rules.decide(state, Request(commit.id, commit.actor, instant_of(commit.at), commit.command))
        except Refusal as refusal:
            raise _Unlike(Sort.DIFFERS, revision, f"The rules refuse it: {refusal.sentence}") from refusal
        _compare(revision, stored, [rules.event_of(recorded) for recorded in decided.events])
        luck.take(revision, decided.command, stored)
        state, head = decided.state, line_hash(line)


def _commit(line: bytes, revision: Revision, head: str) -> Commit:
    try:
        commit = decode_line(line)
    except BadLine as error:
        raise _Unlike(Sort.UNREADABLE, revision, f"{error}.") from error
    if (commit.revision, commit.prev) != (revision, head):
        raise _Unlike(Sort.UNREADABLE, revision, "The line does not follow the one before it.")
    return commit


def _compare(revision: Revision, stored: Sequence[Named], decided: Sequence[Named]) -> None:
    """Raises ``_Unlike``, naming the first event and the fields of it that differ."""
    names, now = [event.name for event in stored], [event.name for event in decided]
    if names != now:
        what = f"It holds {', '.join(names) or 'nothing'}; the rules make {', '.join(now) or 'nothing'} of it."
        raise _Unlike(Sort.DIFFERS, revision, what)
    for before, after in zip(stored, decided, strict=True):
        fields = [each for each in before.__struct_fields__ if getattr(before, each) != getattr(after, each)]
        if fields:
            raise _Unlike(Sort.DIFFERS, revision, f"The rules make another {before.name}: {', '.join(fields)}.")


class _Luck:
    """The draws of a match, and whether its seed gives them when it is revealed."""

    def __init__(self) -> None:
        self._opened: MatchOpened | None = None
        self._drawn: list[tuple[Revision, ResolveLuck]] = []

    def take(self, revision: Revision, command: Recorded, events: Sequence[Named]) -> None:
        if command.type == ResolveLuck.name:
            self._drawn.append((revision, msgspec.json.decode(command.data, type=ResolveLuck)))
        for event in events:
            if isinstance(event, MatchOpened):
                self._opened = event
            elif isinstance(event, SeedRevealed):
                self._check(bytes.fromhex(event.seed))

    def _check(self, seed: bytes) -> None:
        assert self._opened is not None
        mixed = seeds.mixed_seed(seed, [bytes.fromhex(nonce) for nonce in self._opened.nonces])
        for revision, drawn in self._drawn:
            if outcome(mixed, drawn.draw_id, drawn.spec.asked) != drawn.outcome:
                raise _Unlike(Sort.DIFFERS, revision, f"The seed gives another outcome of {drawn.draw_id}.")
