"""One database and one thread: all work is done on it in the order asked, so the event loop never waits for a disk.

What its tables mean and what a failure is called is the business of who opens it: ``services/kit/read_model.py`` for
what the log rebuilds, ``services/tournament/people.py`` for what it cannot.
"""

import asyncio
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Table, event
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Engine
from sqlalchemy.engine.url import make_url
from sqlalchemy.exc import DatabaseError
from sqlmodel import Session, SQLModel, create_engine

T = TypeVar("T")

Pragmas = dict[str, str]
"""How SQLite is to keep a file, by the name of the setting; other databases have their own ways."""


class Database:
    """``told`` makes of a database's error what the caller is told. Made without a connection: nothing can fail yet."""

    def __init__(self, url: str, name: str, pragmas: Pragmas, told: Callable[[DatabaseError], Exception]) -> None:
        self.engine = _engine(url, pragmas)
        self._told = told
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)

    async def run(self, work: Callable[[Session], T]) -> T:
        """``work`` in one transaction. Raises what ``told`` makes of an error of the database."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self.transact, work)

    async def close(self) -> None:
        await asyncio.get_running_loop().run_in_executor(self._thread, self.engine.dispose)
        self._thread.shutdown()

    def transact(self, work: Callable[[Session], T]) -> T:
        """``run`` on the thread that asks: for one that has a loop of its own to stand in for."""
        try:
            with Session(self.engine, expire_on_commit=False) as session, session.begin():
                return work(session)
        except DatabaseError as error:
            raise self._told(error) from error


def table_of(model: type[SQLModel]) -> Table:
    table: Table = model.__table__  # type: ignore[attr-defined]  # set by SQLModel's metaclass
    return table


def upsert(session: Session, model: type[SQLModel], rows: Iterable[dict[str, Any]]) -> None:
    """Insert rows, replacing those with the same primary key."""
    batch = list(rows)
    if not batch:
        return
    table = table_of(model)
    insert = postgresql.insert if session.get_bind().dialect.name == "postgresql" else sqlite.insert
    statement = insert(table)
    keys = [column.name for column in table.primary_key]
    changes = {column.name: statement.excluded[column.name] for column in table.columns if column.name not in keys}
    session.execute(statement.on_conflict_do_update(index_elements=keys, set_=changes), batch)


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


def _engine(url: str, pragmas: Pragmas) -> Engine:
    file = sqlite_file(url)
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
    is_sqlite = make_url(url).get_backend_name() == "sqlite"
    # No value that is written stands in an error: errors are logged, and the operator is a viewer too.
    engine = create_engine(url, connect_args={"check_same_thread": False} if is_sqlite else {}, hide_parameters=True)
    if is_sqlite:

        @event.listens_for(engine, "connect")
        def configure(connection: Any, _: Any) -> None:
            for setting, value in pragmas.items():
                connection.execute(f"PRAGMA {setting}={value}")

    return engine
