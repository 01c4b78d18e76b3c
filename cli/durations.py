"""Durations as people write them."""

import re

from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import clip

DURATIONS = "like 1500ms, 30s, 10m or 2h"

UNITS_MS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000}
DIGITS_MAX = 12
"""So many hours fit every number on the wire; what is too long for a clock is the match's to say."""

_DURATION = re.compile(rf"([0-9]{{1,{DIGITS_MAX}}})({'|'.join(UNITS_MS)})")


def milliseconds_of(text: str) -> int:
    """``90s`` → 90000; a bare ``0`` needs no unit. Raises ``Refusal`` (``bad_duration``) for anything else."""
    if text == "0":
        return 0
    found = _DURATION.fullmatch(text)
    if found is None:
        raise Refusal("bad_duration", f"A duration is {DURATIONS}, not {clip(text)}.", Kind.INVALID)
    return int(found[1]) * UNITS_MS[found[2]]
