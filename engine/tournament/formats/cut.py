"""The cut: the first so many of the standings go on.

A tie at the line is shown as what it is until the rule of the event settles it.
"""

from collections.abc import Collection, Sequence
from enum import Enum
from typing import NamedTuple

from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Value
from engine.tournament.formats.lots import shuffled
from engine.tournament.formats.pods import Pod
from engine.tournament.played import Entry


class Line(NamedTuple):
    """One line of the standings, after every tie-break. Who is still tied shares a place (1, 2, 2, 4)."""

    entry: Entry
    place: int


class Ties(Enum):
    """What settles a tie at the line."""

    EXPAND = "expand"
    """All who are tied go on; more than the size."""
    PLAYOFF = "playoff"
    """They play for it; the cut waits."""
    LOT = "lot"
    """Lots, from a seed that is recorded."""
    REFUSE = "refuse"
    """The cut cannot be made."""


class Cut(Value, frozen=True):
    """Who goes on, in the order of the standings. With a tie that is not settled, ``tied`` play for ``places``."""

    through: tuple[Entry, ...]
    tied: Pod
    places: int
    reserve: tuple[Entry, ...]
    """Next in line, the first first."""

    @property
    def is_made(self) -> bool:
        return not self.tied


def cut(
    lines: Sequence[Line],
    size: int,
    ties: Ties,
    *,
    lot_seed: bytes = b"",
    declined: Collection[Entry] = (),
    playoff: Sequence[Entry] = (),
) -> Cut:
    """The first ``size`` of ``lines`` who have not declined. ``playoff`` is the order of those who have played for it.

    Lots are drawn over all lines, so whoever declines does not change the luck of the others. Raises ``Refusal``:
    ``bad_format`` for standings out of order or somebody in them twice, ``cut_too_large``, ``tie_at_the_cut`` by the
    rule ``REFUSE``, ``bad_decision`` for a play-off that ranks some of the tied, and others not.
    """
    places = [line.place for line in lines]
    if size < 1 or len({line.entry for line in lines}) != len(lines) or places != sorted(places):
        raise Refusal("bad_format", "A cut takes at least one of standings in order, each entrant once.", Kind.INVALID)
    willing = [line for line in lines if line.entry not in declined]
    if size > len(willing):
        raise Refusal("cut_too_large", f"The cut takes {size}, and {len(willing)} are there to take.")
    last = willing[size - 1].place
    above = [line.entry for line in willing if line.place < last]
    at = [line.entry for line in willing if line.place == last]
    below = [line.entry for line in willing if line.place > last]
    wanted = size - len(above)
    if len(at) == wanted:
        return Cut((*above, *at), (), 0, tuple(below))
    match ties:
        case Ties.EXPAND:
            return Cut((*above, *at), (), 0, tuple(below))
        case Ties.LOT:
            drawn = shuffled(sorted(line.entry for line in lines), lot_seed, "cut.lots")
            at.sort(key=drawn.index)
        case Ties.PLAYOFF:
            ranked = [entry for entry in playoff if entry in at]
            if not ranked:
                return Cut(tuple(above), tuple(at), wanted, tuple(below))
            if sorted(ranked) != sorted(at):
                raise Refusal("bad_decision", f"The play-off ranks {sorted(at)}, each of them once.", Kind.INVALID)
            at = ranked
        case Ties.REFUSE:
            raise Refusal("tie_at_the_cut", f"{len(at)} are tied for the last {wanted} of {size} places.")
    return Cut((*above, *at[:wanted]), (), 0, (*at[wanted:], *below))
