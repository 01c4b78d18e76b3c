"""``tavolata demo`` from an empty folder to a verified event."""

from pathlib import Path
from typing import Any

import pytest

from engine.kernel.commit import line_hash
from tests.e2e.command import Ran, tavolata, up

PLAYERS = 8
"""Two tables a round: enough to meet each other in the deck and in the log."""
TABLES = 3 * 2 + 1
"""Three rounds and the final."""


def demo(data: Path, seed: str = "table talk") -> Ran:
    return tavolata("demo", "--players", PLAYERS, "--seed", seed, "--data", data, "--json")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo") / "data"


@pytest.fixture(scope="module")
def played(data: Path) -> Ran:
    return demo(data)


def results(ran: Ran) -> list[dict[str, Any]]:
    """What does not depend on when and where it was played."""
    matches = [
        {key: value for key, value in match.items() if key not in ("root", "export")}
        for match in ran.document["matches"]
    ]
    return sorted(matches, key=lambda match: str(match["match"]))


def test_the_demo_plays_an_event_to_its_end(played: Ran) -> None:
    matches = played.document["matches"]
    assert len(matches) == TABLES
    assert {match["game"] for match in matches} == {"just4fun", "memcel", "welcome_to"}
    assert all(sorted(match["ranks"])[0] == 1 and match["reason"] for match in matches)
    report = played.document["tournament"]
    assert (report["phase"], report["rounds"], report["results"], report["entrants"]) == (
        "finished",
        4,
        TABLES,
        PLAYERS,
    )
    assert played.document["standings"][-1]["final"] is True
    assert played.err == ""


def test_its_files_verify_without_a_house(played: Ran) -> None:
    files = [match["export"] for match in played.document["matches"]]
    reports = tavolata("verify", *files, "--json", "--server", "127.0.0.1:1").documents
    assert [report["holds"] for report in reports] == [True] * TABLES
    assert [report["root_hash"] for report in reports] == [match["root"] for match in played.document["matches"]]
    log = next(file for file in played.document["files"] if file.endswith(".jsonl"))
    report = tavolata("tournament", "verify", log, "--json").document
    assert report["root_hash"] == played.document["tournament"]["root_hash"]


def test_the_same_seed_gives_the_same_event_in_another_folder(played: Ran, tmp_path: Path) -> None:
    again = demo(tmp_path / "data")
    assert results(again) == results(played)
    assert again.document["standings"] == played.document["standings"]
    assert again.document["tournament"]["final"] == played.document["tournament"]["final"]


def test_a_folder_dealt_from_one_seed_refuses_another(played: Ran, data: Path) -> None:
    assert played.code == 0
    refused = demo(data, "another")
    assert refused.code == 1
    assert '"code": "other_key"' in refused.err


def test_the_same_folder_tells_a_person_of_the_same_event_again(played: Ran, data: Path) -> None:
    """What was done is not done again: every match and the event keep their last line."""
    ran = tavolata("demo", "--players", PLAYERS, "--seed", "table talk", "--data", data)
    assert ran.code == 0, ran.err
    assert "Final standings" in ran.out
    assert "every export verified" in ran.out
    assert f"{PLAYERS} entrants; root {played.document['tournament']['root_hash'][:16]}" in ran.out
    for match in played.document["matches"]:
        assert line_hash(Path(match["export"]).read_bytes().splitlines()[-1]) == match["root"]
    for command in ("tavolata replay ", "tavolata verify ", "tavolata tournament verify "):
        assert command in ran.out


@pytest.mark.timeout(240)
def test_it_is_played_at_a_house_that_is_open_already(tmp_path: Path) -> None:
    with up(tmp_path / "house") as house:
        ran = tavolata(
            "demo", "--server", house.url, "--game", "just4fun", "--players", 4, "--data", tmp_path / "played", "--json"
        )
        assert ran.code == 0, ran.err
        report = ran.document["tournament"]
        assert (report["phase"], report["rounds"], report["entrants"]) == ("finished", 4, 4)
        assert [Path(match["export"]).exists() for match in ran.document["matches"]] == [True] * 4
        listed = tavolata("tournament", "list", "--server", house.url, "--json").document
        assert [event["tournament_id"] for event in listed] == [report["tournament"]]
    assert {path.name for path in (tmp_path / "played").iterdir()} == {"tavolata.json", "exports"}, "it opened no house"
