"""What ``backup`` and ``restore`` refuse, and what they leave behind when they do."""

import asyncio
import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
import structlog

from cli.backup_folder import MANIFEST, check_files, read_manifest
from services.kit.clock import SystemClock
from services.kit.jetstream import JetStreamLog
from services.kit.jetstream.backup import streams_of_the_house
from services.kit.jetstream.connection import Connection
from services.kit.jetstream.making import make_log
from services.kit.jetstream.restore import delete
from services.kit.key import load_or_make
from services.local.nats_server import NatsServer
from services.tournament.people import People
from tests.cli.here import here
from tests.e2e.command import Ran
from tests.kit.nats import nats_server
from tests.kit.stored import match_lines, store

__all__ = ["nats_server"]

LINES = match_lines(1)


@pytest.fixture
async def place(nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> "Place":
    """A log with one match, and two people."""
    await make_log(nats_server.url)
    async with await JetStreamLog.connect(nats_server.url) as log:
        await store(log, LINES)
    place = Place(nats_server, monkeypatch, tmp_path)
    await place.add_people("Ana", "Bea")
    return place


class Place:
    """Commands run in threads: they have event loops of their own."""

    def __init__(self, server: NatsServer, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        self.server = server
        self.backup = folder / "backup"
        self._monkeypatch = monkeypatch
        self._folder = folder
        self.move("first")

    def move(self, name: str, **settings: object) -> None:
        """Another database of people; the log stays where it is."""
        self.people_url = f"sqlite:///{self._folder / name / 'people.sqlite'}"
        for key, value in {"NATS_URL": self.server.url, "PEOPLE_URL": self.people_url, **settings}.items():
            self._monkeypatch.setenv(f"TAVOLATA_{key}", str(value))

    async def ask(self, *arguments: object) -> Ran:
        return await asyncio.to_thread(here, *arguments)

    async def ok(self, *arguments: object) -> Ran:
        ran = await self.ask(*arguments)
        assert ran.code == 0, ran.err
        return ran

    async def refused(self, code: str, *arguments: object) -> str:
        ran = await self.ask(*arguments)
        assert ran.code == 1
        assert f"{code}: " in ran.err, ran.err
        return ran.err

    async def add_people(self, *names: str) -> None:
        people = await People.open(self.people_url, SystemClock())
        await people.add_all([(name, "", "") for name in names])
        await people.close()

    async def names(self) -> list[str]:
        people = await People.open(self.people_url, SystemClock())
        found = await people.find_by_public_name("a", await self._ids())
        await people.close()
        return sorted(found.values())

    async def _ids(self) -> list[str]:
        rows = (self.backup / "people.jsonl").read_text().splitlines()
        return [json.loads(row)["player"] for row in rows]

    async def take_away(self, *streams: str) -> None:
        connection = await Connection.open(self.server.url, logger=structlog.get_logger(), ask_s=5, patience_s=5)
        for stream in streams:
            await delete(connection, stream)
        await connection.close()

    async def streams(self) -> tuple[str, ...]:
        connection = await Connection.open(self.server.url, logger=structlog.get_logger(), ask_s=5, patience_s=5)
        found = await streams_of_the_house(connection)
        await connection.close()
        return found

    async def lines(self) -> list[bytes]:
        async with await JetStreamLog.connect(self.server.url) as log:
            return [stored.line for stored in await log.read("m-1", after=0)]


EVERYTHING = ("MATCHES_00", "TOURNAMENTS_00", "BEATS")


async def test_everything_comes_back(place: Place) -> None:
    ran = await place.ok("backup", place.backup, "--lines")
    assert "master keys are not in it" in ran.err
    assert (place.backup / "MATCHES_00.jsonl").read_bytes() == b"".join(line + b"\n" for line in LINES)
    assert place.backup.stat().st_mode & 0o777 == 0o700
    await place.take_away(*EVERYTHING)
    place.move("second")
    ran = await place.ok("restore", place.backup)
    assert "Put the master keys" in ran.err
    assert await place.lines() == LINES
    assert await place.names() == ["Ana", "Bea"]


async def test_a_backup_is_never_written_over_another(place: Place) -> None:
    await place.ok("backup", place.backup)
    before = {path: path.read_bytes() for path in place.backup.rglob("*") if path.is_file()}
    await place.refused("backup_exists", "backup", place.backup)
    assert {path: path.read_bytes() for path in place.backup.rglob("*") if path.is_file()} == before


async def test_one_that_was_broken_off_is_none(place: Place) -> None:
    await place.ok("backup", place.backup)
    (place.backup / MANIFEST).unlink()
    await place.refused("backup_unfinished", "backup", place.backup)
    await place.take_away(*EVERYTHING)
    await place.refused("backup_unfinished", "restore", place.backup)
    await place.refused("no_log", "audit")
    await place.refused("no_backup", "restore", place.backup / "nowhere")


async def test_a_file_that_was_altered_restores_nothing(place: Place) -> None:
    await place.ok("backup", place.backup, "--lines")
    manifest, _ = read_manifest(place.backup)
    await place.take_away(*EVERYTHING)
    for file in manifest.files:
        path = place.backup / file.name
        content = path.read_bytes()
        path.write_bytes(content + b"\n")
        assert file.name in await place.refused("backup_damaged", "restore", place.backup)
        path.write_bytes(content)
    check_files(place.backup, manifest)
    await place.refused("no_log", "audit")


async def test_an_archive_that_does_not_hold_what_was_read_is_taken_away_again(place: Place) -> None:
    await place.ok("backup", place.backup)
    path = place.backup / MANIFEST
    manifest = json.loads(path.read_bytes())
    [matches] = [each for each in manifest["streams"] if each["stream"] == "MATCHES_00"]
    matches["digest"] = matches["digest"][::-1]
    path.write_text(json.dumps(manifest))
    await place.take_away(*EVERYTHING)
    told = await place.refused("restored_otherwise", "restore", place.backup)
    assert "Restored so far: TOURNAMENTS_00, BEATS." in told
    assert await place.streams() == ("TOURNAMENTS_00", "BEATS")


@pytest.mark.parametrize(
    ("code", "spoil"),
    [
        pytest.param("backup_newer", lambda text: text.replace('"format": 1', '"format": 2'), id="a newer format"),
        pytest.param("backup_damaged", lambda text: text[:-20], id="half a manifest"),
        pytest.param("backup_damaged", lambda text: "[]", id="another document"),
        pytest.param("backup_damaged", lambda text: text.replace('"MATCHES_00"', '"OTHER_00"'), id="a foreign stream"),
    ],
)
async def test_a_manifest_that_is_none(code: str, spoil: Callable[[str], str], place: Place) -> None:
    await place.ok("backup", place.backup)
    path = place.backup / MANIFEST
    path.write_text(spoil(path.read_text()))
    await place.refused(code, "restore", place.backup)


async def test_a_house_that_is_not_empty_keeps_what_it_has(place: Place) -> None:
    await place.ok("backup", place.backup)
    await place.refused("streams_exist", "restore", place.backup)
    await place.take_away(*EVERYTHING)
    place.move("third")
    await place.add_people("Eve")
    await place.refused("people_exist", "restore", place.backup)
    place.move("fourth", PARTITIONS=2)
    await place.refused("partitions_fixed", "restore", place.backup)
    await place.refused("no_log", "audit")


async def test_a_restore_that_was_broken_off_goes_on(place: Place) -> None:
    await place.ok("backup", place.backup)
    await place.take_away(*EVERYTHING)
    await place.ok("restore", place.backup)
    await place.take_away("MATCHES_00")  # as if it had been broken off before the last stream
    ran = await place.ok("restore", place.backup, "--json")
    assert json.loads(ran.out)["kept"] == ["TOURNAMENTS_00", "BEATS"]
    assert await place.lines() == LINES


async def test_keys_are_in_a_backup_only_if_they_are_named(place: Place, tmp_path: Path) -> None:
    keys, target = tmp_path / "keys", tmp_path / "target"
    await place.refused("no_master_keys", "backup", place.backup, "--keys", keys)
    assert not place.backup.exists()
    files = [Path(service) / "master.key" for service in ("deck", "tournament")]
    for file in files:
        load_or_make(keys / file)
    ran = await place.ok("backup", place.backup, "--keys", keys)
    assert "The master keys are in it" in ran.err
    await place.take_away(*EVERYTHING)
    load_or_make(target / "deck" / "master.key")
    await place.refused("keys_exist", "restore", place.backup, "--keys", target)
    await place.refused("no_log", "audit")
    (target / "deck" / "master.key").unlink()
    await place.ok("restore", place.backup, "--keys", target)
    assert [(target / file).read_bytes() for file in files] == [(keys / file).read_bytes() for file in files]
    assert {(target / file).stat().st_mode & 0o777 for file in files} == {0o600}


async def test_a_backup_from_somebody_else_writes_nothing_but_keys(place: Place, tmp_path: Path) -> None:
    await place.ok("backup", place.backup)
    name = "keys/../.ssh/authorized_keys"
    (place.backup / "keys").mkdir()
    forged = place.backup / name
    forged.parent.mkdir()
    forged.write_text("a stranger's")
    manifest = json.loads((place.backup / MANIFEST).read_text())
    digest = hashlib.sha256(forged.read_bytes()).hexdigest()
    manifest["keys"] = [{"name": name, "bytes": forged.stat().st_size, "sha256": digest}]
    (place.backup / MANIFEST).write_text(json.dumps(manifest))
    await place.take_away(*EVERYTHING)
    home = tmp_path / "home"
    (home / "keys").mkdir(parents=True)
    await place.refused("backup_damaged", "restore", place.backup, "--keys", home / "keys")
    assert not (home / ".ssh").exists()
    await place.refused("no_log", "audit")


async def test_every_file_of_a_backup_is_for_its_owner_alone(place: Place, tmp_path: Path) -> None:
    """Copied out of its folder, or the folder opened up, a file still has every hand of the matches that run."""
    for service in ("deck", "tournament"):
        load_or_make(tmp_path / "keys" / service / "master.key")
    before = os.umask(0o022)
    try:
        await place.ok("backup", place.backup, "--lines", "--keys", tmp_path / "keys")
    finally:
        os.umask(before)
    paths = [place.backup, *place.backup.rglob("*")]
    assert len([path for path in paths if path.is_file()]) == 12
    assert {path.stat().st_mode & 0o777 for path in paths if path.is_file()} == {0o600}
    assert {path.stat().st_mode & 0o777 for path in paths if path.is_dir() and path.name != "keys"} == {0o700}
