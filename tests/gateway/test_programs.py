"""The bots of the documentation play at a real gateway, as they stand."""

import asyncio
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.gateway.front import front

EXAMPLES: Final = Path(__file__).parents[2] / "docs/examples"
COMMANDS: Final = {
    "python": (sys.executable, "-I", "-S", str(EXAMPLES / "bot.py")),
    "shell": ("bash", str(EXAMPLES / "bot.sh")),
}
PLAYS_S: Final = 90.0


@pytest.mark.parametrize("pair", [("python", "python"), ("python", "shell")], ids="-".join)
async def test_two_programs_play_a_match_to_its_end(tmp_path: Path, pair: tuple[str, str]) -> None:
    async with front(tmp_path) as gate:
        await gate.open("programs")
        playing = [
            await asyncio.create_subprocess_exec(
                *COMMANDS[kind], gate.url, "programs", str(seat), "luck",
                stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
            )
            for seat, kind in enumerate(pair)
        ]  # fmt: skip
        try:
            async with asyncio.timeout(PLAYS_S):
                said = [out.decode() for out, _ in await asyncio.gather(*(each.communicate() for each in playing))]
        finally:
            for each in playing:
                if each.returncode is None:
                    each.kill()
        assert [each.returncode for each in playing] == [0, 0], said
        end = (await gate.get("/api/matches/programs")).json()
        assert end["complete"]
        assert all(text.count("revision") > 3 for text in said), said
