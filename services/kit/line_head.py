"""What every log asks of a line before it takes it, so that the log in memory refuses what the real one refuses.

Only the head is looked at. Whether the line continues its match or tournament is the ``Ledger``'s question, not the
log's.
"""

import re
from functools import lru_cache
from typing import Final

import msgspec

from engine.kernel.commit import BadLine, Commit, decode_line
from engine.kernel.limits import COMMIT_BYTES_MAX
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Revision, check_id
from services.kit.family import Family


class LineHead(msgspec.Struct, frozen=True):
    """The fields of a commit that stand on the envelope."""

    match: str
    revision: Revision
    at: str


_decoder = msgspec.json.Decoder(LineHead)


LINES_REMEMBERED: Final = 1 << 7
"""Who follows the log asks what stands in a line several times, and soon after each other."""

commit_of = lru_cache(LINES_REMEMBERED)(decode_line)
"""``decode_line`` for those who follow the log: a line is decoded once, however many of them ask."""


_BEGINNING: Final = re.compile(rb'\{"match":"([A-Za-z0-9_-]+)","revision":([0-9]{1,9}),')


def beginning_of(line: bytes) -> tuple[str, Revision] | None:
    """Match and revision of a line that is in the log, for who need not read on; ``None`` for one without."""
    found = _BEGINNING.match(line)
    if found is not None:
        return found[1].decode(), int(found[2])
    head = head_of(line)
    return None if head is None else (head.match, head.revision)


def head_of(line: bytes) -> LineHead | Commit | None:
    """The head of a line that is in the log, though it be no commit in other respects; ``None`` for one without."""
    try:
        return commit_of(line)
    except BadLine:
        pass
    try:
        return _decoder.decode(line)
    except (msgspec.MsgspecError, ValueError):
        return None


def line_head(family: Family, game: str, match: str, line: bytes) -> LineHead:
    """The head of a line that may go into the log of a family.

    Raises ``Refusal`` (``commit_too_large``, ``id_malformed``, ``id_too_long``) for what a caller can mend, and
    ``BadLine`` for bytes that are no commit of this match (or tournament) or would be two lines of an export.
    """
    check_id("game", game)
    check_id(f"{family.noun} id", match)
    if len(line) > COMMIT_BYTES_MAX:
        raise Refusal(
            "commit_too_large",
            f"A commit has at most {COMMIT_BYTES_MAX} bytes; this one has {len(line)}.",
            Kind.INVALID,
        )
    if b"\n" in line:
        raise BadLine("the line has a line feed in it")
    try:
        head = _decoder.decode(line)
    except msgspec.MsgspecError as error:
        raise BadLine(f"the line is no commit: {error}") from error
    if head.match != match:
        raise BadLine(f"the line belongs to {family.noun} {head.match}, not {match}")
    return head
