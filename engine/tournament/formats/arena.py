"""The arena: come, play, come back. The matcher looks at who waits, and says which tables open now.

(a) A pod does not sit down together twice in a row, unless the pool has held nobody else for ``patience_us``.
(b) A table opens while the pool holds ``threshold`` people, or when somebody has waited for ``patience_us``. A higher
threshold mixes better and lets people wait; see ``threshold_for``.
(c) The longest waiter sits first, then whoever has met those at the table least, then who has nearly his points.
(d) Nothing opens in the last ``typical_us`` before the horizon.
(e) Tables that run then still count: an arena is over when its time is, and its last table too.
"""

from collections.abc import Mapping, Sequence
from enum import Enum
from fractions import Fraction

from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Instant, Value
from engine.tournament.formats.pods import Pod
from engine.tournament.played import Entry

LOOK = 64
"""How many of the longest waiters are looked at for one table; the others have not waited long enough to be missed."""


class Rules(Value, frozen=True):
    """The settings of one arena; durations in microseconds."""

    smallest: int
    """Seats of the smallest table, which opens only for somebody out of patience."""
    size: int
    """Seats of an ordinary table."""
    threshold: int
    """People in the pool that open a table at once."""
    patience_us: int
    horizon: Instant
    typical_us: int
    """How long a game takes."""

    def __post_init__(self) -> None:
        if not (2 <= self.smallest <= self.size <= self.threshold and self.patience_us >= 0 and self.typical_us >= 0):
            raise Refusal(
                "bad_format",
                "An arena has tables of two or more, a threshold of at least one table, and no negative times.",
                Kind.INVALID,
            )


class Waiting(Value, frozen=True):
    """One in the pool."""

    entry: Entry
    since: Instant
    points: Fraction = Fraction(0)
    last: Pod = ()
    """Those at his last table, himself among them."""


class Phase(Enum):
    """Where an arena stands."""

    OPEN = "open"
    """Tables open."""
    CLOSING = "closing"
    """No table opens any more; those that run count."""
    OVER = "over"
    """Time is up, and no table runs."""


Meetings = Mapping[tuple[Entry, Entry], int]
"""How often two have met, the lower number first."""


def threshold_for(size: int, entrants: int) -> int:
    """Two tables' worth, or an eighth of the field if that is more."""
    return max(2 * size, entrants // 8)


def phase(now: Instant, running: int, rules: Rules) -> Phase:
    """With ``running`` tables not yet finished."""
    if now <= rules.horizon - rules.typical_us:
        return Phase.OPEN
    return Phase.CLOSING if now < rules.horizon or running else Phase.OVER


def seat(pool: Sequence[Waiting], now: Instant, rules: Rules, meetings: Meetings) -> tuple[Pod, ...]:
    """The tables to open now, in the order in which they fill; who is in none of them waits on.

    The order of ``pool`` does not matter. Raises ``Refusal`` (``bad_format``) if somebody waits twice.
    """
    if len({who.entry for who in pool}) != len(pool):
        raise Refusal("bad_format", "Nobody waits twice.", Kind.INVALID)
    if phase(now, 0, rules) is not Phase.OPEN:
        return ()
    waiting = sorted(pool, key=lambda who: (who.since, who.entry))
    pods: list[Pod] = []
    while len(waiting) >= rules.smallest:
        if len(waiting) < rules.threshold and now - waiting[0].since < rules.patience_us:
            break
        pod = _next_pod(waiting[:LOOK], rules.size, meetings) or _same_again(waiting, now, rules)
        if not pod:
            break
        waiting = [who for who in waiting[:LOOK] if who not in pod] + waiting[LOOK:]
        pods.append(tuple(who.entry for who in pod))
    return tuple(pods)


def _next_pod(waiting: Sequence[Waiting], size: int, meetings: Meetings) -> list[Waiting]:
    """The longest waiter and those who suit him. If that is a whole pod again, another one for one of them; if it
    always is, the next longest waiter first. Empty if all of these would be a pod again.
    """
    size = min(size, len(waiting))
    for first in waiting:
        pod = [first]
        while len(pod) < size:
            pod.append(_suiting(pod, waiting, meetings)[0])
        if not _is_repeated(pod):
            return pod
        for leaves in reversed(pod[1:]):
            rest = [who for who in pod if who != leaves]
            for joins in _suiting(rest, waiting, meetings):
                if not _is_repeated([*rest, joins]):
                    return [*rest, joins]
    return []


def _same_again(waiting: Sequence[Waiting], now: Instant, rules: Rules) -> list[Waiting]:
    """The whole pool, when it has been a pod, there is nobody else, and all of it is out of patience; else empty."""
    alone = len(waiting) <= rules.size and all(now - who.since >= rules.patience_us for who in waiting)
    return list(waiting) if alone else []


def _suiting(pod: Sequence[Waiting], waiting: Sequence[Waiting], meetings: Meetings) -> list[Waiting]:
    """The others, whoever has met the pod least first; then nearest points to its first; then the longest wait."""

    def key(who: Waiting) -> tuple[int, Fraction, Instant, Entry]:
        met = sum(meetings.get((min(who.entry, at.entry), max(who.entry, at.entry)), 0) for at in pod)
        return met, abs(who.points - pod[0].points), who.since, who.entry

    return sorted((who for who in waiting if who not in pod), key=key)


def _is_repeated(pod: Sequence[Waiting]) -> bool:
    """Whether these, and nobody else, were together at the last table of one of them."""
    together = {who.entry for who in pod}
    return any(set(who.last) == together for who in pod)
