"""All events, folded: what the log has in one ordered pass, and each new line as it comes by.

Every replica holds all of them: an event is small beside its matches, and whoever asks for one is answered from memory.
A command goes: fold what the log has → decide → append behind the last known line → (conflict: read, decide again) →
answer. Lines of others come in by following the log, or, where somebody asks sooner, by reading it.
"""

import asyncio
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import aclosing, contextmanager
from copy import copy

import msgspec
import structlog

from engine.kernel.codec import Recorded
from engine.kernel.ledger import BrokenLog, Duplicate, Ledger, Proposal
from engine.kernel.match import Request
from engine.kernel.ports import Clock, Conflict, Log, Position, Stored, Unavailable
from engine.kernel.refusal import Refusal
from engine.kernel.value import Revision, check_id
from engine.tournament.aggregate import tournament_ledger
from engine.tournament.commands import COMMANDS, Command, DraftRound, Finish, MakeCut, SeatArena, SwapInDraft
from engine.tournament.events import EVENTS, RoundClosed, RoundDrafted
from engine.tournament.state import Standing, Tournament
from services.kit.locks import Locks
from services.kit.pulse import Latest
from services.kit.telemetry import COMMITS, CONFLICTS, DAMAGED

KIND = "tournament"
"""What every event is in its family of the log, where a match has the key of its game."""

CONFLICTS_MAX = 32
"""Times one command is decided again because others were first."""

DEAR = {each.name for each in (DraftRound, SwapInDraft, MakeCut, Finish, SeatArena)}
"""Commands that are decided beside the event loop: with 12,000 entrants each takes half a second or more."""

NOTED = re.compile(rb'"tournament\.round_(?:drafted|closed)"')
"""In every line after or before which the state is kept: what was published then, what a draft was made from."""

logger = structlog.get_logger()


class Receipt(msgspec.Struct, frozen=True):
    """A command is a fact: the revision of its commit, and whether it had been one before this request."""

    revision: Revision
    duplicate: bool
    states: tuple[Tournament, Tournament] | None = None
    """The event before and after; ``None`` for a repeat, and for a creation."""


class Published(msgspec.Struct, frozen=True):
    """An event as it was when a round was closed for the first time: what people were shown then."""

    revision: Revision
    state: Tournament


class Kept:
    """One event as far as this host knows it. States share what has not changed, so old ones cost little."""

    def __init__(self, tournament_id: str) -> None:
        self.ledger = tournament_ledger(tournament_id)
        self.positions: list[Position] = []
        """Of each commit."""
        self.published: dict[int, Published] = {}
        """By the number of the round."""
        self.drafted_from: dict[int, Tournament] = {}
        """By the number of the round: what its newest draft was made from."""
        self.drafted_at: Revision = 0
        """Of the first line of the draft that is open; 0 without one. What comes after is not public."""
        self.broken: BrokenLog | None = None
        self._counted: tuple[Revision, int] = (0, 0)

    @property
    def id(self) -> str:
        return self.ledger.identity

    @property
    def state(self) -> Tournament:
        """Raises ``Refusal`` for an event that is none, and ``BrokenLog`` for one whose log is damaged."""
        if self.broken is not None:
            raise self.broken
        return self.ledger.state

    @property
    def entrants_in(self) -> int:
        """How many take part. Counted once a revision: thousands of readers may be told of it."""
        if self._counted[0] != self.ledger.revision:
            count = sum(each.standing is Standing.IN for each in self.state.entrants)
            self._counted = (self.ledger.revision, count)
        return self._counted[1]

    def accept(self, stored: Stored, proposal: Proposal[Tournament] | None = None) -> bool:
        """Fold a line; whether it is a new one. Raises ``BrokenLog``, and from then on always."""
        if stored.position <= self.ledger.position:
            return False
        with self._unless_broken():
            self._fold(stored, proposal)
        return True

    def catch_up(self, lines: Sequence[Stored]) -> None:
        """``accept`` for each of many lines. Between lines of which nothing is noted nobody sees a state, so these are
        folded together: the results of a round of thousands in a tenth of a second.
        """
        run: list[Stored] = []
        for stored in lines:
            if stored.position <= self.ledger.position:
                continue
            if self.drafted_at or NOTED.search(stored.line):
                self._take_run(run)
                run = []
                self.accept(stored)
            else:
                run.append(stored)
        self._take_run(run)

    def _take_run(self, run: list[Stored]) -> None:
        if not run:
            return
        before = self.ledger.revision
        with self._unless_broken():
            try:
                self.ledger.catch_up(run)
            finally:
                self.positions += [stored.position for stored in run[: self.ledger.revision - before]]

    @contextmanager
    def _unless_broken(self) -> Iterator[None]:
        if self.broken is not None:
            raise self.broken
        try:
            yield
        except BrokenLog as error:
            self.broken = error
            raise
        except Exception as error:
            # A line that holds and cannot be folded (a table of a round that is not there, rules that were changed
            # under a log) is the trouble of one event. The others, and the next start, must not end over it.
            revision = self.ledger.revision + 1
            self.broken = BrokenLog(self.id, revision, f"it cannot be folded ({type(error).__name__})", "tournament")
            raise self.broken from error

    def _fold(self, stored: Stored, proposal: Proposal[Tournament] | None) -> None:
        before = self.ledger.state if self.ledger.revision else None
        commit = self.ledger.accept(stored.line, stored.position, proposal)
        self.positions.append(stored.position)
        for recorded in commit.events:
            self._note(recorded, before)
        if self.ledger.state.draft is None:
            self.drafted_at = 0

    def _note(self, recorded: Recorded, before: Tournament | None) -> None:
        if recorded.type == RoundDrafted.name:
            assert before is not None
            self.drafted_at = self.ledger.revision
            self.drafted_from[before.next_round] = before
        elif recorded.type == RoundClosed.name:
            closed = EVENTS.decode(recorded)
            assert isinstance(closed, RoundClosed)
            self.published.setdefault(closed.round, Published(self.ledger.revision, self.ledger.state))


class Ledgers:
    """The events of one log. ``changed`` tells whoever watches; ``listeners`` are called after every change, and once
    for lines that come together.
    """

    def __init__(self, log: Log, clock: Clock) -> None:
        self._log = log
        self._clock = clock
        self._kept: dict[str, Kept] = {}
        self._locks = Locks()
        self._read: list[Position] = [0] * log.partitions
        self.changed: Latest[str, Kept] = Latest()
        self.listeners: list[Callable[[Kept], None]] = []

    # -- following -------------------------------------------------------------------------------------------------

    async def prepare(self) -> None:
        """Before ``run``: the whole past, in one pass a partition. Raises ``Unavailable``."""
        for partition in range(self._log.partitions):
            end = (await self._log.bounds(partition)).last
            if not end:
                continue
            async with aclosing(self._log.follow(partition, after=0)) as past:
                async for batch in past:
                    self._take_all(partition, batch)
                    if self._read[partition] >= end:
                        break

    async def run(self) -> None:
        """Follow the log for ever."""
        await asyncio.gather(*(self._follow(partition) for partition in range(self._log.partitions)))

    async def _follow(self, partition: int) -> None:
        async with aclosing(self._log.follow(partition, after=self._read[partition])) as news:
            async for batch in news:
                self._take_all(partition, batch)

    @property
    def taken(self) -> Sequence[Position]:
        """How far the log has been taken in, by partition."""
        return self._read

    def _take_all(self, partition: int, batch: Sequence[Stored]) -> None:
        of_each: dict[str, list[Stored]] = {}
        for stored in batch:
            try:
                of_each.setdefault(_identities.decode(stored.line).match, []).append(stored)
            except (msgspec.MsgspecError, ValueError):
                logger.error("bad_line", position=stored.position)
        for identity, lines in of_each.items():
            self._take(identity, lines)
        if batch:
            self._read[partition] = batch[-1].position

    def _take(self, identity: str, lines: Sequence[Stored]) -> None:
        """Lines of one event. A damaged one is told once, and does not stop the others."""
        known = self._kept.get(identity)
        if known is not None and known.broken is not None:
            return
        try:
            self._catch_up(identity, lines)
        except BrokenLog as error:
            DAMAGED.labels("tournament").inc()
            logger.error("damaged_tournament", tournament=identity, revision=error.revision, reason=error.reason)

    # -- reading ---------------------------------------------------------------------------------------------------

    def all(self) -> list[Kept]:
        """The events that can be read, the newest first."""
        sound = [kept for kept in self._kept.values() if kept.broken is None]
        return sorted(sound, key=lambda kept: (kept.ledger.opened_at, kept.id), reverse=True)

    def known(self, tournament_id: str) -> Kept:
        """The event as it is known here; at revision 0 if it is not. Free, and perhaps behind others."""
        return self._kept.get(tournament_id) or Kept(tournament_id)

    async def fresh(self, tournament_id: str) -> Kept:
        """The event with all that anybody has been told of before.

        Raises ``Refusal`` (``unknown_tournament``), ``BrokenLog``, ``Unavailable``.
        """
        check_id("tournament id", tournament_id)
        await self._refresh(tournament_id)
        kept = self.known(tournament_id)
        assert kept.state is not None
        return kept

    async def line(self, kept: Kept, revision: Revision) -> bytes:
        """The line of one revision, byte for byte."""
        after = kept.positions[revision - 2] if revision > 1 else 0
        [stored] = await self._log.read(kept.id, after=after, limit=1)
        return stored.line

    async def around(
        self, kept: Kept, revisions: Collection[Revision]
    ) -> dict[Revision, tuple[Tournament, Tournament]]:
        """The event before and after each of these revisions, folded anew in one pass."""
        ledger = tournament_ledger(kept.id)
        lines = await self._log.read(kept.id, after=0, limit=max(revisions))

        def fold() -> dict[Revision, tuple[Tournament, Tournament]]:
            found = {}
            for revision in sorted(revisions):
                ledger.catch_up(lines[ledger.revision : revision - 1])
                before = ledger.state if revision > 1 else None
                ledger.accept(lines[revision - 1].line, lines[revision - 1].position)
                if before is not None:
                    found[revision] = before, ledger.state
            return found

        return await asyncio.to_thread(fold)

    async def lines(self, kept: Kept, until: Revision, *, after: Revision = 0) -> list[bytes]:
        """The lines behind one revision, up to and with another, byte for byte."""
        behind = kept.positions[after - 1] if after else 0
        return [stored.line for stored in await self._log.read(kept.id, after=behind, limit=until - after)]

    # -- writing ---------------------------------------------------------------------------------------------------

    async def commit(
        self, tournament_id: str, command_id: str, actor: str, command: Command | Recorded, expected: Revision = 0
    ) -> Receipt:
        """Decide and append. ``expected`` 0 asks for no check of the revision.

        Raises ``Refusal``, ``BrokenLog``, ``Unavailable``; a repeat of the id is harmless for ever.
        """
        recorded = command if isinstance(command, Recorded) else COMMANDS.encode(command)
        async with self._locks.of(tournament_id):
            fresh = False
            for _ in range(CONFLICTS_MAX):
                kept = self.known(tournament_id)
                if kept.broken is not None:
                    raise kept.broken
                ledger = copy(kept.ledger)  # lines of others may come in while this one is being decided
                request = Request(command_id, actor, self._clock.now(), recorded)
                try:
                    proposal = await _proposed(ledger, request, expected)
                except Refusal:
                    # What is known here may be old: nobody is refused before the log has been asked.
                    if fresh or not await self._refresh(tournament_id):
                        raise
                    fresh = True
                    continue
                if isinstance(proposal, Duplicate):
                    return Receipt(proposal.revision, duplicate=True)
                try:
                    appended = await self._log.append(KIND, tournament_id, proposal.line, expected=ledger.position)
                except Conflict:
                    CONFLICTS.labels(KIND).inc()
                    await self._refresh(tournament_id)
                    fresh = True
                    continue
                self._accept(tournament_id, Stored(appended.position, proposal.line), proposal)
                COMMITS.labels(KIND).inc()
                states = (ledger.state, proposal.state) if ledger.revision else None
                return Receipt(proposal.commit.revision, duplicate=False, states=states)
        raise Unavailable("tournament_busy", "Too many others changed the event at once; send the same command again.")

    async def _refresh(self, tournament_id: str) -> bool:
        """Fold what others have appended; whether there was anything."""
        news = await self._log.read(tournament_id, after=self.known(tournament_id).ledger.position)
        if news:
            self._catch_up(tournament_id, news)
        return bool(news)

    def _accept(self, tournament_id: str, stored: Stored, proposal: Proposal[Tournament]) -> None:
        kept = self._of(tournament_id)
        if kept.accept(stored, proposal):
            self._tell(kept)

    def _catch_up(self, tournament_id: str, lines: Sequence[Stored]) -> None:
        """Raises ``BrokenLog``; what comes before that line has been taken in, and told."""
        kept = self._of(tournament_id)
        before = kept.ledger.revision
        try:
            kept.catch_up(lines)
        finally:
            if kept.ledger.revision > before:
                self._tell(kept)

    def _of(self, tournament_id: str) -> Kept:
        kept = self._kept.get(tournament_id)
        if kept is None:
            kept = self._kept[tournament_id] = Kept(tournament_id)
        return kept

    def _tell(self, kept: Kept) -> None:
        self.changed.put(kept.id, kept)
        for listener in self.listeners:
            listener(kept)


async def _proposed(
    ledger: Ledger[Tournament], request: Request, expected: Revision
) -> Proposal[Tournament] | Duplicate:
    """What goes through all of thousands takes seconds: it is made beside the event loop."""
    if request.command.type in DEAR:
        return await asyncio.to_thread(ledger.propose, request, expected_revision=expected)
    return ledger.propose(request, expected_revision=expected)


class _Identity(msgspec.Struct, frozen=True):
    match: str


_identities = msgspec.json.Decoder(_Identity)
