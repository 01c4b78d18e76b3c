"""Read models: tables that are folded from the log, with the position in the same transaction as its effect.

A read model is dropped and folded again when its version changes or when it is told to; there are no migrations. It
refuses to start on a log that it does not belong to: a position beyond the log's end, or of another epoch, means that
the log was restored or replaced, and going on would leave a hole without a word.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeVar

from sqlalchemy import BigInteger
from sqlalchemy.exc import DatabaseError, OperationalError
from sqlmodel import Field, Session, SQLModel, select

from engine.kernel.ports import Bounds, Position, Unavailable
from engine.kernel.refusal import Kind, Refusal
from services.kit.database import Database, table_of, upsert
from services.kit.held import Changes

T = TypeVar("T")

PRAGMAS: Final = {"journal_mode": "WAL", "synchronous": "NORMAL", "busy_timeout": "5000"}
"""The log is the truth: a read model that loses its last moments in a power cut reads them again."""


class Checkpoint(SQLModel, table=True):
    """How far a consumer has come in one partition."""

    __tablename__ = "checkpoint"
    consumer: str = Field(primary_key=True)
    partition: int = Field(primary_key=True)
    version: int
    epoch: str
    position: int = Field(sa_type=BigInteger)


class Behind(SQLModel):
    """How far a match behind the curtain has been shown; written with the position, which goes on past what is held.

    Each reader of the log has a table of its own, derived from this.
    """

    match_id: str = Field(primary_key=True)
    shown: int


class ReadModel:
    """One consumer's tables in one database. All work runs on one thread of its own, in the order asked."""

    def __init__(self, url: str, consumer: str, version: int, tables: Sequence[type[SQLModel]]) -> None:
        self._consumer = consumer
        self._version = version
        self._tables = [table_of(model) for model in tables]
        self._database = Database(url, f"read-model-{consumer}", PRAGMAS, self._told)

    async def prepare(self, bounds: Sequence[Bounds], *, rebuild: bool = False) -> list[Position]:
        """Make or drop the tables as needed; the position to go on from, by partition. Raises ``Refusal``."""
        return await self.run(lambda session: self._prepare(session, bounds, rebuild))

    async def apply(self, partition: int, position: Position, write: Callable[[Session], None]) -> None:
        """``write`` and the new position, both or neither. A position that does not advance is left alone."""

        def work(session: Session) -> None:
            checkpoint = session.get_one(Checkpoint, (self._consumer, partition))
            if position <= checkpoint.position:
                return
            write(session)
            checkpoint.position = position
            session.add(checkpoint)

        await self.run(work)

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
        if isinstance(error, OperationalError):
            code = "read_model_full" if "full" in str(error.orig) else "read_model_unavailable"
            return Unavailable(code, f"The read model {self._consumer} cannot be written: {error.orig}.")
        return Refusal(
            "read_model_damaged",
            f"The read model {self._consumer} is damaged ({error.orig}); delete its file, the log rebuilds it.",
            Kind.INVALID,
        )

    def _prepare(self, session: Session, bounds: Sequence[Bounds], rebuild: bool) -> list[Position]:
        connection = session.connection()
        table_of(Checkpoint).create(connection, checkfirst=True)
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
        for table in self._tables:
            table.create(connection, checkfirst=True)
        if len(checkpoints) != len(bounds):
            raise Refusal(
                "other_partitions",
                f"The read model {self._consumer} knows {len(checkpoints)} partitions, the log has {len(bounds)}; "
                "rebuild it.",
                Kind.INVALID,
            )
        for checkpoint, bound in zip(checkpoints, bounds, strict=True):
            if checkpoint.epoch != bound.epoch or checkpoint.position > bound.last:
                raise Refusal(
                    "other_log",
                    f"The read model {self._consumer} belongs to another log than the one that is here (it has read "
                    f"{checkpoint.position} lines, the log has {bound.last}); rebuild it.",
                    Kind.INVALID,
                )
        return [checkpoint.position for checkpoint in checkpoints]
