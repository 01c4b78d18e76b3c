"""The image that PostgreSQL runs in keeps read models and people as their contract has it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kit.databases import Store, postgres_store
from tests.kit.postgres import PostgresContainer, PostgresDatabase
from tests.services.test_people import *  # noqa: F403 - every test of the contract, and what it takes
from tests.services.test_read_model import *  # noqa: F403 - the same

pytestmark = pytest.mark.docker


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresContainer]:
    server = PostgresContainer()
    try:
        server.start()
        yield server
    finally:
        server.close()


@pytest.fixture
def store(server: PostgresContainer, tmp_path: Path) -> Iterator[Store]:
    database = PostgresDatabase(server, tmp_path)
    yield postgres_store(database)
    server.start()
    database.drop()
