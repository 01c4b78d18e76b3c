"""Real matches in a real log, and what a disk may do to them."""

from collections.abc import Sequence
from pathlib import Path

from engine.games import find_game
from engine.kernel.commit import decode_line
from engine.kernel.ports import Log
from tests.kit.table import play

HASH_BYTES = 64


def match_lines(number: int) -> list[bytes]:
    """A complete match ``m-<number>`` of two, the same for the same number."""
    return list(play(find_game("just4fun"), 2, {}, number).lines)


async def store(log: Log, lines: Sequence[bytes]) -> list[int]:
    """Append a match or an event; the positions of its lines."""
    positions: list[int] = []
    for line in lines:
        commit = decode_line(line)
        kind = commit.rules.partition("/")[0]
        expected = positions[-1] if positions else 0
        positions.append((await log.append(kind, commit.match, line, expected=expected)).position)
    return positions


def flip(store_folder: Path, stream: str, line: bytes) -> None:
    """One bit of a stored line turns over on the disk of one node, which must not be running."""
    end = line[-HASH_BYTES - 2 :]  # ends in the hash of the line before, which stands there once
    found = []
    for block in store_folder.rglob("*.blk"):
        content = block.read_bytes()
        if stream in block.parts and end in content:
            found.append(block)
            at = content.index(end)
            with block.open("r+b") as file:
                file.seek(at)
                file.write(bytes([content[at] ^ 1]))
    assert len(found) == 1, f"the line lies in {found}"
