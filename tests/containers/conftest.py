"""What runs in containers is tested where a Docker engine answers; elsewhere the summary says why it was not."""

from collections.abc import Iterator

import pytest

from tests.kit.containers import remove_leftovers, why_not
from tests.kit.logs import log_place

__all__ = ["log_place"]


@pytest.fixture(scope="session", autouse=True)
def engine() -> Iterator[None]:
    reason = why_not()
    if reason:
        pytest.skip(reason)
    yield
    remove_leftovers()
