"""Durations as people write them on the command line."""

from engine.kernel.durations import milliseconds
from engine.kernel.refusal import Kind, Refusal

WIRE_MAX = 2**63 - 1
"""What is too long for a clock is the match's to say, as long as it fits the wire."""

DURATIONS = "like 90s, 10m or 1h30m"


def milliseconds_of(text: str) -> int:
    """``90s`` → 90000; a bare ``0`` needs no unit. Raises ``Refusal`` (``bad_duration``) for anything else."""
    if text == "0":
        return 0
    try:
        return milliseconds(text, WIRE_MAX)
    except ValueError as error:
        raise Refusal("bad_duration", f"{str(error)[:1].upper()}{str(error)[1:]}.", Kind.INVALID) from error
