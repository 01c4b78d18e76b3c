"""Heats and a final: enter as many heats as you like; your record says whether you qualify.

Three orders. "Playing never hurts" says that another heat can never cost a place: ``wins_then_points`` and ``best_of``
keep to it, the older ``wins_then_average`` does not. Where all else is equal, lots decide; they are drawn over all who
entered, and do not change when somebody plays again or declines.
"""

from collections.abc import Sequence
from fractions import Fraction

from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Value
from engine.tournament.formats.lots import shuffled
from engine.tournament.played import Entry

POINTS = (1000, 100, 10, 1)
"""For places 1 to 4; 0 behind."""
FIRST_HEATS = 4
"""The older order looks at the first four heats one by one."""


class Record(Value, frozen=True):
    """One entrant's places, in the order of the heats entered; a shared place is that place for all who share it."""

    entry: Entry
    finishes: tuple[int, ...]

    def __post_init__(self) -> None:
        if any(place < 1 for place in self.finishes):
            raise Refusal("bad_format", "Places begin with 1.", Kind.INVALID)

    @property
    def wins(self) -> int:
        return self.finishes.count(1)

    @property
    def points(self) -> int:
        return sum(points_of(place) for place in self.finishes)


def points_of(place: int) -> int:
    """1000, 100, 10, 1 for the first four, then nothing."""
    return POINTS[place - 1] if place <= len(POINTS) else 0


def wins_then_points(records: Sequence[Record], lot_seed: bytes) -> tuple[Entry, ...]:
    """Most wins, then points for places, then lots: entrants, best first."""
    lots = _lots(records, lot_seed)

    def key(record: Record) -> tuple[int, int, int]:
        return -record.wins, -record.points, lots[record.entry]

    return tuple(record.entry for record in sorted(records, key=key))


def wins_then_average(records: Sequence[Record], lot_seed: bytes) -> tuple[Entry, ...]:
    """The older order: win in the first heat entered; most wins; win in the second, third, fourth entered; best average
    place over all heats entered; lots. Who entered none is last.
    """
    lots = _lots(records, lot_seed)

    def key(record: Record) -> tuple[bool, bool, int, list[bool], Fraction, int]:
        places = record.finishes
        lost = [place != 1 for place in places[:FIRST_HEATS]] + [True] * (FIRST_HEATS - len(places))
        average = Fraction(sum(places), len(places)) if places else Fraction(0)
        return not places, lost[0], -record.wins, lost[1:], average, lots[record.entry]

    return tuple(record.entry for record in sorted(records, key=key))


def best_of(records: Sequence[Record], heats: int, lot_seed: bytes) -> tuple[Entry, ...]:
    """The points of the best ``heats`` heats; then all heats, the best first; then lots."""
    if heats < 1:
        raise Refusal("bad_format", "At least one heat counts.", Kind.INVALID)
    lots = _lots(records, lot_seed)

    def key(record: Record) -> tuple[int, list[int], int]:
        best = sorted((points_of(place) for place in record.finishes), reverse=True)
        played = [-points for points in best if points]
        return -sum(best[:heats]), [*played, 0], lots[record.entry]

    return tuple(record.entry for record in sorted(records, key=key))


def _lots(records: Sequence[Record], seed: bytes) -> dict[Entry, int]:
    drawn = shuffled(sorted(record.entry for record in records), seed, "heats.lots")
    return {entry: lot for lot, entry in enumerate(drawn)}
