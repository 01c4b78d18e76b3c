"""Every game is read as each viewer sees it: a game without a playthrough fails, and so does one that reads otherwise.

When a difference is meant: ``python -m tests.kit.playthrough --write``, and read it.
"""

import difflib
from pathlib import Path

import pytest

from engine.games import all_games
from tests.kit.cases import games_folder
from tests.kit.playthrough import files, header_of, playthrough

SEATS_READ = 4
"""Nobody reads a match of a hundred seats."""


@pytest.mark.parametrize("key", all_games())
def test_every_game_has_a_playthrough_of_its_fewest_and_its_most_seats(key: str) -> None:
    game = all_games()[key]
    headers = [header_of(path.read_text("utf-8")) for path in (games_folder() / key / "playthroughs").glob("*.txt")]
    assert {header.seats for header in headers} >= {game.seats[0], min(game.seats[-1], SEATS_READ)}
    assert all(header.game == game.rules for header in headers)
    assert any(header.leavers for header in headers), "nobody ever leaves"


@pytest.mark.parametrize("path", files(), ids=lambda path: f"{path.parent.parent.name}/{path.stem}")
def test_a_playthrough_reads_as_it_did(path: Path) -> None:
    kept = path.read_text("utf-8")
    now = playthrough(header_of(kept))
    difference = "\n".join(difflib.unified_diff(kept.splitlines(), now.splitlines(), "kept", "now", lineterm="", n=1))
    assert kept == now, f"{path.name} reads otherwise now:\n{difference[:4000]}"
