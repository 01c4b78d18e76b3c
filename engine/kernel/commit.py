"""A commit is what one decision appends: the command and its events, as one line of JSON.

The line is the truth. It is what JetStream stores, what an export holds, byte for byte, and what the chain hashes:
``prev`` is the SHA-256 of the line before, so that nobody can alter, drop or insert a line unseen.
"""

import hashlib

import msgspec

from engine.kernel.codec import Recorded
from engine.kernel.limits import COMMIT_BYTES_MAX, SEATS_MAX
from engine.kernel.value import Revision, Value, instant_of

GENESIS = "0" * 64
"""``prev`` of revision 1."""

HOUSE = "house"
"""The actor of what the rules do by themselves."""
HOST = "host"
"""The actor that opens a match and leaves on behalf of a seat."""
LUCK = "luck"
"""The actor of outcomes and of the closing commit."""
CLOCK = "clock"
"""The actor of time-outs."""


class Commit(Value, frozen=True):
    """One line. ``rules`` is ``<game>/<version>``; ``at`` is UTC with microseconds."""

    match: str
    revision: Revision
    id: str
    actor: str
    at: str
    rules: str
    command: Recorded
    events: tuple[Recorded, ...]
    prev: str


class BadLine(Exception):
    """Bytes that are no commit. The text says what is wrong with them."""


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Commit)


def encode_line(commit: Commit) -> bytes:
    """The line without its line feed."""
    return _encoder.encode(commit)


def decode_line(line: bytes) -> Commit:
    """The commit in a line. Raises ``BadLine`` unless the bytes are exactly what ``encode_line`` would write."""
    if len(line) > COMMIT_BYTES_MAX:
        raise BadLine(f"the line has {len(line)} bytes; a commit has at most {COMMIT_BYTES_MAX}")
    try:
        commit = _decoder.decode(line)
        instant_of(commit.at)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise BadLine(f"the line is no commit: {error}") from error
    if _encoder.encode(commit) != line:
        raise BadLine("the line is a commit, but not in its one canonical form")
    return commit


def line_hash(line: bytes) -> str:
    """SHA-256 of a line, hex: the next line's ``prev``."""
    return hashlib.sha256(line).hexdigest()


def seat_actor(seat: int) -> str:
    return f"seat:{seat}"


def actor_seat(actor: str) -> int | None:
    """The seat of an actor ``seat:N``; ``None`` for host, luck and clock.

    One seat has one name: ``seat:01`` is nobody, or a repeat under it would not be recognised.
    """
    kind, _, digits = actor.partition(":")
    if kind != "seat" or not digits.isascii() or not digits.isdigit() or len(digits) > len(str(SEATS_MAX)):
        return None
    return int(digits) if str(int(digits)) == digits else None
