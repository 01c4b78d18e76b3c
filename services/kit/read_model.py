"""Read models: tables that are folded from the log, with the position in the same transaction as its effect.

A read model is dropped and folded again when its version changes, when it is told to, and when the log has another
epoch: that one was restored or made anew, and no position means anything there. There are no migrations. It refuses to
start on a log of the same epoch that ends before its position: lines are gone that it has read, and going on would
leave a hole without a word.

Read models may share a database, SQLite or PostgreSQL: each has its tables and its rows of ``checkpoint``. Only one
process at a time writes one: on PostgreSQL a second waits for the first to go, and then says that it is not needed.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import structlog
from sqlalchemy import BigInteger
from sqlalchemy.exc import DatabaseError
from sqlmodel import Field, Session, SQLModel, select

from engine.kernel.ports import Bounds, Position, Unavailable
from engine.kernel.refusal import Kind, Refusal
from services.kit.database import Database, Trouble, make_tables, table_of, trouble, upsert, words
from services.kit.held import Changes

T = TypeVar("T")

PRAGMAS: Final = {"journal_mode": "WAL", "synchronous": "NORMAL", "busy_timeout": "5000"}
"""The log is the truth: a read model that loses its last moments in a power cut reads them again."""

LEASE_S: Final = 20.0
"""A process that takes over waits so long for the one before, which may have running calls to finish."""
PATIENCE_S: Final = 60.0
"""A server that is restarted, or whose place another one takes, is back within a minute."""
RETRY_S: Final = 0.25

logger = structlog.get_logger()


class Checkpoint(SQLModel, table=True):
    """How far a consumer has come in one partition."""

    __tablename__ = "checkpoint"
    consumer: str = Field(primary_key=True)
    partition: int = Field(primary_key=True)
    version: int
    epoch: str
    position: int = Field(sa_type=BigInteger)


_checkpoints: Final = table_of(Checkpoint)


class Behind(SQLModel):
    """How far a match behind the curtain has been shown; written with the position, which goes on past what is held.

    Each reader of the log has a table of its own, derived from this.
    """

    match_id: str = Field(primary_key=True)
    shown: int


class ReadModel:
    """One consumer's tables in one database. All work runs on one thread of its own, in the order asked."""

    def __init__(
        self,
        url: str,
        consumer: str,
        version: int,
        tables: Sequence[type[SQLModel]],
        *,
        password_file: Path | None = None,
    ) -> None:
        self._consumer = consumer
        self._version = version
        self._tables = [table_of(model) for model in tables]
        taken = Refusal(
            "read_model_in_use", f"Another process writes the read model {consumer}; one is enough.", Kind.EXISTS
        )
        self._database = Database(
            url, f"read-model-{consumer}", PRAGMAS, self._told, password_file=password_file, taken=taken
        )

    async def prepare(self, bounds: Sequence[Bounds], *, rebuild: bool = False) -> list[Position]:
        """Make or drop the tables as needed; the position to go on from, by partition.

        Raises ``Refusal``: ``read_model_in_use`` if another process has not gone within ``LEASE_S``, others if the
        read model does not belong to this log.
        """
        deadline = asyncio.get_running_loop().time() + LEASE_S
        while True:
            try:
                return await self.run(lambda session: self._prepare(session, bounds, rebuild))
            except Refusal as refusal:
                if refusal.code != "read_model_in_use" or asyncio.get_running_loop().time() > deadline:
                    raise
            await asyncio.sleep(RETRY_S)

    async def apply(self, partition: int, position: Position, write: Callable[[Session], None]) -> None:
        """``write`` and the new position, both or neither. A position that does not advance is left alone."""
        await self.apply_all({partition: position}, write)

    async def apply_all(self, positions: Mapping[int, Position], write: Callable[[Session], None]) -> None:
        """``write`` and the new position of each partition, all or nothing: where none advances, it was done before."""

        def work(session: Session) -> None:
            moved = [self._advance(session, partition, position) for partition, position in positions.items()]
            if any(moved) or not positions:
                write(session)

        await self.write(work)

    def _advance(self, session: Session, partition: int, position: Position) -> bool:
        mine = (_checkpoints.c.consumer == self._consumer) & (_checkpoints.c.partition == partition)
        further = _checkpoints.update().where(mine, _checkpoints.c.position < position).values(position=position)
        return session.connection().execute(further).rowcount > 0

    async def write(self, work: Callable[[Session], None]) -> None:
        """``run`` for what the log tells: a server that is away is waited for, ``PATIENCE_S`` at most.

        ``work`` may be done twice, where the answer to the first time was lost.
        """
        deadline = asyncio.get_running_loop().time() + PATIENCE_S
        while True:
            try:
                return await self.run(work)
            except Unavailable as error:
                patient = self._database.is_server and error.code == "read_model_unavailable"
                if not patient or asyncio.get_running_loop().time() > deadline:
                    raise
            await asyncio.sleep(RETRY_S)

    async def run(self, work: Callable[[Session], T]) -> T:
        """``work`` in one transaction. Raises ``Unavailable`` where the database cannot be used."""
        return await self._database.run(work)

    def upsert(self, session: Session, model: type[SQLModel], rows: Iterable[dict[str, Any]]) -> None:
        """Insert rows, replacing those with the same primary key."""
        upsert(session, model, rows)

    async def behind(self, model: type[Behind]) -> dict[str, int]:
        """What ``note_behind`` has written: match id → revision shown."""
        return await self.run(lambda session: {row.match_id: row.shown for row in session.exec(select(model))})

    def note_behind(self, session: Session, model: type[Behind], changes: Changes) -> None:
        self.upsert(
            session, model, ({"match_id": match_id, "shown": shown} for match_id, shown in changes.behind.items())
        )
        for match_id in changes.over:
            row = session.get(model, match_id)
            if row is not None:
                session.delete(row)

    async def close(self) -> None:
        await self._database.close()

    def _told(self, error: DatabaseError) -> Exception:
        match trouble(error):
            case Trouble.FULL:
                return Unavailable("read_model_full", f"There is no room for the read model {self._consumer}.")
            case Trouble.AWAY | Trouble.RACE:
                return Unavailable(
                    "read_model_unavailable", f"The read model {self._consumer} cannot be used: {words(error)}."
                )
            case Trouble.EXISTS | Trouble.DAMAGED:
                cure = "rebuild it" if self._database.is_server else "delete its file, the log rebuilds it"
                return Refusal(
                    "read_model_damaged",
                    f"The read model {self._consumer} is damaged ({words(error)}); {cure}.",
                    Kind.INVALID,
                )

    def _prepare(self, session: Session, bounds: Sequence[Bounds], rebuild: bool) -> list[Position]:
        connection = session.connection()
        make_tables(session, [table_of(Checkpoint)])
        mine = select(Checkpoint).where(Checkpoint.consumer == self._consumer).order_by("partition")
        checkpoints = list(session.exec(mine))
        newer = [checkpoint.version for checkpoint in checkpoints if checkpoint.version > self._version]
        if newer and not rebuild:
            raise Refusal(
                "read_model_newer",
                f"The read model {self._consumer} was written by a newer Tavolata (version {newer[0]}, here "
                f"{self._version}); run that one, or rebuild.",
                Kind.INVALID,
            )
        stale = rebuild or any(checkpoint.version != self._version for checkpoint in checkpoints)
        if any(known.epoch != bound.epoch for known, bound in zip(checkpoints, bounds, strict=False)):
            logger.warning("read_model_of_another_log", consumer=self._consumer)
            stale = True
        if stale or not checkpoints:
            for checkpoint in checkpoints:
                session.delete(checkpoint)
            session.flush()
            for table in self._tables:
                table.drop(connection, checkfirst=True)
            checkpoints = [
                Checkpoint(
                    consumer=self._consumer, partition=partition, version=self._version, epoch=bound.epoch, position=0
                )
                for partition, bound in enumerate(bounds)
            ]
            session.add_all(checkpoints)
        make_tables(session, self._tables)
        if len(checkpoints) != len(bounds):
            raise Refusal(
                "other_partitions",
                f"The read model {self._consumer} knows {len(checkpoints)} partitions, the log has {len(bounds)}; "
                "rebuild it.",
                Kind.INVALID,
            )
        for checkpoint, bound in zip(checkpoints, bounds, strict=True):
            if checkpoint.position > bound.last:
                raise Refusal(
                    "other_log",
                    f"The read model {self._consumer} has read {checkpoint.position} lines, and the same log has "
                    f"{bound.last} now: find out what became of them, then rebuild it.",
                    Kind.INVALID,
                )
        return [checkpoint.position for checkpoint in checkpoints]
