"""What the engine needs of the world, as protocols; ``services/kit`` implements them.

Errors here are the world's. ``Conflict`` means somebody else was first: read again, decide again. ``Unavailable``
means that nobody knows yet whether it happened: ask again with the same bytes, which is harmless for ever.
"""

from collections.abc import AsyncGenerator, Sequence
from typing import Protocol

from engine.kernel.chance import Draw, Roll
from engine.kernel.deal import Deal
from engine.kernel.value import Instant, Value

Position = int
"""A place in one partition of the log, growing but not contiguous within a match; 0 is before the first."""


class Stored(Value, frozen=True):
    """One line where it lies."""

    position: Position
    line: bytes


class Whole(Value, frozen=True):
    """A match from its first line to its newest, whose position this is; 0 and no lines for one that nobody knows."""

    lines: tuple[bytes, ...]
    position: Position


class Appended(Value, frozen=True):
    """``repeated``: the very same line was already there; also when our own first try had been stored unnoticed."""

    position: Position
    repeated: bool


class Bounds(Value, frozen=True):
    """``epoch`` changes when the log is made anew; ``last`` is the position of its newest line."""

    epoch: str
    last: Position


class Conflict(Exception):
    """The match has moved on since the expected position; nothing was appended."""


class Unavailable(Exception):
    """The outcome is unknown or the other side cannot be reached. ``code`` is a literal: ``log_unavailable``,
    ``log_full``, ``deck_unavailable``.
    """

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(f"{code}: {sentence}")
        self.code = code
        self.sentence = sentence


class Failed(Exception):
    """The other side is at fault, or what it keeps is damaged: asking again does not help. ``code`` and ``sentence``
    as in ``Unavailable``.
    """

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(f"{code}: {sentence}")
        self.code = code
        self.sentence = sentence


class Log(Protocol):
    """The event log: many matches, each an ordered, append-only row of lines.

    All of it raises ``Unavailable``; ids that are none raise ``Refusal``.
    """

    @property
    def partitions(self) -> int:
        """Fixed when the log is made; a match lies in the one its id hashes to."""
        ...

    async def whole(self, match: str) -> Whole:
        """A match from its beginning, at half the cost of ``read``, for whoever need not know where each line lies. It
        leaves out as little.
        """
        ...

    async def read(self, match: str, *, after: Position, limit: int = 0) -> tuple[Stored, ...]:
        """The lines of a match behind a position (``limit`` 0: all of them). Empty for an unknown match.

        Every line that anybody has been told of before the question is in the answer.
        """
        ...

    async def last(self, match: str) -> Stored | None:
        """The newest line of a match, at the cost of one line; ``None`` for an unknown match.

        As with ``read``: if anybody has been told of a line before the question, the answer is that line or a newer.
        """
        ...

    async def append(self, game: str, match: str, line: bytes, *, expected: Position) -> Appended:
        """Append behind ``expected``, the position of the match's last line (0: the match must not exist under
        any game). Raises ``Conflict``, or ``Unavailable`` after a bounded number of tries; a repeat of the same
        line with the same ``expected`` is recognised for ever. ``Refusal`` (``commit_too_large``) for a line over
        the limit; ``BadLine`` for one that is no commit of this match.
        """
        ...

    def follow(
        self, partition: int, *, after: Position, game: str | None = None
    ) -> AsyncGenerator[Sequence[Stored], None]:
        """Every line behind a position, in order, without gaps or repeats, then each new one as it is stored: as many
        at a time as stand ready, at least one. It never waits for more.

        Goes on over lost connections. ``Refusal`` (``log_rewound``) for a position that this log does not have: it
        was restored or made anew, and whoever follows must begin again.
        """
        ...

    async def bounds(self, partition: int, *, game: str | None = None) -> Bounds:
        """The epoch of a partition, and its newest line, or the newest of one game."""
        ...


class Luck(Protocol):
    """The deck service as the rules services see it. About an open match all three answer the same for ever; repeats
    are harmless.
    """

    async def commitment(self, match: str, deal: Deal | None = None) -> str:
        """SHA-256 that binds the deck service to the seed of a match, hex; a table's is that of its whole ``deal``.

        Of an open match it is what its opening says. Raises ``Unavailable`` (``deal_not_begun``) for a table before
        the first one of its deal is open.
        """
        ...

    async def draw(self, match: str, draw_id: str, asked: Roll | Draw) -> tuple[int, ...]:
        """The faces or cards. The match's opening commit must be in the log."""
        ...

    async def reveal(self, match: str) -> str:
        """The seed, hex, once the log says that the match has ended, and every other table of its deal. Raises
        ``Refusal`` before: ``match_running``, ``deal_running``.
        """
        ...


class Clock(Protocol):
    """The time of day; a simulation has its own."""

    def now(self) -> Instant: ...

    async def sleep_until(self, at: Instant) -> None: ...
