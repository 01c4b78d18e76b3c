"""The matches and events that lie in files of lines, found without holding a file in memory.

An export holds one match, the lines of a backup hold all matches of a stream, one after the other and mixed. Where
each line begins is all that is kept of them until their match is replayed.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import msgspec

from cli.backup_folder import MANIFEST, PEOPLE
from engine.kernel.limits import COMMIT_BYTES_MAX
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Value


class Source(Value, frozen=True):
    """One match or event in one file: where its lines begin, in order."""

    file: str
    thing: str
    offsets: tuple[int, ...]

    def lines(self) -> list[bytes]:
        """Without their line feeds."""
        with Path(self.file).open("rb") as file:
            return [_line_at(file, offset) for offset in self.offsets]


class _Head(msgspec.Struct, frozen=True):
    match: str


_head = msgspec.json.Decoder(_Head)


def sources(folder: Path) -> list[Source]:
    """Everything in the files ``*.jsonl`` below ``folder``. Raises ``Refusal`` (``no_corpus``) if there is none."""
    found = [source for path in sorted(folder.rglob("*.jsonl")) if not _is_people(path) for source in _in_file(path)]
    if not found:
        raise Refusal("no_corpus", f"There are no files *.jsonl with matches below {folder}.", Kind.MISSING)
    return found


def _is_people(path: Path) -> bool:
    """The list of people in a backup is no log."""
    return path.name == PEOPLE and (path.parent / MANIFEST).exists()


def _in_file(path: Path) -> Iterator[Source]:
    offsets: dict[str, list[int]] = {}
    stray: list[int] = []
    at = 0
    with path.open("rb") as file:
        for line in file:
            try:
                offsets.setdefault(_head.decode(line).match, []).append(at)
            except (msgspec.MsgspecError, RecursionError):  # the second for brackets without end
                stray.append(at)
            at += len(line)
    if len(offsets) == 1 and stray:  # an export with a damaged line: the match is damaged, there is no other
        [only] = offsets.values()
        offsets, stray = {next(iter(offsets)): sorted([*only, *stray])}, []
    for thing, begins in offsets.items():
        yield Source(str(path), thing, tuple(begins))
    if stray:
        yield Source(str(path), "", tuple(stray))


def _line_at(file: BinaryIO, offset: int) -> bytes:
    file.seek(offset)
    return file.readline(COMMIT_BYTES_MAX + 2).removesuffix(b"\n")
