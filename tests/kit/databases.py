"""The databases that a house may keep its tables in: a suite that takes ``store`` runs on each of them."""

from pathlib import Path

import msgspec
import pytest

from tests.kit.postgres import PostgresDatabase


class Store(msgspec.Struct, frozen=True):
    """An empty database. ``server`` is ``None`` for SQLite, which has none; its ``password_file`` is no file."""

    url: str
    password_file: Path | None
    server: PostgresDatabase | None


def sqlite_store(folder: Path) -> Store:
    return Store(f"sqlite:///{folder / 'store' / 'store.sqlite'}", None, None)


def postgres_store(database: PostgresDatabase) -> Store:
    return Store(database.url, database.password_file, database)


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    if request.param == "sqlite":
        return sqlite_store(tmp_path)
    return postgres_store(request.getfixturevalue("postgres"))
