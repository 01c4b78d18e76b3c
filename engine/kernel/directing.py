"""What the director of an event may do to a running match: pause it, give time, call time; and what the house owes it.

The host speaks for the director. Nothing here touches the game: the clocks alone change, and the commit says why.
"""

from typing import TypeAlias, assert_never

from engine.kernel.limits import EXTENSION_MS_MAX, REASON_LENGTH_MAX
from engine.kernel.official import (
    CallTime,
    Extend,
    GiveBack,
    MatchPaused,
    MatchResumed,
    Pause,
    Resume,
    TimeCalled,
    TimeExtended,
    TimeGivenBack,
)
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.timing import Timing
from engine.kernel.value import Instant, Seat, instant_of, instant_text

Asked: TypeAlias = Pause | Resume | Extend | CallTime
Done: TypeAlias = MatchPaused | MatchResumed | TimeExtended | TimeCalled


def directed(command: Asked, timing: Timing, here: tuple[Seat, ...], at: Instant) -> Done:
    """The event of a director's command in a match that is not over; ``here`` are the seats that have not left.

    Raises ``Refusal``: ``match_paused``, ``not_paused``, ``time_called``, ``no_clock``, ``bad_extension``,
    ``unknown_seat``, ``bad_reason``.
    """
    reason = reason_of(command.reason)
    if isinstance(command, Resume):
        if not timing.paused:
            raise Refusal("not_paused", "The match is not paused.")
        return MatchResumed(reason)
    if timing.called:
        raise Refusal("time_called", "Time has been called; the house plays the match to its end.")
    match command:
        case Pause():
            _not_paused(timing)
            return MatchPaused(instant_text(at), reason)
        case Extend(ms, seat):
            if not timing.has_clock:
                raise Refusal("no_clock", "The match has no clock, so nobody can be given more time.")
            if not 0 < ms <= EXTENSION_MS_MAX:
                raise Refusal("bad_extension", f"An extension has 1 to {EXTENSION_MS_MAX} milliseconds.", Kind.INVALID)
            if seat is not None and seat not in here:
                raise Refusal("unknown_seat", f"No seat {seat} is still in this match.", Kind.INVALID)
            return TimeExtended(here if seat is None else (seat,), ms, reason)
        case CallTime():
            _not_paused(timing)
            return TimeCalled(reason)
        case _:
            assert_never(command)


def given_back(command: GiveBack, timing: Timing, at: Instant) -> TimeGivenBack:
    """What an absence of the house gives back to the turn that runs. Its ``since`` is when the loss began.

    Raises ``Refusal``: ``bad_absence``, ``not_yet``, ``nothing_lost``.
    """
    try:
        since, until = instant_of(command.since), instant_of(command.until)
    except (ValueError, OverflowError) as error:
        raise Refusal("bad_absence", "An absence lies between two instants.", Kind.INVALID) from error
    if until > at:
        raise Refusal("not_yet", f"It is not {instant_text(until)} yet.")
    lost = timing.lost_us(since, until)
    if not lost:
        raise Refusal("nothing_lost", "That absence has taken nothing from the clock, or has been given back.")
    return TimeGivenBack(instant_text(until - lost), command.until)


def reason_of(text: str) -> str:
    """``text`` if it can stand in a commit for everybody to read. Raises ``Refusal``."""
    if len(text) > REASON_LENGTH_MAX or not text.isprintable():
        raise Refusal(
            "bad_reason", f"A reason is printable text of at most {REASON_LENGTH_MAX} characters.", Kind.INVALID
        )
    return text


def _not_paused(timing: Timing) -> None:
    if timing.paused:
        raise Refusal("match_paused", "The match is paused.")
