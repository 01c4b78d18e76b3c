"""One house for all commands of a worker: they look at it and open matches of their own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.here import Client
from tests.e2e.command import Up, up


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    with up(tmp_path_factory.mktemp("house") / "data") as opened:
        opened.ask("match", "open", "just4fun", "--seats", 2, "--id", "running", "--option", "first_player=0")
        opened.ask("match", "open", "just4fun", "--seats", 2, "--id", "ended", "--bots", "random")
        assert opened.ask("watch", "ended", "--json").code == 0
        yield opened


@pytest.fixture
def client(house: Up) -> Client:
    return Client(house)


@pytest.fixture(scope="session")
def export(house: Up, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The export of a match that has ended."""
    file = tmp_path_factory.mktemp("export") / "ended.jsonl"
    assert house.ask("export", "ended", "--output", file).code == 0
    return file
