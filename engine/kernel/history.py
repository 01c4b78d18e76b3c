"""One match's log, folded: the only mutable thing of the kernel, and the place where the chain is checked.

Every reader of the log goes through ``History.accept``, so a missing, repeated, foreign or flipped line is found
before it is folded. Every writer goes through ``History.propose``, so a repeated command is recognised in the match's
own commits, for ever.
"""

from typing import Any, Generic, TypeAlias

from engine.kernel.codec import Undecodable
from engine.kernel.commit import GENESIS, BadLine, Commit, decode_line, encode_line, line_hash
from engine.kernel.game import C, E, O, Pending, S
from engine.kernel.limits import COMMITS_MAX
from engine.kernel.match import Match, MatchState, Request
from engine.kernel.official import MatchOpened
from engine.kernel.ports import Position
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Revision, Value, instant_of, instant_text


class BrokenLog(Exception):
    """A line does not continue its match. ``revision`` is the first one that cannot be trusted."""

    def __init__(self, match: str, revision: Revision, reason: str) -> None:
        super().__init__(f"match {match}, revision {revision}: {reason}")
        self.match = match
        self.revision = revision
        self.reason = reason


class Duplicate(Value, frozen=True):
    """This command was accepted before, as ``revision``."""

    revision: Revision


class Proposal(Value, Generic[S], frozen=True):
    """A commit that has been decided and not yet appended."""

    commit: Commit
    line: bytes
    state: MatchState[S]


class History(Generic[O, S, C, E]):
    """The folded match at one revision. ``position`` is that of its last line: the next append's ``expected``."""

    def __init__(self, match: Match[O, S, C, E], match_id: str) -> None:
        self.match = match
        self.match_id = match_id
        self.revision: Revision = 0
        self.position: Position = 0
        self.head = GENESIS
        self.at = 0
        self.opened_at = ""
        self._state: MatchState[S] | None = None
        self._seen: dict[tuple[str, str], tuple[Revision, int]] = {}

    @property
    def state(self) -> MatchState[S]:
        """Raises ``Refusal`` if the match has never been opened."""
        if self._state is None:
            raise Refusal("unknown_match", f"There is no match {self.match_id}.", Kind.MISSING)
        return self._state

    @property
    def pending(self) -> Pending:
        return self.match.pending(self.state)

    def propose(self, request: Request, *, expected_revision: Revision = 0) -> Proposal[S] | Duplicate:
        """Decide a request on this revision. ``expected_revision`` 0 asks for no check. Raises ``Refusal``."""
        known = self._seen.get((request.actor, request.id))
        if known is not None:
            revision, fingerprint = known
            canonical = self.match.record_command(self.match.command_of(request.command))
            if fingerprint != hash(canonical):
                raise Refusal("id_reused", "This command id was used for another command.", Kind.INVALID)
            return Duplicate(revision)
        if expected_revision and expected_revision != self.revision:
            raise Refusal(
                "stale_revision", f"The match is at revision {self.revision}, not {expected_revision}.", Kind.STALE
            )
        if self.revision >= COMMITS_MAX:
            raise Refusal("match_too_long", f"A match has at most {COMMITS_MAX} commits.")
        at = max(request.at, self.at)
        decision = self.match.decide(self._state, Request(request.id, request.actor, at, request.command))
        commit = Commit(
            match=self.match_id,
            revision=self.revision + 1,
            id=request.id,
            actor=request.actor,
            at=instant_text(at),
            rules=self.match.game.rules,
            command=decision.command,
            events=decision.events,
            prev=self.head,
        )
        return Proposal(commit, encode_line(commit), decision.state)

    def accept(self, line: bytes, position: Position, proposal: Proposal[S] | None = None) -> Commit:
        """Fold the next line. ``proposal`` saves folding what this process has just decided itself.

        Raises ``BrokenLog`` if the line is not the next one of this match.
        """
        if proposal is not None and line == proposal.line and proposal.commit.prev == self.head:
            commit, state = proposal.commit, proposal.state
        else:
            commit = self._check(line)
            state = self._fold(commit)
        self._state = state
        self._seen[commit.actor, commit.id] = (commit.revision, hash(commit.command))
        self.revision = commit.revision
        self.position = position
        self.head = line_hash(line)
        self.at = instant_of(commit.at)
        self.opened_at = self.opened_at or commit.at
        return commit

    def _check(self, line: bytes) -> Commit:
        expected = self.revision + 1
        try:
            commit = decode_line(line)
        except BadLine as error:
            raise BrokenLog(self.match_id, expected, str(error)) from error
        if commit.match != self.match_id:
            raise BrokenLog(self.match_id, expected, f"the line belongs to match {commit.match}")
        if commit.revision != expected:
            raise BrokenLog(self.match_id, expected, f"revision {commit.revision} stands where {expected} belongs")
        if commit.prev != self.head:
            raise BrokenLog(self.match_id, expected, "the chain is broken: prev is not the hash of the line before")
        if commit.rules != self.match.game.rules:
            raise BrokenLog(self.match_id, expected, f"it was played by {commit.rules}, not {self.match.game.rules}")
        return commit

    def _fold(self, commit: Commit) -> MatchState[S]:
        state = self._state
        try:
            for recorded in commit.events:
                event = self.match.event_of(recorded)
                if (state is None) != isinstance(event, MatchOpened):
                    raise BrokenLog(self.match_id, commit.revision, "a match is opened once, by its first event")
                state = self.match.evolve(state, event)
        except Undecodable as error:
            raise BrokenLog(self.match_id, commit.revision, str(error)) from error
        if state is None:
            raise BrokenLog(self.match_id, commit.revision, "the first commit opens no match")
        return state


AnyHistory: TypeAlias = History[Any, Any, Any, Any]
