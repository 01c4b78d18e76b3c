"""A line and the events in it, read in one pass: for whoever folds a long past.

``decode_line`` knows no game, so whoever folds what it has read decodes each event once more, by itself. A reader knows
what events there may be, and decodes the whole line at once. It knows the usual form alone, today's versions in the
canonical bytes; of any other line it says nothing, and ``decode_line`` and ``Codec.decode`` say what is to be made of
it. So it needs no rules of its own about what is refused, and nothing can be accepted here that is not accepted there.
"""

from typing import Any, Literal, Protocol, Union

import msgspec

from engine.kernel.codec import Codec, Recorded
from engine.kernel.limits import COMMIT_BYTES_MAX
from engine.kernel.value import Revision, Value, instant_of


class Happened(Protocol):
    """An event as it stands in a line that a reader has read."""

    @property
    def data(self) -> Any:
        """The event itself."""
        ...


class Line(Value, frozen=True):
    """A ``Commit`` whose events are decoded: the same fields in the same order."""

    match: str
    revision: Revision
    id: str
    actor: str
    at: str
    rules: str
    command: Recorded
    events: tuple[Happened, ...]
    prev: str


class LineReader:
    """Reads the lines of one game; ``families`` are all the events that may stand in them."""

    def __init__(self, *families: Codec[Any]) -> None:
        happened: list[Any] = [
            msgspec.defstruct(
                f"{kind.__name__}Happened",
                [("v", Literal[kind.v]), ("data", kind)],
                bases=(Value,),
                tag_field="type",
                tag=name,
                frozen=True,
                gc=False,
            )
            for family in families
            for name, kind in family.types.items()
        ]
        events = tuple[Union[tuple(happened)], ...]  # type: ignore[misc, valid-type]  # noqa: UP007 - made of a list
        line = msgspec.defstruct("LineOfGame", [("events", events)], bases=(Line,), frozen=True, gc=False)
        self._decoder: msgspec.json.Decoder[Line] = msgspec.json.Decoder(line)
        self._encoder = msgspec.json.Encoder()

    def read(self, line: bytes) -> Line | None:
        """``None`` for a line that is not in the usual form, whether or not it is a commit."""
        if len(line) > COMMIT_BYTES_MAX:
            return None
        try:
            read = self._decoder.decode(line)
            instant_of(read.at)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            return None
        return read if self._encoder.encode(read) == line else None
