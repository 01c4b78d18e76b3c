"""One database and one thread: all work is done on it in the order asked, so the event loop never waits for a disk.

What its tables mean and what a failure is called is the business of who opens it: ``services/kit/read_model.py`` for
what the log rebuilds, ``services/tournament/people.py`` for what it cannot. SQLite keeps a file beside the process; of
PostgreSQL, whose ways are in ``services/kit/postgres.py``, one connection is held, and made again when it was lost.
"""

import asyncio
import os
import sqlite3
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from enum import Enum, auto
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeVar

import structlog
from sqlalchemy import Dialect, Executable, String, Table, event, func, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Engine
from sqlalchemy.engine.url import URL, make_url
from sqlalchemy.exc import DatabaseError, DataError, IntegrityError, OperationalError
from sqlalchemy.types import TypeDecorator, TypeEngine
from sqlmodel import Session, SQLModel, create_engine

from engine.kernel.refusal import Kind, Refusal
from services.kit import postgres

T = TypeVar("T")

Pragmas = dict[str, str]
"""How SQLite is to keep a file, by the name of the setting; other databases have their own ways."""

MAKING_TABLES: Final = postgres.lock_key("tables")
"""Two processes that make one table at the same moment fail, even if both look first."""

logger = structlog.get_logger()


class Trouble(Enum):
    """What an error of the database means for whoever asked."""

    AWAY = auto()
    """It cannot be used now: not reached, locked, or it took too long."""
    FULL = auto()
    RACE = auto()
    """Another process was first; what was asked may be asked again."""
    EXISTS = auto()
    """A row with such a key is there, or one that is needed is not."""
    DAMAGED = auto()
    """It is there, and not what it should be."""


class ByteText(TypeDecorator[str]):
    """Text that is compared and put in order by its bytes, as SQLite does, whatever language a server is set to."""

    impl = String
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        return dialect.type_descriptor(String(collation="C") if dialect.name == "postgresql" else String())


class Database:
    """``told`` makes of a database's error what the caller is told. Made without a connection: nothing can fail yet.

    ``password_file`` holds the password that the URL of a server does not. Of a server, ``taken`` is raised while
    another process has a connection under this ``name``; without it any number may.
    """

    def __init__(
        self,
        url: str,
        name: str,
        pragmas: Pragmas,
        told: Callable[[DatabaseError], Exception],
        *,
        password_file: Path | None = None,
        taken: Refusal | None = None,
    ) -> None:
        parsed = make_url(url)
        self.is_server = postgres.is_postgres(parsed)
        self.engine = _server(parsed, name, password_file, taken) if self.is_server else _file(url, pragmas)
        self._told = told
        self._name = name
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)

    async def run(self, work: Callable[[Session], T]) -> T:
        """``work`` in one transaction. Raises what ``told`` makes of an error of the database."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self.transact, work)

    async def overwrite(self, model: type[SQLModel]) -> None:
        """Write a table anew on a server, which otherwise keeps for a while what was replaced or deleted."""
        if self.is_server:
            statement = f"VACUUM FULL {self.engine.dialect.identifier_preparer.format_table(table_of(model))}"
            await asyncio.get_running_loop().run_in_executor(self._thread, self._alone, statement)

    async def close(self) -> None:
        await asyncio.get_running_loop().run_in_executor(self._thread, self.engine.dispose)
        self._thread.shutdown()

    def transact(self, work: Callable[[Session], T]) -> T:
        """``run`` on the thread that asks: for one that has a loop of its own to stand in for."""
        try:
            with Session(self.engine, expire_on_commit=False) as session, session.begin():
                return work(session)
        except DatabaseError as error:
            raise self._heard(error) from None

    def _alone(self, statement: str) -> None:
        """A statement that is no part of a transaction."""
        try:
            with self.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                connection.exec_driver_sql(statement)
        except DatabaseError as error:
            raise self._heard(error) from None

    def _heard(self, error: DatabaseError) -> Exception:
        """What the caller is told. The error itself goes no further: a server writes in it whom it has found."""
        if self.is_server and isinstance(error, DataError):
            return Refusal("bad_text", "There is a character in the text that no database holds.", Kind.INVALID)
        if self.is_server and not postgres.sqlstate(error):
            logger.warning("database_unreachable", database=self._name, error=str(error.orig).partition("\n")[0])
        return self._told(error)


def trouble(error: DatabaseError) -> Trouble:
    """What an error means, of either database."""
    code = postgres.sqlstate(error)
    if isinstance(error, IntegrityError):
        return Trouble.EXISTS
    if code in postgres.LOST_RACES:
        return Trouble.RACE
    if code == postgres.DISK_FULL or (isinstance(error.orig, sqlite3.Error) and "full" in str(error.orig)):
        return Trouble.FULL
    if isinstance(error, OperationalError) or code in (postgres.READ_ONLY, postgres.NOT_ALLOWED):
        return Trouble.AWAY
    return Trouble.DAMAGED


def words(error: DatabaseError) -> str:
    """What happened, without a value that was written or asked for."""
    return str(error.orig) if isinstance(error.orig, sqlite3.Error) else postgres.name_of(error)


def make_tables(session: Session, tables: Iterable[Table]) -> None:
    """Those that are not there yet; another process may be doing the same."""
    if session.get_bind().dialect.name == "postgresql":
        session.execute(select(func.pg_advisory_xact_lock(MAKING_TABLES)))
    for table in tables:
        table.create(session.connection(), checkfirst=True)


def table_of(model: type[SQLModel]) -> Table:
    table: Table = model.__table__  # type: ignore[attr-defined]  # set by SQLModel's metaclass
    return table


def upsert(session: Session, model: type[SQLModel], rows: Iterable[dict[str, Any]]) -> None:
    """Insert rows, replacing those with the same primary key."""
    batch = list(rows)
    if not batch:
        return
    session.connection().execute(_upsert(model, session.get_bind().dialect.name), batch)


@cache
def _upsert(model: type[SQLModel], dialect: str) -> Executable:
    table = table_of(model)
    statement = (postgresql.insert if dialect == "postgresql" else sqlite.insert)(table)
    keys = [column.name for column in table.primary_key]
    changes = {column.name: statement.excluded[column.name] for column in table.columns if column.name not in keys}
    return statement.on_conflict_do_update(index_elements=keys, set_=changes)


def sqlite_file(url: str) -> Path | None:
    """The file behind a URL; ``None`` for another database, and for one in memory."""
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite" or parsed.database in (None, "", ":memory:"):
        return None
    return Path(str(parsed.database))


def make_private(path: Path) -> None:
    """An empty file that only we may read, unless there is one; SQLite gives its journals the same mode."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))


def _server(url: URL, name: str, password_file: Path | None, taken: Refusal | None) -> Engine:
    engine = create_engine(
        postgres.with_driver(url),
        connect_args=postgres.connect_args(url, name),
        pool_size=1,  # one thread asks
        max_overflow=0,
        pool_pre_ping=True,  # the first to ask after a restart of the server need not notice it
        hide_parameters=True,
    )
    if password_file is not None:
        postgres.read_password(engine, password_file)
    if taken is not None:
        postgres.hold_lease(engine, name, taken)
    return engine


def _file(url: str, pragmas: Pragmas) -> Engine:
    file = sqlite_file(url)
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
    # No value that is written stands in an error: errors are logged, and the operator is a viewer too.
    engine = create_engine(url, connect_args={"check_same_thread": False}, hide_parameters=True)

    @event.listens_for(engine, "connect")
    def configure(connection: Any, _: Any) -> None:
        for setting, value in pragmas.items():
            connection.execute(f"PRAGMA {setting}={value}")

    return engine
