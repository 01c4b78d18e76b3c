"""PostgreSQL as one of our databases: how a connection is made and held, and what an error of it says without values.

**One process writes.** A connection may be a lease: it takes an advisory lock of its name when it is made, and without
it there is no connection. The server gives the lock up with the connection, so whoever lost the one lost the other, and
no transaction of theirs can be committed any more.

**A dead peer is noticed.** Both sides ask each other every few seconds, so that a lease whose holder has lost its power
is free again within a minute, and no call here waits for ever.

**The password** is read from its file whenever a connection is made. It never stands in a URL, and may be changed.
"""

import hashlib
from pathlib import Path
from typing import Any, Final

import psycopg
from sqlalchemy import event
from sqlalchemy.engine import Engine
from sqlalchemy.engine.url import URL
from sqlalchemy.exc import DatabaseError

from engine.kernel.refusal import Kind, Refusal

CONNECT_S: Final = 5
STATEMENT_MS: Final = 30_000
"""The longest of ours, a search through ten thousand names, takes 0.1 s."""
LOCK_MS: Final = 10_000
IN_TRANSACTION_MS: Final = 60_000
"""A process that was stopped in the middle of its work keeps nobody waiting longer."""

SESSION: Final = {
    "statement_timeout": STATEMENT_MS,
    "lock_timeout": LOCK_MS,
    "idle_in_transaction_session_timeout": IN_TRANSACTION_MS,
    "tcp_keepalives_idle": 15,
    "tcp_keepalives_interval": 5,
    "tcp_keepalives_count": 3,
    "tcp_user_timeout": STATEMENT_MS,
}
"""Of the server's side; the client's are in ``connect_args``."""

DISK_FULL: Final = "53100"
READ_ONLY: Final = "25006"
"""A server that only follows another one: soon it will not, or the address leads elsewhere."""
NOT_ALLOWED: Final = "42501"
LOST_RACES: Final = frozenset({"40001", "40P01"})
"""Serialization failure, deadlock: nothing is wrong with what was asked; another was first."""


def is_postgres(url: URL) -> bool:
    return url.get_backend_name() == "postgresql"


def with_driver(url: URL) -> URL:
    """``postgresql://`` is psycopg 3 here, whatever the library thinks of first."""
    return url.set(drivername="postgresql+psycopg")


def connect_args(url: URL, name: str) -> dict[str, Any]:
    """``name`` is what the server shows of us. Options in the URL count beside ours, and before them."""
    options = [f"-c {setting}={value}" for setting, value in SESSION.items()]
    theirs = url.query.get("options", ())
    return {
        "application_name": f"tavolata {name}",
        "connect_timeout": CONNECT_S,
        "keepalives_idle": 15,
        "keepalives_interval": 5,
        "keepalives_count": 3,
        "tcp_user_timeout": STATEMENT_MS,
        "options": " ".join([*options, *([theirs] if isinstance(theirs, str) else theirs)]),
    }


def read_password(engine: Engine, file: Path) -> None:
    """From now on every connection reads its password there. It raises ``Refusal`` (``database_password_missing``)."""

    @event.listens_for(engine, "do_connect")
    def put(dialect: Any, record: Any, args: Any, parameters: dict[str, Any]) -> None:
        try:
            parameters["password"] = file.read_text().strip()
        except (OSError, UnicodeDecodeError) as error:
            raise Refusal(
                "database_password_missing", f"The password of the database cannot be read from {file}.", Kind.INVALID
            ) from error


def hold_lease(engine: Engine, name: str, taken: Refusal) -> None:
    """From now on a connection is made only while no other process has one for ``name``; ``taken`` is raised if so."""
    key = lock_key(name)

    @event.listens_for(engine, "connect")
    def take(connection: Any, _: Any) -> None:
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_try_advisory_lock(%s)", (key,))
                [got] = cursor.fetchone()
            connection.commit()
        except BaseException:
            connection.close()
            raise
        if not got:
            connection.close()
            raise taken


def lock_key(name: str) -> int:
    """A number of 64 bits with a sign, as advisory locks have; the same in every process and release."""
    return int.from_bytes(hashlib.sha256(f"tavolata {name}".encode()).digest()[:8], signed=True)


def sqlstate(error: DatabaseError) -> str:
    """Five characters, or nothing where there was no server to give them, or the database is another one."""
    return getattr(error.orig, "sqlstate", None) or ""


def name_of(error: DatabaseError) -> str:
    """What happened, by its name alone: a server's own words hold values that were written."""
    code = sqlstate(error)
    try:
        return f"{psycopg.errors.lookup(code).__name__} {code}"
    except KeyError:
        return code or "it cannot be reached"
