"""The drill: a house is copied while it plays, all of it is destroyed, and it goes on in another folder."""

import asyncio
import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from cli.backup_folder import MANIFEST
from cli.backup_restoring import closed_house
from engine.kernel.commit import decode_line
from services.scoring.main import scoring_app
from tests.cli.here import Client, here
from tests.e2e.command import Ran, tavolata, up
from tests.kit.nats import until

CONFIG = """
name = "Drill"
[[stages]]
name = "Swiss"
format = "swiss"
games = ["just4fun"]
rounds = 1
"""
PEOPLE = "name,contact\nAna,a@x\nBea,b@x\nCia,c@x\nDea,d@x\n"
PACE_MS = 150
"""A move of the match that has to be under way while the house is copied: it takes some seconds to its end."""


@pytest.mark.timeout(240)
def test_a_house_that_was_destroyed_goes_on_from_its_backup(tmp_path: Path) -> None:
    lost, found, backup = tmp_path / "lost", tmp_path / "found", tmp_path / "backup"
    with up(lost) as opened:
        house = Client(opened)
        prepare(house, tmp_path)
        taken = here("backup", backup, "--data", lost, "--lines", "--keys", lost, "--json").document
        names = entrants(house)
    shutil.copytree(lost / "read", tmp_path / "stale")
    shutil.rmtree(lost)
    assert taken["people"] == 4
    stored = lines_of(backup, "plays")
    assert len(stored) > 1

    elsewhere = tavolata("restore", backup, settings={"TAVOLATA_PARTITIONS": "4"})
    assert (elsewhere.code, elsewhere.err.split(":")[0]) == (1, "partitions_fixed")
    restored = here("restore", backup, "--data", found, "--json").document
    assert restored["streams"] == taken["streams"]
    shutil.copytree(tmp_path / "stale", found / "read")  # read models of the log that is gone

    with up(found) as opened:
        house = Client(opened)
        ok(house.ask("watch", "plays", "--json"))  # to its end: its luck is that of the old house
        ended = house.ask("export", "plays").out.encode().splitlines()
        assert ended[: len(stored)] == stored
        ok(house.ask("verify", "--all"))
        assert entrants(house) == names
        [table] = house.ask("tournament", "round", "drill", "1", "--json").document["tables"]
        assert house.ask("match", "show", table["match_id"], "--json").document["pending"]
        audited = here("audit", "--data", found, "--json").document
        assert (audited["findings"], audited["complete"], audited["running"]) == ([], 2, 2)
    rows = scores(found)
    assert {row[1] for row in rows if row[0] == "match"} == {"over", "plays", table["match_id"]}
    for service in ("scoring", "spectator", "tournament"):
        assert "read_model_of_another_log" in (found / "logs" / f"{service}.log").read_text()

    asyncio.run(folds_to(found, tmp_path / "refold", rows))


async def folds_to(data: Path, folder: Path, rows: list[tuple[Any, ...]]) -> None:
    """A read model that is made from the first line of the log comes to the same rows."""
    async with closed_house(data) as here:
        settings = msgspec.structs.replace(here, database_url=f"sqlite:///{folder / 'read' / 'scoring.sqlite'}")
        async with scoring_app(settings) as scoring:
            running = asyncio.ensure_future(scoring.run())
            try:
                await until(lambda: scores(folder) == rows, "the log is folded to the same scores")
            finally:
                running.cancel()
                await asyncio.gather(running, return_exceptions=True)


def prepare(house: Client, folder: Path) -> None:
    """An event whose round is under way, a match that is over, and one that bots play now."""
    config, people = folder / "drill.toml", folder / "people.csv"
    config.write_text(CONFIG)
    people.write_text(PEOPLE)
    for command in (
        ("create", config),
        ("open",),
        ("register", "--file", people),
        ("open-check-in",),
        ("check-in", "--all"),
        ("close",),
        ("pair",),
        ("publish",),
    ):
        ok(house.ask("tournament", command[0], "drill", *command[1:]))
    ok(house.ask("match", "open", "just4fun", "--seats", 2, "--id", "over", "--bots", "random"))
    ok(house.ask("watch", "over", "--json"))
    ok(house.ask("match", "open", "just4fun", "--seats", 2, "--id", "plays", "--bots", f"random@{PACE_MS}"))


def ok(ran: Ran) -> Ran:
    assert ran.code == 0, ran.err
    return ran


def entrants(house: Client) -> Any:
    found = house.ask("tournament", "find", "a", "--json").document
    assert [each["name"] for each in found] == ["Ana", "Bea", "Cia", "Dea"]
    return found


def lines_of(backup: Path, match: str) -> list[bytes]:
    lines = (backup / "MATCHES_00.jsonl").read_bytes().splitlines()
    assert json.loads((backup / MANIFEST).read_bytes())["format"] == 1
    return [line for line in lines if decode_line(line).match == match]


def scores(data: Path) -> list[tuple[Any, ...]]:
    """Every row that the scoring service has folded, without how far it has come."""
    with closing(sqlite3.connect(data / "read" / "scoring.sqlite")) as database:
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        assert len(tables) > 1
        return sorted(
            (table, *row)
            for table in tables
            if table != "checkpoint"
            for row in database.execute(f"SELECT * FROM {table}")
        )
