"""Follow the whole log, keep the read model, answer from it, and tell who watches what has changed.

Scores are public, so nothing is counted here before bystanders may be shown it: what comes by in the log goes through
``Held``, and a match stands at the newest revision that has come out of there.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing

from sqlmodel import Session, col, select, tuple_

from engine.kernel.commit import Commit
from engine.kernel.game import Objective, ScoreLine
from engine.kernel.history import AnyHistory
from engine.kernel.ports import Clock, Log, Position, Stored
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import check_id
from services.kit.consumer import consume
from services.kit.curtain import Curtain
from services.kit.following import Following
from services.kit.held import Held
from services.kit.pulse import Latest
from services.kit.read_model import ReadModel
from services.scoring.scoreboard import Scoreboard, SeatStanding, Standing, match_row, seat_rows
from services.scoring.tables import MatchRow, ScoringBehind, SeatRow

PAGE_MAX = 500
PAGE_DEFAULT = 100
ENDED_KEPT = 1_000
"""Ended matches that ``watch`` still tells to a newcomer or a slow reader."""


class Scoring:
    """The use cases. ``run`` beside them keeps the read model at the end of the log."""

    def __init__(self, log: Log, model: ReadModel, clock: Clock) -> None:
        self._log = log
        self._held = Held(Curtain(clock))
        self._turn = asyncio.Lock()
        """A line of one partition may release lines of another: one batch after the other."""
        self._model = model
        self._scoreboard = Scoreboard()
        self._following = Following(log)
        self._latest: Latest[str, Standing] = Latest()
        self._positions: list[Position] = []

    async def prepare(self, *, rebuild: bool = False) -> None:
        """Before ``run``: make or check the read model. Raises ``Refusal`` if it does not belong to this log."""
        bounds = [await self._log.bounds(partition) for partition in range(self._log.partitions)]
        self._positions = await self._model.prepare(bounds, rebuild=rebuild)
        for standing in await self._model.run(lambda session: _page(session, ended=False)):
            self._latest.put(standing.match_id, standing)
        behind = await self._model.behind(ScoringBehind)
        await self._count(await self._held.restore(self._log, behind, self._positions), self._model.write)

    async def run(self) -> None:
        """Follow the log for ever."""
        await consume(self._scoreboard.name, self._log, self._positions, self._take, self._lift)

    @property
    def taken(self) -> Sequence[Position]:
        """How far the log has been taken in, by partition."""
        return self._positions

    async def matches(
        self, *, ended: bool | None, game: str, page_size: int, page_token: str
    ) -> tuple[list[Standing], str]:
        """A page, newest first, and the token of the next. Raises ``Refusal`` for a token that is none of ours."""
        size = min(page_size or PAGE_DEFAULT, PAGE_MAX)
        opened_at, bar, match_id = page_token.partition("|")
        if page_token and not bar:
            raise Refusal("bad_page_token", "The page token is not one of this service.", Kind.INVALID)
        before = (opened_at, match_id) if page_token else None
        page = await self._model.run(
            lambda session: _page(session, ended=ended, game=game, before=before, size=size + 1)
        )
        if len(page) <= size:
            return page, ""
        last = page[size - 1]
        return page[:size], f"{last.opened_at}|{last.match_id}"

    async def match(self, match_id: str) -> Standing:
        """Raises ``Refusal`` for a match that the log has not told of yet."""
        check_id("match id", match_id)
        found = await self._model.run(lambda session: _page(session, match_id=match_id))
        if not found:
            raise Refusal("unknown_match", f"There is no match {match_id}.", Kind.MISSING)
        return found[0]

    async def watch(self, game: str) -> AsyncGenerator[Standing, None]:
        """The running matches, then every change; the latest of each when the reader is slow."""
        async with aclosing(self._latest.follow()) as changes:
            async for standing in changes:
                if not game or standing.game == game:
                    yield standing

    async def _take(self, partition: int, batch: Sequence[Stored]) -> None:
        async with self._turn:
            shown = [line for stored in batch for line in self._held.take(stored)]
            await self._count(shown, lambda write: self._model.apply(partition, batch[-1].position, write))

    async def _lift(self) -> None:
        """Count what the time releases, for ever."""
        while True:
            await self._held.due()
            async with self._turn:
                await self._count(self._held.lift(), self._model.write)

    async def _count(
        self, shown: list[Stored], transact: Callable[[Callable[[Session], None]], Awaitable[None]]
    ) -> None:
        changed: dict[str, tuple[AnyHistory, Commit]] = {}
        for stored in shown:
            taken = await self._following.take(stored)
            if taken is not None:
                changed[taken[0].match_id] = taken
        standings = [self._scoreboard.project(history, commit) for history, commit in changed.values()]

        changes = self._held.changes()

        def write(session: Session) -> None:
            self._model.upsert(session, MatchRow, (match_row(standing) for standing in standings))
            self._model.upsert(session, SeatRow, (row for standing in standings for row in seat_rows(standing)))
            self._model.note_behind(session, ScoringBehind, changes)

        await transact(write)
        for standing in standings:
            self._latest.put(standing.match_id, standing)
        self._latest.prune(lambda standing: standing.ended, ENDED_KEPT)


def _page(
    session: Session,
    *,
    ended: bool | None = None,
    game: str = "",
    match_id: str = "",
    before: tuple[str, str] | None = None,
    size: int = 0,
) -> list[Standing]:
    statement = select(MatchRow).order_by(col(MatchRow.opened_at).desc(), col(MatchRow.match_id).desc())
    if match_id:
        statement = statement.where(MatchRow.match_id == match_id)
    if ended is not None:
        statement = statement.where(MatchRow.ended == ended)
    if game:
        statement = statement.where(MatchRow.game == game)
    if before is not None:
        statement = statement.where(tuple_(col(MatchRow.opened_at), col(MatchRow.match_id)) < before)
    if size:
        statement = statement.limit(size)
    rows = list(session.exec(statement))
    seats: dict[str, list[SeatRow]] = {row.match_id: [] for row in rows}
    for start in range(0, len(rows), PAGE_MAX):  # a database takes only so many parameters
        ids = [row.match_id for row in rows[start : start + PAGE_MAX]]
        of_these = select(SeatRow).where(col(SeatRow.match_id).in_(ids)).order_by("match_id", "seat")
        for seat in session.exec(of_these):
            seats[seat.match_id].append(seat)
    return [_standing(row, seats[row.match_id]) for row in rows]


def _standing(row: MatchRow, seats: list[SeatRow]) -> Standing:
    return Standing(
        match_id=row.match_id,
        game=row.game,
        ended=row.ended,
        revision=row.revision,
        opened_at=row.opened_at,
        changed_at=row.changed_at,
        reason=row.reason,
        seats=tuple(
            SeatStanding(
                seat=seat.seat,
                player=seat.player,
                total=seat.total,
                rank=seat.rank,
                left=seat.left,
                lines=tuple(ScoreLine(**line) for line in seat.lines),
                objectives=tuple(Objective(**objective) for objective in seat.objectives),
            )
            for seat in seats
        ),
    )
