"""One data folder, one house: two logs written into one folder would destroy each other."""

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest

from engine.kernel.refusal import Refusal
from services.kit.jetstream import JetStreamLog
from services.kit.jetstream.credentials import Login, read_seed
from services.kit.jetstream.users import authorization, users
from services.local import folder
from services.local.folder import FORMAT, check_folder, held
from services.local.keys import make_seeds, seed_file
from services.local.nats_server import NatsServer
from tests.kit.lines import fill, line_of


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder, "PATIENCE_S", 0.3)


async def test_a_folder_is_held_by_one_house_at_a_time(tmp_path: Path) -> None:
    async with held(tmp_path / "data"):
        with pytest.raises(Refusal) as refused:
            async with held(tmp_path / "data"):
                pass
    assert refused.value.code == "data_folder_in_use"
    async with held(tmp_path / "data"):
        pass


def test_a_folder_is_for_its_owner_alone(tmp_path: Path) -> None:
    """The log in it has every hand, and its server lets the owner's group read it."""
    before = os.umask(0o022)
    try:
        check_folder(tmp_path / "houses" / "data")
    finally:
        os.umask(before)
    assert (tmp_path / "houses" / "data").stat().st_mode & 0o777 == 0o700


async def test_a_folder_is_free_only_when_the_process_that_writes_there_has_ended(tmp_path: Path) -> None:
    async with held(tmp_path / "data") as lock:
        writer = await asyncio.create_subprocess_exec(
            sys.executable, "-c", "input()", stdin=asyncio.subprocess.PIPE, pass_fds=(lock,)
        )
    try:
        with pytest.raises(Refusal) as refused:
            async with held(tmp_path / "data"):
                pass
        assert refused.value.code == "data_folder_in_use"
    finally:
        await writer.communicate(b"\n")
    async with held(tmp_path / "data"):
        pass


async def test_who_waits_for_a_folder_gets_it_when_it_is_let_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder, "PATIENCE_S", 30)

    async def second() -> None:
        async with held(tmp_path / "data"):
            pass

    async with held(tmp_path / "data"):
        waiting = asyncio.create_task(second())
        await asyncio.sleep(0)
    async with asyncio.timeout(20):
        await waiting


async def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(Refusal) as refused:
        async with held(tmp_path / "file" / "data"):
            pass
    assert refused.value.code == "data_folder"


async def test_a_folder_from_before_there_were_users_is_taken_over(tmp_path: Path) -> None:
    data = tmp_path / "data"
    check_folder(data)
    (data / "tavolata.json").write_text('{"format": 1}\n')
    async with (
        NatsServer(data / "nats", durability="fast") as server,
        await JetStreamLog.connect(server.url, create=True) as log,
    ):
        lines = await fill(log, "hearts", "m1", 3)
        epoch = (await log.bounds(0)).epoch
    for _ in range(2):
        async with held(data):
            pass
    assert json.loads((data / "tavolata.json").read_text()) == {"format": FORMAT}
    everybody = users(["hearts"], partitions=1)
    keys = make_seeds(tmp_path / "seeds", [user.name for user in everybody])
    rules = Login(read_seed(seed_file(tmp_path / "seeds", "rules-hearts")))
    async with (
        NatsServer(data / "nats", durability="fast", users=authorization(everybody, keys)) as server,
        await JetStreamLog.connect(server.url, login=rules) as log,
    ):
        assert [stored.line for stored in await log.read("m1", after=0)] == lines
        assert (await log.bounds(0)).epoch == epoch
        await log.append("hearts", "m1", line_of("m1", 4, before=lines[-1]), expected=3)


@pytest.mark.parametrize("found", ["3", "0", '"1"', "true"])
def test_a_folder_of_another_format_is_refused(tmp_path: Path, found: str) -> None:
    check_folder(tmp_path)
    (tmp_path / "tavolata.json").write_text(f'{{"format": {found}}}')
    with pytest.raises(Refusal, match="data_folder_newer"):
        check_folder(tmp_path)
