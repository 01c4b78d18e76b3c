"""The examples of the documentation run as they stand, on a real export, with nothing but Python."""

import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.games import all_games
from engine.kernel.deal import Deal
from engine.kernel.game import AnyGame
from tests.kit.deals import deal_export
from tests.kit.duel import DUEL
from tests.kit.table import play

VERIFIER = Path(__file__).parents[2] / "docs" / "examples" / "verify_luck.py"
GAMES = (*all_games().values(), DUEL)


def run(*exports: Path) -> subprocess.CompletedProcess[str]:
    """Without site-packages and without the environment: the standard library has to do."""
    command = [sys.executable, "-I", "-S", str(VERIFIER), *map(str, exports)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def written(folder: Path, lines: list[bytes], name: str = "match") -> Path:
    path = folder / f"{name}.jsonl"
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


def exported(game: AnyGame, number: int) -> list[bytes]:
    return list(play(game, game.seats[-1], {}, number, leavers=1).lines)


def chained(commits: list[dict[str, Any]]) -> Iterator[bytes]:
    """A forger's work: the chain is made anew over the altered commits."""
    prev = "0" * 64
    for commit in commits:
        line = json.dumps({**commit, "prev": prev}, separators=(",", ":")).encode()
        prev = hashlib.sha256(line).hexdigest()
        yield line


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_a_true_export_holds(game: AnyGame, number: int, tmp_path: Path) -> None:
    lines = exported(game, number)
    draws = sum(b'"command":{"type":"luck.resolve"' in line for line in lines)
    ran = run(written(tmp_path, lines))
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.endswith(f": {draws} draws come out again\n")


def test_an_altered_line_breaks_the_chain(tmp_path: Path) -> None:
    lines = exported(GAMES[0], 0)
    lines[2] = re.sub(rb'"at":"(\d)', rb'"at":"9', lines[2], count=1)
    ran = run(written(tmp_path, lines))
    assert ran.returncode == 1
    assert "the chain breaks at line 4" in ran.stderr


def test_a_forged_draw_is_found_though_the_chain_holds(tmp_path: Path) -> None:
    commits = [json.loads(line) for line in exported(GAMES[0], 0)]
    draw = next(commit for commit in commits if commit["command"]["data"].get("draw_id") == "deck/1")
    draw["command"]["data"]["outcome"].reverse()
    ran = run(written(tmp_path, list(chained(commits))))
    assert ran.returncode == 1
    assert "deck/1 is no such draw" in ran.stderr


def test_another_seed_breaks_the_promise(tmp_path: Path) -> None:
    commits = [json.loads(line) for line in exported(GAMES[0], 0)]
    commits[-1]["command"]["data"]["seed"] = "00" * 32
    ran = run(written(tmp_path, list(chained(commits))))
    assert ran.returncode == 1
    assert "the promise is broken" in ran.stderr


def test_a_running_match_cannot_be_checked_yet(tmp_path: Path) -> None:
    ran = run(written(tmp_path, exported(GAMES[0], 0)[:-1]))
    assert ran.returncode == 1
    assert "the seed has not been revealed" in ran.stderr


def test_tables_of_a_deal_have_met_the_same_cards(tmp_path: Path) -> None:
    deal, other = Deal("g", 3), bytes([7] * 32)
    tables = [written(tmp_path, deal_export(name, deal), name) for name in ("g-t1", "g-t3")]
    ran = run(*tables)
    assert (ran.returncode, ran.stderr) == (0, "")
    ran = run(*tables, written(tmp_path, deal_export("g-t2", deal, other), "g-t2"))
    assert (ran.returncode, ran.stderr) == (1, "another table of the deal has met other cards\n")
    ran = run(written(tmp_path, deal_export("g-t4", deal), "g-t4"))
    assert (ran.returncode, ran.stderr) == (1, "this is no table of its deal\n")
