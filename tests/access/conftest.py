"""Keys for whoever needs some."""

from pathlib import Path

import pytest

from tests.access.keys import Keys


@pytest.fixture(scope="session")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Keys:
    """Of one house; who revokes some makes a house of their own."""
    return Keys(tmp_path_factory.mktemp("keys"))


@pytest.fixture
def own_keys(tmp_path: Path) -> Keys:
    return Keys(tmp_path / "own")
