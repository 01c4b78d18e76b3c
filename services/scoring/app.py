"""Follow the whole log, keep the read model, answer from it, and tell who watches what has changed.

Scores are public, so nothing is counted here before bystanders may be shown it: what comes by in the log goes through
``Held``, and a match stands at the newest revision that has come out of there.

Lines are kept as they come, and folded a match at a time. What a match stands at is reckoned and written twice a second
at most, once for all that has changed, whatever number of moves it was.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from sqlmodel import Session, col, select, tuple_

from engine.kernel.game import Objective, ScoreLine
from engine.kernel.ports import Clock, Log, Position, Stored
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import check_id
from services.kit.consumer import consume
from services.kit.curtain import Curtain
from services.kit.following import Following
from services.kit.held import Held
from services.kit.later import Later
from services.kit.pulse import Latest, Pulse
from services.kit.read_model import ReadModel
from services.scoring.scoreboard import Scoreboard, SeatStanding, Standing, match_row, seat_rows
from services.scoring.tables import MatchRow, ScoringBehind, SeatRow

PAGE_MAX = 500
PAGE_DEFAULT = 100
ENDED_KEPT = 1_000
"""Ended matches that ``watch`` still tells to a newcomer or a slow reader."""

COUNT_S = 0.5
"""From one transaction to the next."""

GENTLE_MAX = 100
REST_S = 0.002
"""So many matches are counted with a rest after every few: whoever moves is not to wait for a core because of a score.
With more of them there is no time for it.
"""

CHANGED_MAX = 500
"""Matches that have changed and are not written yet. With so many the log is not followed further before they are."""


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
        self._reached: dict[int, Position] = {}
        """By partition, how far what has come by goes; it is written together with what has changed by it."""
        self._positions: list[Position] = []
        self._later = Later(self._count, COUNT_S)
        self._counted = Pulse()

    async def prepare(self, *, rebuild: bool = False) -> None:
        """Before ``run``: make or check the read model. Raises ``Refusal`` if it does not belong to this log."""
        bounds = [await self._log.bounds(partition) for partition in range(self._log.partitions)]
        self._positions = await self._model.prepare(bounds, rebuild=rebuild)
        for standing in await self._model.run(lambda session: _page(session, ended=False)):
            self._latest.put(standing.match_id, standing)
        behind = await self._model.behind(ScoringBehind)
        await self._following.take(await self._held.restore(self._log, behind, self._positions))
        await self._count()

    async def run(self) -> None:
        """Follow the log for ever."""
        after = list(self._positions)
        await consume(self._scoreboard.name, self._log, after, self._take, self._lift, self._later.run)

    @property
    def taken(self) -> Sequence[Position]:
        """How far the log has been taken in and written, by partition."""
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

    async def watch(self, game: str, *, milestones: bool = False) -> AsyncGenerator[Standing, None]:
        """The running matches, then every change, or only ``milestones``: openings and ends. The latest of each match
        when the reader is slow.
        """
        running: set[str] = set()
        async with aclosing(self._latest.follow()) as changes:
            async for standing in changes:
                if game and standing.game != game:
                    continue
                if milestones and not standing.ended:
                    if standing.match_id in running:
                        continue
                    running.add(standing.match_id)
                elif milestones:
                    running.discard(standing.match_id)
                yield standing

    async def _take(self, partition: int, batch: Sequence[Stored]) -> None:
        async with self._turn:
            await self._following.take(self._held.take_all(batch))
            self._reached[partition] = batch[-1].position
        self._later.ask()
        while self._following.touched >= CHANGED_MAX:
            self._later.ask(at_once=True)
            await self._counted.wait()

    async def _lift(self) -> None:
        """Count what the time releases, for ever."""
        while True:
            await self._held.due()
            async with self._turn:
                await self._following.take(self._held.lift())
            self._later.ask()

    async def _count(self) -> None:
        """Write what has changed, and the positions that belong to it."""
        async with self._turn:  # not in the middle of a batch
            reached, self._reached = self._reached, {}
            changes = self._held.changes()
            changed = self._following.changed(rest_s=REST_S if self._following.touched <= GENTLE_MAX else 0.0)
            standings = [self._scoreboard.project(history) async for history in changed]
        seats = [row for standing in standings for row in seat_rows(standing, self._latest.get(standing.match_id))]

        def write(session: Session) -> None:
            self._model.upsert(session, MatchRow, (match_row(standing) for standing in standings))
            self._model.upsert(session, SeatRow, seats)
            self._model.note_behind(session, ScoringBehind, changes)

        await self._model.apply_all(reached, write)
        for standing in standings:
            self._latest.put(standing.match_id, standing)
        self._latest.prune(lambda standing: standing.ended, ENDED_KEPT)
        for partition, position in reached.items():
            self._positions[partition] = position
        self._counted.beat()


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
