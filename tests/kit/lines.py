"""Lines as the log holds them, without a game behind them: the log does not fold what it keeps."""

import msgspec

from engine.kernel.codec import Recorded
from engine.kernel.commit import GENESIS, Commit, decode_line, encode_line, line_hash
from engine.kernel.ports import Log, Position


def line_of(match: str, revision: int, *, actor: str = "host", before: bytes | None = None, padding: int = 0) -> bytes:
    """A commit of revision ``revision`` behind the line ``before``, with ``padding`` bytes of nothing in it."""
    return encode_line(
        Commit(
            match=match,
            revision=revision,
            id=f"c{revision}-{actor.replace(':', '')}",
            actor=actor,
            at="2026-11-29T20:48:09.123456Z",
            rules="none/1",
            command=Recorded("none.do", 1, msgspec.Raw(msgspec.json.encode({"padding": "x" * padding}))),
            events=(),
            prev=GENESIS if before is None else line_hash(before),
        )
    )


async def fill(log: Log, game: str, match: str, commits: int, *, padding: int = 0) -> list[bytes]:
    """Open a match and append ``commits`` lines to it."""
    lines: list[bytes] = []
    position: Position = 0
    for revision in range(1, commits + 1):
        lines.append(line_of(match, revision, before=lines[-1] if lines else None, padding=padding))
        position = (await log.append(game, match, lines[-1], expected=position)).position
    return lines


def check_chain(match: str, lines: list[bytes]) -> None:
    """Revisions 1, 2, 3 ... and each ``prev`` the hash of the line before."""
    before = GENESIS
    for revision, line in enumerate(lines, 1):
        commit = decode_line(line)
        assert (commit.match, commit.revision, commit.prev) == (match, revision, before)
        before = line_hash(line)
