"""Instants and spans as people read them: the clock on their wall, and the day only where it is another one.

Programs get what the log has, in UTC; this is for the screen.
"""

from datetime import datetime

from engine.kernel.durations import duration_text

SECOND_MS = 1000
MINUTE_MS = 60 * SECOND_MS


def local_time(at: str, now: datetime) -> str:
    """``2026-05-01T17:04:05.000000Z`` → ``19:04`` in Rome; on another day than ``now`` ``2026-05-01 19:04``.

    ``now`` says by its time zone where the reader is. What is no instant stays as it is.
    """
    day_and_time = local_day_and_time(at, now)
    return day_and_time.removeprefix(f"{now:%Y-%m-%d} ")


def local_day_and_time(at: str, now: datetime) -> str:
    """The same with its day always: for what is read days later."""
    try:
        return f"{datetime.fromisoformat(at).astimezone(now.tzinfo):%Y-%m-%d %H:%M}"
    except ValueError:
        return at


def here_and_now() -> datetime:
    """This moment in the time zone of this machine."""
    return datetime.now().astimezone()


def seconds_left(at: str, now: datetime) -> int | None:
    """Whole seconds until ``at``, negative behind it; ``None`` for what is no instant."""
    try:
        return int((datetime.fromisoformat(at) - now).total_seconds())
    except ValueError:
        return None


def span(ms: int) -> str:
    """``59m``, ``1h5m``: minutes, and seconds only in the last one."""
    unit = MINUTE_MS if ms >= MINUTE_MS else SECOND_MS
    return duration_text(ms // unit * unit)
