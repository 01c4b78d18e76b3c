"""Durations as people write them: ``90s``, ``10m``, ``1h30m``, ``2d``; integers of milliseconds inside."""

import re
from typing import Annotated, TypeAlias

import msgspec

Milliseconds: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=365 * 24 * 3600 * 1000)]

_UNITS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_WHOLE = re.compile(r"(?:[0-9]{1,9}(?:ms|s|m|h|d))+")
_PART = re.compile(r"([0-9]+)(ms|s|m|h|d)")


def milliseconds(text: object, most: int) -> int:
    """The milliseconds of ``"1h30m"``. Raises ``ValueError`` for other texts and for more than ``most``."""
    if not isinstance(text, str) or not _WHOLE.fullmatch(text):
        raise ValueError('a duration is a text like "90s", "10m" or "1h30m"')
    total = sum(int(count) * _UNITS[unit] for count, unit in _PART.findall(text))
    if total > most:
        raise ValueError(f"a duration here is at most {duration_text(most)}")
    return total


def duration_text(ms: int) -> str:
    """The inverse, largest units first; ``"0s"`` for nothing."""
    parts = []
    for unit in ("d", "h", "m", "s", "ms"):
        count, ms = divmod(ms, _UNITS[unit])
        if count:
            parts.append(f"{count}{unit}")
    return "".join(parts) or "0s"
