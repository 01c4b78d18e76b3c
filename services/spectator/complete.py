"""Matches that are complete, each kept as one blob: a replay of the past is one read, however large the log has grown.

The log stays the truth. A blob is written when the line that closes its match comes by, in the transaction that notes
the position behind this line. It is believed as little as the log is: whoever takes its lines checks their chain, up to
the hash of the last line that stands beside it, and where anything is wrong the log is read and the blob written anew.
How the match stood at its end is kept with its lines (``services/spectator/ends.py``).

Lines of running matches are kept as they come by, up to ``RUNNING_BYTES`` of them all, so the log is seldom asked for
them again. Packing and unpacking happen in the thread of the read model.
"""

import asyncio
import zlib
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from itertools import accumulate
from typing import Any, Final

import msgspec
import structlog
from sqlmodel import Session

from engine.kernel.commit import GENESIS, BadLine, Commit, decode_line
from engine.kernel.history import BrokenLog
from engine.kernel.official import SeedRevealed
from engine.kernel.ports import Bounds, Log, Position, Stored, Unavailable
from engine.kernel.refusal import Refusal
from services.kit.database import table_of
from services.kit.line_head import LineHead
from services.kit.partition import partition_of
from services.kit.pulse import Pulse
from services.kit.read_model import ReadModel
from services.spectator.ends import Damaged, End, Ended, folded, kept_of
from services.spectator.tables import CompleteMatch

RUNNING_BYTES: Final = 32 * 1024 * 1024
"""Of lines of matches that are running. Beyond that those that have been quiet longest are let go, and read again."""

UNWRITTEN_BYTES: Final = 16 * 1024 * 1024
"""Of lines of complete matches that are not written yet; with so many the log is not followed further."""

ANSWER_S: Final = 0.25
"""For a blob. The log answers whoever would wait longer for a database."""

READ_AT_ONCE: Final = 8
"""Matches that have closed and are read from the log at the same time."""

LEVEL: Final = 6
"""Of zlib: a line of 480 bytes becomes one of 84, in 7 µs; level 1 makes it 103, in 2 µs."""

logger = structlog.get_logger()

_rows: Final = table_of(CompleteMatch)
_closing: Final = SeedRevealed.name.encode()


class Packed(msgspec.Struct, frozen=True, array_like=True):
    """What is compressed. ``steps`` are positions, each as its distance from the one before. ``end`` is missing where
    it was not kept yet, and where the lines do not fold.
    """

    steps: list[int]
    lines: list[bytes]
    end: End | None = None


class Kept(msgspec.Struct, frozen=True):
    """A match from its blob: lines whose chain holds, and the hash of the last one."""

    lines: tuple[Stored, ...]
    root: str
    end: End | None


_unpack: Final = msgspec.msgpack.Decoder(Packed)


class _Lines:
    """Of one match, from its first; and how it ended, once somebody has folded it."""

    __slots__ = ("bytes", "ended", "lines")

    def __init__(self, lines: Iterable[Stored] = (), ended: Ended | None = None) -> None:
        self.lines: list[Stored] = []
        self.ended = ended
        self.bytes = 0
        for stored in lines:
            self.add(stored)

    def add(self, stored: Stored) -> None:
        self.lines.append(stored)
        self.bytes += len(stored.line)


Closed = Mapping[str, _Lines]
"""By match id, what is to be written."""


class CompleteMatches:
    """``take`` every line in the order of the log; ``find`` what has become complete.

    In between, ``closed`` must be written by ``write`` in one transaction with the position, and then be ``settled``.
    """

    def __init__(self, log: Log, model: ReadModel) -> None:
        self._log = log
        self._model = model
        self._epochs: list[str] = []
        self._running: OrderedDict[str, _Lines] = OrderedDict()
        """The one that has been quiet longest first."""
        self._running_bytes = 0
        self._closed: dict[str, _Lines] = {}
        """Not written yet. Without lines: they are still to be read."""
        self._broken: set[str] = set()
        """Of those the ones whose blob is there, and is no good."""
        self._settled = Pulse()

    def prepare(self, bounds: Sequence[Bounds]) -> None:
        """Before all else: which log this is."""
        self._epochs = [bound.epoch for bound in bounds]

    def take(self, head: LineHead | Commit, stored: Stored) -> bool:
        """One more line of the log; whether it closes its match."""
        running = self._running.get(head.match)
        if running is None and head.revision == 1:
            running = self._running[head.match] = _Lines()
        if running is not None and head.revision == len(running.lines) + 1:
            running.add(stored)
            self._running_bytes += len(stored.line)
            self._running.move_to_end(head.match)
        closes = is_closing(stored.line)
        if closes:
            running = self._let_go(head.match)
            is_whole = running is not None and len(running.lines) == head.revision
            self._closed[head.match] = running if running is not None and is_whole else _Lines()
        while self._running_bytes > RUNNING_BYTES:
            self._let_go(next(iter(self._running)))
        return closes

    def note_end(self, match_id: str, ended: Ended) -> None:
        """Somebody has folded a match that has just closed, so it need not be folded here."""
        closed = self._closed.get(match_id)
        if closed is not None:
            closed.ended = ended

    def mend(self, match_id: str, lines: Sequence[Stored], ended: Ended | None = None) -> None:
        """A complete match had to be read from the log, or to be folded: its blob is to be written anew."""
        self._closed[match_id] = _Lines(lines, ended)

    @property
    def is_full(self) -> bool:
        """So much waits to be written that the log is to be followed no further until ``has_settled`` returns."""
        return sum(match.bytes for match in self._closed.values()) > UNWRITTEN_BYTES

    async def has_settled(self) -> None:
        """Returns after the next time that something was written."""
        await self._settled.wait()

    async def closed(self) -> Closed:
        """What is to be written now, folded. What the log cannot be asked for at the moment is there the next time."""
        missing = [match_id for match_id, match in self._closed.items() if not match.lines]
        for start in range(0, len(missing), READ_AT_ONCE):
            chunk = missing[start : start + READ_AT_ONCE]
            try:
                read = await asyncio.gather(*map(self._read_log, chunk))
            except Unavailable as error:
                logger.warning("blob_waits", reason=error.code)
                break
            self._closed.update({match_id: match for match_id, match in zip(chunk, read, strict=True) if match.lines})
        closed = {match_id: match for match_id, match in self._closed.items() if match.lines}
        for match_id, match in closed.items():
            await self._fold(match_id, match)
        return closed

    def write(self, session: Session, closed: Closed) -> None:
        """In the transaction that notes the position. What is no whole match is left out: the log tells of it."""
        rows = (self._row(match_id, match) for match_id, match in closed.items())
        self._model.upsert(session, CompleteMatch, (row for row in rows if row is not None))

    def settled(self, closed: Closed) -> None:
        """It is written."""
        for match_id, match in closed.items():
            if self._closed.get(match_id) is match:
                del self._closed[match_id]
                self._broken.discard(match_id)
        self._settled.beat()

    async def find(self, match_id: str) -> Kept | None:
        """A match from its blob; ``None`` if the log must be read.

        Raises nothing: a database that does not answer keeps nobody from watching.
        """
        if match_id in self._running or match_id in self._broken:
            return None
        try:
            async with asyncio.timeout(ANSWER_S):
                return await self._model.run(lambda session: self._read(session, match_id))
        except (TimeoutError, Unavailable, Refusal) as error:
            logger.warning("blob_not_read", match=match_id, reason=getattr(error, "code", "timeout"))
        except Damaged as error:
            self.distrust(match_id, str(error))
        return None

    def distrust(self, match_id: str, reason: str) -> None:
        """A blob was no good, and the log is read instead."""
        logger.warning("blob_damaged", match=match_id, reason=reason)

    def renew(self, match_id: str, reason: str) -> None:
        """The same when it has been taken for good already: whoever asks next reads the log."""
        self.distrust(match_id, reason)
        self._broken.add(match_id)
        self._closed[match_id] = _Lines()

    def _let_go(self, match_id: str) -> _Lines | None:
        running = self._running.pop(match_id, None)
        if running is not None:
            self._running_bytes -= running.bytes
        return running

    async def _read_log(self, match_id: str) -> _Lines:
        """Raises ``Unavailable``. What is no match of the log has no lines, and is not asked for again."""
        try:
            lines = await self._log.read(match_id, after=0)
        except Refusal:
            lines = ()
        if not lines:
            del self._closed[match_id]
            self._broken.discard(match_id)
        return _Lines(lines)

    async def _fold(self, match_id: str, match: _Lines) -> None:
        """What does not fold is kept without an end; who asks for it is told what is wrong."""
        if match.ended is None:
            with suppress(BrokenLog, Refusal):
                match.ended = await folded(match_id, match.lines)

    def _row(self, match_id: str, match: _Lines) -> dict[str, Any] | None:
        lines, ended = match.lines, match.ended
        root = chain_of(match_id, lines)
        if root is None or not is_closing(lines[-1].line):
            return None
        positions = [each.position for each in lines]
        steps = [after - before for before, after in zip([0, *positions], positions, strict=False)]
        end = kept_of(ended) if ended is not None and ended.root == root else None
        packed = msgspec.msgpack.encode(Packed(steps, [each.line for each in lines], end))
        return {
            "match_id": match_id,
            "epoch": self._epoch_of(match_id),
            "position": positions[-1],
            "commits": len(lines),
            "root": root,
            "lines": zlib.compress(packed, LEVEL),
        }

    def _read(self, session: Session, match_id: str) -> Kept | None:
        """Raises ``Damaged``."""
        row = session.connection().execute(_rows.select().where(_rows.c.match_id == match_id)).one_or_none()
        if row is None:
            return None
        if row.epoch != self._epoch_of(match_id):
            raise Damaged("it was read from another log")
        try:
            packed = _unpack.decode(zlib.decompress(row.lines))
        except (zlib.error, msgspec.MsgspecError) as error:
            raise Damaged(f"it cannot be unpacked: {error}") from error
        positions: list[Position] = list(accumulate(packed.steps))
        if not len(packed.lines) == len(positions) == row.commits or positions[-1:] != [row.position]:
            raise Damaged(f"it has {len(packed.lines)} lines up to position {positions[-1:]}")
        lines = tuple(map(Stored, positions, packed.lines))
        if chain_of(match_id, lines) != row.root:
            raise Damaged("the chain is broken, or the last line is another one")
        return Kept(lines, row.root, packed.end)

    def _epoch_of(self, match_id: str) -> str:
        return self._epochs[partition_of(match_id, len(self._epochs))]


def is_closing(line: bytes) -> bool:
    """Whether this line reveals the seed of its match, and so is its last."""
    try:
        return _closing in line and any(event.type == SeedRevealed.name for event in decode_line(line).events)
    except BadLine:
        return False


def chain_of(match_id: str, lines: Sequence[Stored]) -> str | None:
    """The hash of the last line if these are lines of one match, from the first and each sealing the one before;
    else ``None``.

    They are not decoded: a commit has one canonical form, which begins with its match and revision and ends with its
    ``prev``.
    """
    begins, head = b'{"match":"%b","revision":' % match_id.encode(), GENESIS.encode()
    for revision, stored in enumerate(lines, start=1):
        line = stored.line
        if not (line.startswith(b'%b%d,"id":"' % (begins, revision)) and line.endswith(b'],"prev":"%b"}' % head)):
            return None
        head = sha256(line).hexdigest().encode()
    return head.decode()
