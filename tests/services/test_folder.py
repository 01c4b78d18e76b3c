"""One data folder, one house: two logs written into one folder would destroy each other."""

import asyncio
import sys
from pathlib import Path

import pytest

from engine.kernel.refusal import Refusal
from services.local import folder
from services.local.folder import held


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
