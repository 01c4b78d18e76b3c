"""A whole house of processes for the tests that want one; one for all tests of a process."""

from collections.abc import Iterator

import pytest

from tests.e2e.command import Up, up
from tests.kit.nats import nats_server

__all__ = ["nats_server", "whole_house"]


@pytest.fixture(scope="session")
def whole_house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    with up(tmp_path_factory.mktemp("house")) as opened:
        yield opened
