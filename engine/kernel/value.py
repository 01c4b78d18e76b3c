"""Seats, viewers, instants and names: the small words of the house.

A value refuses to exist when it is invalid, so no later line asks again. The engine knows seats only; people are an
opaque ``player`` text that it carries and never reads.
"""

import re
from datetime import UTC, datetime
from functools import lru_cache
from typing import TypeAlias, assert_never

import msgspec

from engine.kernel.limits import ID_LENGTH_MAX
from engine.kernel.refusal import Kind, Refusal

Seat: TypeAlias = int
"""0, 1, 2 ... in turn order round the table."""

Revision: TypeAlias = int
"""1, 2, 3 ... within a match, without gaps; 0 is before the first commit."""

Instant: TypeAlias = int
"""Microseconds since 1970-01-01T00:00:00Z."""


class Value(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """A frozen record that decodes strictly: an unknown or missing field is an error.

    The collector does not look at it: what is made of what was there before can be in no cycle.
    """


class Spectator(Value, frozen=True, tag="spectator"):
    """Anybody: what a bystander at the table may see."""


class SeatView(Value, frozen=True, tag="seat"):
    """The person in one seat."""

    seat: Seat


class Referee(Value, frozen=True, tag="referee"):
    """Sees all that has been decided; nobody sees luck that has not been asked for."""


Viewer: TypeAlias = Spectator | SeatView | Referee

_ID = re.compile(r"[A-Za-z0-9_-]+")


def viewer_named(text: str) -> Viewer:
    """``spectator``, ``referee`` or ``seat:2`` → the viewer. Raises ``Refusal`` for anything else."""
    match text.split(":"):
        case ["spectator" | ""]:
            return Spectator()
        case ["referee"]:
            return Referee()
        case ["seat", digits] if digits.isascii() and digits.isdigit() and len(digits) < 4:
            return SeatView(int(digits))
        case _:
            raise Refusal(
                "unknown_viewer",
                f"{clip(text)} is no viewer; say spectator, referee or seat:N.",
                Kind.INVALID,
            )


def viewer_name(viewer: Viewer) -> str:
    """The inverse of ``viewer_named``."""
    match viewer:
        case Spectator():
            return "spectator"
        case Referee():
            return "referee"
        case SeatView(seat):
            return f"seat:{seat}"
        case _:
            assert_never(viewer)


def speaks_for(viewer: Viewer, seat: Seat) -> bool:
    """Whether ``viewer`` may know what ``seat`` keeps to itself."""
    match viewer:
        case Spectator():
            return False
        case SeatView(own):
            return own == seat
        case Referee():
            return True
        case _:
            assert_never(viewer)


def check_id(what: str, text: str) -> str:
    """``text`` if it can stand as one token of a subject and one file name, else a ``Refusal``.

    ``what`` names the field in the sentence: "match id", "command id".
    """
    if len(text) > ID_LENGTH_MAX:
        raise Refusal(
            "id_too_long",
            f"A {what} has at most {ID_LENGTH_MAX} characters; this one has {len(text)}.",
            Kind.INVALID,
        )
    if not _ID.fullmatch(text):
        raise Refusal(
            "id_malformed",
            f"A {what} is made of A-Z a-z 0-9 _ -, and is not empty; {clip(text)} is not.",
            Kind.INVALID,
        )
    return text


def clip(text: str, length: int = 40) -> str:
    """Input quoted in a sentence: printable, and never longer than ``length`` characters."""
    shown = "".join(letter if letter.isprintable() else "�" for letter in text[: length + 1])
    return f"'{shown}'" if len(text) <= length else f"'{shown[:length]}…'"


def instant_text(at: Instant) -> str:
    """1764449289123456 → ``2025-11-29T20:48:09.123456Z``: always six decimals, so texts sort as instants do."""
    seconds, microseconds = divmod(at, 1_000_000)
    return f"{_second_text(seconds)}.{microseconds:06d}Z"


def instant_of(text: str) -> Instant:
    """The inverse of ``instant_text``. Raises ``ValueError`` for any other form."""
    fraction = text[20:26]
    if not (text[26:] == "Z" and fraction.isdigit() and fraction.isascii()):
        raise ValueError(f"{text} is not in the form 2026-01-31T23:59:59.000000Z")
    second = _SECONDS.get(text[16:20])
    if second is None:
        raise ValueError(f"{text} has no second of a minute")
    return (_minute_of(text[:16]) + second) * 1_000_000 + int(fraction)


_SECONDS = {f":{second:02d}.": second for second in range(60)}

SECONDS_REMEMBERED = 1 << 12
"""Many commits of many matches name the same second, and those of one event the same minutes."""


@lru_cache(SECONDS_REMEMBERED)
def _second_text(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).replace(tzinfo=None).isoformat()


@lru_cache(SECONDS_REMEMBERED)
def _minute_of(text: str) -> int:
    """``2026-01-31T23:59`` → its first second."""
    second = int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())
    if _second_text(second) != f"{text}:00":
        raise ValueError(f"{text} is not in the form 2026-01-31T23:59")
    return second
