"""``tavolata demo`` from an empty folder to verified exports."""

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command import Ran, tavolata

TABLES = 6
"""Bots play two to four seats; a handful of tables is enough to meet each other in the deck and in the log."""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo") / "data"


@pytest.fixture(scope="module")
def played(data: Path) -> Ran:
    return tavolata("demo", "--tables", TABLES, "--seed", "table talk", "--data", data, "--json")


def results(ran: Ran) -> list[dict[str, Any]]:
    """What does not depend on when and where it was played."""
    return [
        {key: value for key, value in match.items() if key not in ("root", "export")}
        for match in ran.document["matches"]
    ]


def test_the_demo_plays_every_table_to_its_end(played: Ran) -> None:
    matches = played.document["matches"]
    assert len(matches) == TABLES
    assert all(sorted(match["ranks"])[0] == 1 and match["reason"] for match in matches)
    assert played.err == ""


def test_its_exports_verify_without_a_house(played: Ran) -> None:
    files = [match["export"] for match in played.document["matches"]]
    reports = tavolata("verify", *files, "--json", "--server", "127.0.0.1:1").documents
    assert [report["holds"] for report in reports] == [True] * TABLES
    assert [report["root_hash"] for report in reports] == [match["root"] for match in played.document["matches"]]


def test_the_same_seed_gives_the_same_matches_in_another_folder(played: Ran, tmp_path: Path) -> None:
    again = tavolata("demo", "--tables", TABLES, "--seed", "table talk", "--data", tmp_path / "data", "--json")
    assert results(again) == results(played)


def test_the_same_folder_answers_the_same_demo_again(played: Ran, data: Path) -> None:
    again = tavolata("demo", "--tables", TABLES, "--seed", "table talk", "--data", data, "--json")
    assert [match["root"] for match in again.document["matches"]] == [
        match["root"] for match in played.document["matches"]
    ]


def test_a_folder_dealt_from_one_seed_refuses_another(played: Ran, data: Path) -> None:
    assert played.code == 0
    refused = tavolata("demo", "--tables", 1, "--seed", "another", "--data", data)
    assert refused.code == 1
    assert refused.err.startswith("other_key: ")


def test_a_person_reads_rankings_and_what_to_do_next(tmp_path: Path) -> None:
    ran = tavolata("demo", "--tables", 1, "--seats", 2, "--bots", "random", "--data", tmp_path / "data")
    assert ran.code == 0, ran.err
    assert "every export verified" in ran.out
    assert "tavolata replay " in ran.out
    assert "tavolata verify " in ran.out
