"""Exports as a forger makes them: changed, and with every hash made right again."""

from collections.abc import Sequence

import msgspec

from engine.kernel.commit import GENESIS, Commit, decode_line, encode_line, line_hash


def chained(lines: Sequence[bytes]) -> list[bytes]:
    """The lines with every ``prev`` made right."""
    head, mended = GENESIS, []
    for line in lines:
        commit: Commit = msgspec.structs.replace(decode_line(line), prev=head)
        mended.append(encode_line(commit))
        head = line_hash(mended[-1])
    return mended


def with_swapped_outcome(lines: Sequence[bytes]) -> list[bytes]:
    """A draw of several cards is told in another order, and everything else mended."""
    number = next(n for n, line in enumerate(lines) if len(_outcome(line)) > 1)
    old = _outcome(lines[number])
    told, forged = (msgspec.json.encode(each) for each in (old, [*reversed(old)]))
    changed = lines[number].replace(b'"outcome":' + told, b'"outcome":' + forged)
    return chained([*lines[:number], changed, *lines[number + 1 :]])


def _outcome(line: bytes) -> list[int]:
    found: list[int] = msgspec.json.decode(line)["command"]["data"].get("outcome", [])
    return found


def with_other_event(lines: Sequence[bytes], old: bytes, new: bytes) -> list[bytes]:
    """The first line that has ``old`` has ``new`` instead, and everything else is mended."""
    number = next(n for n, line in enumerate(lines) if old in line)
    return chained([*lines[:number], lines[number].replace(old, new, 1), *lines[number + 1 :]])
