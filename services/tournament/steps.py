"""How each step of the director is carried out. All of it may be done again, by anybody, at any time.

What a step asks of a match has an id that follows from the event (``vacate-2``, ``hold-1``), so the match recognises a
repeat for ever. What it tells the event, it tells as the house, under ids that no caller can use.
"""

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import assert_never

import structlog

from engine.kernel.commit import HOUSE
from engine.kernel.official import CallTime as CallTimeInMatch
from engine.kernel.official import Directing, Leave, Pause, Resume
from engine.kernel.ports import Clock, Log
from engine.kernel.refusal import Refusal
from engine.kernel.value import Seat
from engine.tournament.commands import CallTime, CloseArena, Command, MarkNoShow, ReportResult, SeatArena
from engine.tournament.director import (
    AbandonMatch,
    AwaitResult,
    CallTimeAt,
    ExpectPlayers,
    HoldMatch,
    HurryMatch,
    LookAtArena,
    OpenTable,
    Step,
    VacateSeats,
)
from engine.tournament.state import RoundPhase, RoundState, TablePhase, TableState
from services.tournament.closings import Closings
from services.tournament.ledgers import Ledgers
from services.tournament.matches import Outcome, entries_of, missing_from, outcome_of, seated_of
from services.tournament.openings import Openings
from services.tournament.venue import Venue

CALLS_AT_ONCE = 16
"""Running calls to the rules service of one game: one that hangs keeps no other waiting."""

READS_AT_ONCE = 16
"""Matches that are read at the same time: a host that starts on thousands must not ask the log for all at once."""

TRIES_MAX = 5
"""Times that a result is put together again because a no-show was marked meanwhile."""

VACATED = "the table plays without this seat"
"""The reason that stands in a match whose seats the event has taken out."""

logger = structlog.get_logger()


class Rest:
    """Whether a step is only waiting now: it may be called off then, and not in the middle of a call."""

    def __init__(self) -> None:
        self.resting = False

    @contextmanager
    def rest(self) -> Iterator[None]:
        self.resting = True
        try:
            yield
        finally:
            self.resting = False


class Steps:
    """``carry_out`` returns when a step is done. Raises ``Refusal``, ``Unavailable``, ``Failed``, ``BrokenLog``."""

    def __init__(self, ledgers: Ledgers, matches: Log, closings: Closings, venue: Venue, clock: Clock) -> None:
        self._ledgers = ledgers
        self._matches = matches
        self._closings = closings
        self._venue = venue
        self._clock = clock
        self._began = clock.now()
        self._openings = Openings(ledgers)
        self._calls: dict[str, asyncio.Semaphore] = {}
        self._reads = asyncio.Semaphore(READS_AT_ONCE)

    async def close(self) -> None:
        await self._openings.close()

    async def carry_out(self, tournament_id: str, step: Step, rest: Rest) -> None:
        match step:
            case OpenTable():
                config = self._ledgers.known(tournament_id).state.config
                async with self._call(step.game):
                    await self._venue.open(step, config)
                if self._is_expected(tournament_id, step):
                    self._openings.add(tournament_id, step)
                else:  # what left the match when its table was called off has come too early, and found none
                    await self._vacate(step.match, step.game, range(len(step.players)))
            case AwaitResult():
                await self._await_result(tournament_id, step, rest)
            case VacateSeats(match_id, game, seats):
                await self._vacate(match_id, game, seats)
            case AbandonMatch(opening):
                await self._abandon(tournament_id, opening)
            case HoldMatch(match_id, game, pause, held):
                # Also before it goes on: a pause that is still under way must not come after.
                await self._direct(game, match_id, f"hold-{pause}", Pause())
                if not held:
                    await self._direct(game, match_id, f"go-on-{pause}", Resume())
            case HurryMatch(match_id, game, extended_ms):
                await self._direct(game, match_id, f"hurry-{extended_ms}", CallTimeInMatch())
            case CallTimeAt(at, round_number, tables):
                await self._sleep_until(at, rest)
                attempt = self._attempt(tournament_id, round_number, tables[0])
                command_id = f"time:{round_number}:{tables[0]}:{attempt}:{at}"
                await self._tell(tournament_id, command_id, CallTime(round_number, tables))
            case LookAtArena():
                await self._look_at_arena(tournament_id, step, rest)
            case ExpectPlayers():
                await self._expect_players(tournament_id, step, rest)
            case _:
                assert_never(step)

    # -- in the match ----------------------------------------------------------------------------------------------

    async def _vacate(self, match_id: str, game: str, seats: Iterable[Seat]) -> None:
        for seat in seats:
            await self._direct(game, match_id, f"vacate-{seat}", Leave(seat, VACATED))

    async def _abandon(self, tournament_id: str, opening: OpenTable) -> None:
        try:
            async with self._call(opening.game):
                await self._venue.open(opening, self._ledgers.known(tournament_id).state.config)
        except Refusal as refusal:
            if refusal.code != "match_exists":  # opened when others sat there
                raise
        await self._vacate(opening.match, opening.game, range(len(opening.players)))

    async def _direct(self, game: str, match_id: str, command_id: str, command: Directing) -> None:
        """A match that refuses has ended, was never opened, or is as it should be already."""
        try:
            async with self._call(game):
                await self._venue.direct(game, match_id, command_id, command)
        except Refusal as refusal:
            if refusal.code == "unknown_game":
                raise
            logger.debug("not_directed", match=match_id, command=command_id, reason=refusal.code)

    def _call(self, game: str) -> asyncio.Semaphore:
        return self._calls.setdefault(game, asyncio.Semaphore(CALLS_AT_ONCE))

    # -- from the match to the event -------------------------------------------------------------------------------

    async def _await_result(self, tournament_id: str, step: AwaitResult, rest: Rest) -> None:
        closed = await self._closings.wait_for(step.match)
        try:
            while (outcome := await self._outcome(step.match)) is None:
                with rest.rest():
                    await closed.wait()
                closed.clear()
        finally:
            self._closings.leave(step.match, closed)
        await self._report(tournament_id, step, outcome)

    async def _outcome(self, match_id: str) -> Outcome | None:
        async with self._reads:
            return await outcome_of(self._matches, match_id)

    async def _report(self, tournament_id: str, step: AwaitResult, outcome: Outcome) -> None:
        tries = 0
        while (table := self._open_table(tournament_id, step.round, step.table)) is not None:
            report = ReportResult(
                step.round, step.table, seated_of(table, outcome), outcome.reason, outcome.match, outcome.revision
            )
            try:
                await self._ledgers.commit(tournament_id, f"result:{step.match}", HOUSE, report)
                return
            except Refusal:
                # The commit has looked at the newest state: that is asked again, or the refusal holds.
                tries += 1
                if tries == TRIES_MAX or self._open_table(tournament_id, step.round, step.table) == table:
                    raise

    async def _expect_players(self, tournament_id: str, step: ExpectPlayers, rest: Rest) -> None:
        patience_us = self._ledgers.known(tournament_id).state.config.clocks.no_show_ms * 1000
        # Nobody could move while the house was closed.
        at = max(step.at, self._began + patience_us)
        while at:
            await self._sleep_until(at, rest)
            now = self._clock.now()
            if self._round(tournament_id, step.round).left_ms:  # the clock is paused, and so are the matches
                at = now + patience_us
                continue
            async with self._reads:
                missing = await missing_from(self._matches, step.match, patience_us, now)
            table = self._open_table(tournament_id, step.round, step.table)
            for entry in () if table is None else entries_of(table, missing.seats):
                mark = MarkNoShow(step.round, step.table, entry, "has not moved")
                await self._tell(tournament_id, f"no-show:{step.match}:{entry}", mark)
            at = missing.look_at

    async def _look_at_arena(self, tournament_id: str, step: LookAtArena, rest: Rest) -> None:
        await self._sleep_until(step.at, rest)
        if not step.closes:
            if await self._tell(tournament_id, f"seat:{step.round}:{step.beat}", SeatArena(step.beat)):
                return
            # Nobody was there when it was time, and now it is too late for a last game: only the end is left.
            await self._sleep_until(self._round(tournament_id, step.round).ends_at, rest)
        closings = self._round(tournament_id, step.round).closings
        await self._tell(tournament_id, f"close:{step.round}:{closings}", CloseArena())

    async def _tell(self, tournament_id: str, command_id: str, command: Command) -> bool:
        """What time brings about; whether it is a fact now. The event refuses it where it has moved on."""
        try:
            await self._ledgers.commit(tournament_id, command_id, HOUSE, command)
        except Refusal as refusal:
            logger.debug("not_told", tournament=tournament_id, command=command_id, reason=refusal.code)
            return False
        return True

    def _round(self, tournament_id: str, number: int) -> RoundState:
        """As it is known here."""
        return self._ledgers.known(tournament_id).state.rounds[number - 1]

    def _is_expected(self, tournament_id: str, step: OpenTable) -> bool:
        """Whether the table still plays this match, or will."""
        now = self._round(tournament_id, step.round)
        table = now.tables[now.place_of(step.table)]
        plays = table.phase in (TablePhase.WAITING, TablePhase.OPEN) and now.phase is not RoundPhase.CANCELLED
        return plays and table.attempt == step.attempt

    def _attempt(self, tournament_id: str, round_number: int, number: int) -> int:
        """A replay has a match of its own, for which time is called anew; 0 for a table that is gone."""
        now = self._round(tournament_id, round_number)
        place = now.place_of(number)
        return now.tables[place].attempt if place >= 0 else 0

    def _open_table(self, tournament_id: str, round_number: int, number: int) -> TableState | None:
        """The table, if it still plays."""
        now = self._round(tournament_id, round_number)
        place = now.place_of(number)
        table = now.tables[place] if place >= 0 else None
        return table if table is not None and table.phase is TablePhase.OPEN else None

    async def _sleep_until(self, at: int, rest: Rest) -> None:
        with rest.rest():
            await self._clock.sleep_until(at)
