"""One log of one thing, folded: what is true of a match, a tournament, and whatever else has a history.

Every reader goes through ``Ledger.accept``, so a missing, repeated, foreign or flipped line is found before it is
folded. Every writer goes through ``Ledger.propose``, so a repeated command is recognised in the thing's own commits,
for ever. What kind of thing it is, an ``Aggregate`` says: how its commands and events are decided and folded, and what
it is called in a sentence.
"""

from collections.abc import Sequence
from typing import Any, Final, Generic, Protocol, TypeVar

from engine.kernel.codec import Named, Recorded, Undecodable
from engine.kernel.commit import GENESIS, BadLine, Commit, decode_line, encode_line, line_hash
from engine.kernel.match import Request
from engine.kernel.ports import Position, Stored
from engine.kernel.reader import Line
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Instant, Revision, Value, instant_of, instant_text

RUN: Final = 1_000
"""Lines that are decoded before any of them is folded: in more, the first are out of the processor's memory again."""

S = TypeVar("S")
S_co = TypeVar("S_co", covariant=True)


class BrokenLog(Exception):
    """A line does not continue its thing. ``revision`` is the first one that cannot be trusted.

    ``match`` is the thing's id, as in a commit; ``noun`` says what it is.
    """

    def __init__(self, match: str, revision: Revision, reason: str, noun: str = "match") -> None:
        super().__init__(f"{noun} {match}, revision {revision}: {reason}")
        self.match = match
        self.revision = revision
        self.reason = reason
        self.noun = noun


class Duplicate(Value, frozen=True):
    """This command was accepted before, as ``revision``."""

    revision: Revision


class Proposal(Value, Generic[S], frozen=True):
    """A commit that has been decided and not yet appended."""

    commit: Commit
    line: bytes
    state: S


class Decided(Protocol[S_co]):
    """What came of a request: the command in its canonical stored form, the events of one commit, the state after."""

    @property
    def command(self) -> Recorded: ...
    @property
    def events(self) -> tuple[Recorded, ...]: ...
    @property
    def state(self) -> S_co: ...


class Aggregate(Protocol[S]):
    """A kind of thing that has a log: the matches of a game, tournaments. Stateless: one instance serves them all."""

    @property
    def noun(self) -> str:
        """``match``: the thing in a sentence."""
        ...

    @property
    def rules(self) -> str:
        """``<name>/<version>``, which every commit carries."""
        ...

    @property
    def commits_max(self) -> int:
        """The last revision there can be."""
        ...

    def command_of(self, recorded: Recorded) -> Named:
        """Raises ``Refusal`` for what is no command of this kind of thing."""
        ...

    def record_command(self, command: Any) -> Recorded:
        """The canonical stored form of what ``command_of`` gave."""
        ...

    def decide(self, state: S | None, request: Request) -> Decided[S]:
        """What a request makes happen; ``state`` is ``None`` before the first commit. Raises ``Refusal``."""
        ...

    def fold(self, state: S | None, events: tuple[Recorded, ...]) -> S:
        """The state after the events of one commit.

        Raises ``Undecodable`` for an event that is none of this kind, for a first commit that does not begin the thing
        and for one that begins it again.
        """
        ...

    def read(self, line: bytes) -> Line | None:
        """A line with its events, decoded in one pass; ``None`` for one that is not in the usual form."""
        ...

    def evolve(self, state: S | None, events: Sequence[Any]) -> S:
        """``fold`` for the events, decoded, of one commit or of many."""
        ...

    def unknown(self, identity: str) -> Refusal:
        """There is no such thing."""
        ...

    def too_long(self) -> Refusal:
        """It has ``commits_max`` commits already."""
        ...


class Ledger(Generic[S]):
    """One thing, folded to one revision. ``position`` is that of its last line: the next append's ``expected``.

    Who proposes nothing says ``proposes=False``: then no ids are kept, by which repeats would be recognised.
    """

    def __init__(self, aggregate: Aggregate[S], identity: str, *, proposes: bool = True) -> None:
        self.aggregate = aggregate
        self.identity = identity
        self.revision: Revision = 0
        self.position: Position = 0
        self.head = GENESIS
        self.opened_at = ""
        """``at`` of the first commit, as it stands there; empty before."""
        self.changed_at = ""
        """``at`` of the last commit, as it stands there; empty before."""
        self._state: S | None = None
        self._proposes = proposes
        self._seen: dict[tuple[str, str], tuple[Revision, int]] = {}

    @property
    def state(self) -> S:
        """Raises ``Refusal`` if there is no commit yet."""
        if self._state is None:
            raise self.aggregate.unknown(self.identity)
        return self._state

    @property
    def at(self) -> Instant:
        """Of the last commit; 0 before. Read from its text when asked: who folds a long log asks once."""
        return instant_of(self.changed_at) if self.changed_at else 0

    def revision_of(self, actor: str, command_id: str) -> Revision:
        """Of the commit that a command has become; 0 if it is none. For commands whose fields are made anew."""
        assert self._proposes, "who only reads cannot tell a repeat"
        return self._seen.get((actor, command_id), (0, 0))[0]

    def propose(self, request: Request, *, expected_revision: Revision = 0) -> Proposal[S] | Duplicate:
        """Decide a request on this revision. ``expected_revision`` 0 asks for no check. Raises ``Refusal``.

        Time never goes back: a request from before the last commit is stamped like that one.
        """
        assert self._proposes, "who only reads cannot tell a repeat"
        known = self._seen.get((request.actor, request.id))
        if known is not None:
            revision, fingerprint = known
            canonical = self.aggregate.record_command(self.aggregate.command_of(request.command))
            if fingerprint != hash(canonical):
                raise Refusal("id_reused", "This command id was used for another command.", Kind.INVALID)
            return Duplicate(revision)
        if expected_revision and expected_revision != self.revision:
            raise Refusal(
                "stale_revision",
                f"The {self.aggregate.noun} is at revision {self.revision}, not {expected_revision}.",
                Kind.STALE,
            )
        if self.revision >= self.aggregate.commits_max:
            raise self.aggregate.too_long()
        at = max(request.at, self.at)
        decided = self.aggregate.decide(self._state, Request(request.id, request.actor, at, request.command))
        commit = Commit(
            match=self.identity,
            revision=self.revision + 1,
            id=request.id,
            actor=request.actor,
            at=instant_text(at),
            rules=self.aggregate.rules,
            command=decided.command,
            events=decided.events,
            prev=self.head,
        )
        return Proposal(commit, encode_line(commit), decided.state)

    def accept(
        self, line: bytes, position: Position, proposal: Proposal[S] | None = None, *, decoded: Commit | None = None
    ) -> Commit:
        """Fold the next line. ``proposal`` saves folding what this process has just decided itself, ``decoded`` saves
        reading again what ``decode_line`` has just made of this very line.

        Raises ``BrokenLog`` if the line is not the next one of this thing; nothing has changed then.
        """
        if proposal is not None and line == proposal.line and proposal.commit.prev == self.head:
            commit, state = proposal.commit, proposal.state
        else:
            commit = self._check(line, decoded)
            try:
                state = self.aggregate.fold(self._state, commit.events)
            except Undecodable as error:
                raise self._broken(str(error)) from error
        self._state = state
        if self._proposes:
            self._remember(commit.actor, commit.id, commit.revision, commit.command)
        self.revision = commit.revision
        self.position = position
        self.head = line_hash(line)
        self.changed_at = commit.at
        self.opened_at = self.opened_at or commit.at
        return commit

    def catch_up(self, lines: Sequence[Stored]) -> None:
        """Take in the next lines, however many there are: the same as ``accept`` for each of them, in half the time.

        Every line is checked as it is there; what is saved is that nobody sees the states in between. Raises
        ``BrokenLog`` for the first line that is not the next one; those before it have been taken in.
        """
        for start in range(0, len(lines), RUN):
            run = lines[start : start + RUN]
            for stored in run[self._take_in(run) :]:
                self.accept(stored.line, stored.position)

    def _take_in(self, lines: Sequence[Stored]) -> int:
        """The lines up to the first that is not as usual: ``accept`` knows what to make of that one. How many."""
        read, rules, identity = self.aggregate.read, self.aggregate.rules, self.identity
        revision, head = self.revision, self.head
        taken: list[Line] = []
        for stored in lines:
            line = read(stored.line)
            if (
                line is None
                or line.prev != head
                or line.revision != revision + 1
                or line.match != identity
                or line.rules != rules
            ):
                break
            revision += 1
            head = line_hash(stored.line)
            taken.append(line)
        if not taken:
            return 0
        try:
            self._state = self.aggregate.evolve(self._state, [event.data for line in taken for event in line.events])
        except Exception:  # whatever it is that cannot be folded, ``accept`` finds the line that it stands in
            return 0
        if self._proposes:
            for line in taken:
                self._remember(line.actor, line.id, line.revision, line.command)
        self.revision, self.head, self.changed_at = revision, head, taken[-1].at
        self.opened_at = self.opened_at or taken[0].at
        self.position = lines[len(taken) - 1].position
        return len(taken)

    def _remember(self, actor: str, command_id: str, revision: Revision, command: Recorded) -> None:
        self._seen[actor, command_id] = (revision, hash(command))

    def _check(self, line: bytes, decoded: Commit | None) -> Commit:
        expected, rules = self.revision + 1, self.aggregate.rules
        try:
            commit = decoded or decode_line(line)
        except BadLine as error:
            raise self._broken(str(error)) from error
        if commit.match != self.identity:
            raise self._broken(f"the line belongs to {self.aggregate.noun} {commit.match}")
        if commit.revision != expected:
            raise self._broken(f"revision {commit.revision} stands where {expected} belongs")
        if commit.prev != self.head:
            raise self._broken("the chain is broken: prev is not the hash of the line before")
        if commit.rules != rules:
            raise self._broken(f"it was played by {commit.rules}, not {rules}")
        return commit

    def _broken(self, reason: str) -> BrokenLog:
        return BrokenLog(self.identity, self.revision + 1, reason, self.aggregate.noun)
