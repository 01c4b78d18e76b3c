"""Which tables are rated: those of closed rounds, as they stand now, told to the ratings in the order of the log.

The log of events is followed once more, for its order alone: a round takes its place where it was first closed, and
what is told of it is always what counts now. So a correction, a void table and a cancelled round come out by
themselves, and a read model that is made anew comes to the same ratings.

An arena has no rounds: each of its tables is rated where its result stands in the log.
"""

import asyncio
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import Path

import structlog
from sqlmodel import Session

from engine.kernel.codec import Undecodable
from engine.kernel.commit import BadLine, decode_line
from engine.kernel.ledger import BrokenLog
from engine.kernel.ports import Log, Position, Stored
from engine.kernel.refusal import Refusal
from engine.kernel.value import Revision
from engine.tournament import events as e
from engine.tournament.people import BOT
from engine.tournament.state import RoundPhase, RoundState, TablePhase, TableState, Tournament
from services.kit.consumer import consume
from services.kit.read_model import ReadModel
from services.tournament.ledgers import Kept, Ledgers
from services.tournament.ratings import PAGE_DEFAULT, TABLES, VERSION, Ranked, RatedRound, Ratings, Standing, Table

ARENA_ROUND = 100_000
"""An arena's table is a round of its own to the ratings: its round times this, and its index."""

STOPPED_S = 30.0
"""Before the log is followed again after an error, from where the read model has come to."""

RECKONED_WITH = f"PlackettLuce, openskill {version('openskill')}"
"""The name and version of the model."""

_TOLD = {
    kind.name
    for kind in (
        e.RoundClosed,
        e.RoundReopened,
        e.RoundCancelled,
        e.ResultReported,
        e.ResultCorrected,
        e.TableAdjudicated,
        e.TableVoided,
    )
}
"""What may change what is rated."""

logger = structlog.get_logger()


class Rated:
    """The consumer. ``run`` beside the ledgers; ``page`` answers from the read model."""

    def __init__(self, log: Log, ledgers: Ledgers, model: ReadModel) -> None:
        self._log = log
        self._ledgers = ledgers
        self._model = model
        self._ratings = Ratings()
        self._positions: list[Position] = []

    @staticmethod
    def model(url: str, *, password_file: Path | None = None) -> ReadModel:
        return ReadModel(url, "ratings", VERSION, list(TABLES), password_file=password_file)

    async def prepare(self, *, rebuild: bool = False) -> None:
        """Before ``run``. Raises ``Refusal`` if the read model does not belong to this log."""
        bounds = [await self._log.bounds(partition) for partition in range(self._log.partitions)]
        self._positions = await self._model.prepare(bounds, rebuild=rebuild)
        await self._model.run(self._ratings.prepare)

    async def run(self) -> None:
        """Follow the log for ever. What goes wrong here is logged and tried again: no event waits for its ratings."""
        while True:
            try:
                return await consume("ratings", self._log, self._positions, self._take)
            except Exception as error:
                logger.error("ratings_stopped", exc_info=error)
            await asyncio.sleep(STOPPED_S)

    @property
    def taken(self) -> Sequence[Position]:
        """How far the log has been taken in, by partition."""
        return self._positions

    async def page(self, game: str, page_size: int, page_token: str) -> tuple[list[Standing], str]:
        """Raises ``Refusal`` (``bad_page_token``), ``Unavailable``."""
        size = page_size or PAGE_DEFAULT
        return await self._model.run(
            lambda session: self._ratings.leaderboard(session, game, page_size=size, page_token=page_token)
        )

    async def _take(self, partition: int, batch: Sequence[Stored]) -> None:
        rounds: list[RatedRound] = []
        for stored in batch:
            place = stored.position * self._log.partitions + partition
            rounds.extend(await self._told(stored, place))

        def write(session: Session) -> None:
            for rated in rounds:
                self._ratings.put(session, rated)

        await self._model.apply(partition, batch[-1].position, write)

    async def _told(self, stored: Stored, place: Position) -> list[RatedRound]:
        try:
            commit = decode_line(stored.line)
            events = [e.EVENTS.decode(recorded) for recorded in commit.events if recorded.type in _TOLD]
            if not events:
                return []
            kept = self._ledgers.known(commit.match)
            if kept.ledger.revision < commit.revision:
                kept = await self._ledgers.fresh(commit.match)
            return _rated(kept, commit.revision, events, place) if kept.state.config.rated else []
        except (BadLine, BrokenLog, Refusal, Undecodable):
            return []  # told by the ledgers already; what is damaged is not rated
        except ValueError as error:
            logger.error("not_rated", tournament=commit.match, revision=commit.revision, reason=str(error))
            return []


def _rated(kept: Kept, revision: Revision, events: list[e.Event], place: Position) -> list[RatedRound]:
    """What the ratings are told after these events of one commit."""
    state = kept.state
    found: dict[int, RatedRound] = {}
    for event in events:
        number: int = getattr(event, "round")  # noqa: B009 - all of them have it
        now = state.rounds[number - 1]
        if state.config.stages[now.drafted.stage].format == "arena":
            for table in now.tables:
                # Of what is cancelled, only tables with a result have been told of, and have a place.
                cancelled = isinstance(event, e.RoundCancelled) and table.result is not None
                if table.number == getattr(event, "table", 0) or cancelled:
                    its_number = number * ARENA_ROUND + table.index
                    found[its_number] = _round(state, now, its_number, place, [table])
            continue
        first = kept.published.get(number)
        if first is not None and first.revision <= revision:  # before that it has no place yet
            found[number] = _round(state, now, number, place, now.tables if now.phase is RoundPhase.CLOSED else ())
    return list(found.values())


def _round(
    state: Tournament, now: RoundState, number: int, place: Position, tables: Iterable[TableState]
) -> RatedRound:
    counted = () if now.phase is RoundPhase.CANCELLED else tables
    rated = tuple(_table(state, table) for table in counted if table.result is not None)
    return RatedRound(state.id, number, place, now.drafted.game, rated)


def _table(state: Tournament, table: TableState) -> Table:
    """A table as it was played: penalties are no play, and a referee's result is none either."""
    assert table.result is not None
    seats = []
    for seated in table.result.seated:
        player = state.entrants[seated.entry - 1].player
        seats.append(Ranked(player, seated.place, human=not player.startswith(BOT)))
    return Table(tuple(seats), complete=not table.adjudicated, void=table.phase is TablePhase.VOID)
