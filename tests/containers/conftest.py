"""What runs in containers is tested where a Docker engine answers; elsewhere the summary says why it was not."""

from collections.abc import Iterator

import pytest

from tests.kit.containers import remove_leftovers, why_not
from tests.kit.nats import nats_server
from tests.kit.postgres import postgres, postgres_server

__all__ = ["nats_server", "postgres", "postgres_server"]


@pytest.fixture(scope="session", autouse=True)
def engine() -> Iterator[None]:
    reason = why_not()
    if reason:
        pytest.skip(reason)
    yield
    remove_leftovers()
