"""Every published number that is another one now.

After each closed round the standings were published. Whoever corrects a result in round 1 after round 4 owes everybody
the list of what that changed, round by round; pairings are never among it.
"""

from collections.abc import Iterator

from engine.kernel.value import Value
from engine.tournament.columns.differences import PLACE, differences
from engine.tournament.exact import exact_of, shown
from engine.tournament.played import Entry
from engine.tournament.ranking import Counted
from engine.tournament.standings.ranking import Figure, Line
from engine.tournament.state import RoundPhase, Tournament


class Change(Value, frozen=True):
    """One figure as it was published after ``round`` and as it is now; empty where there was, or is, none."""

    round: int
    entry: Entry
    what: str
    """``place``, or the id of a key."""
    before: str
    after: str


def changes(before: Tournament, after: Tournament) -> tuple[Change, ...]:
    """What differs between the standings of two states of one event, by round and entrant."""
    found: list[Change] = []
    stages: dict[int, tuple[Counted, Counted]] = {}
    for played in after.rounds:
        was = before.rounds[played.number - 1] if played.number <= len(before.rounds) else None
        if was is None or was.phase is not RoundPhase.CLOSED:
            continue  # its figures had not been published
        stage, number = played.drafted.stage, played.number
        if stage not in stages:
            stages[stage] = Counted(before, stage), Counted(after, stage)
        then, now = stages[stage]
        old_table, new_table = then.table(number), now.table(number)
        if old_table and new_table:
            found.extend(Change(number, *each) for each in differences(old_table, new_table))
            continue
        if then.through(number) == now.through(number):
            continue
        old = {line.entry: line for line in then.ranking(number).lines}
        new = {line.entry: line for line in now.ranking(number).lines}
        for entry in sorted(old.keys() | new.keys()):
            found.extend(_differences(number, entry, old.get(entry), new.get(entry)))
    return tuple(found)


def _differences(number: int, entry: Entry, old: Line | None, new: Line | None) -> Iterator[Change]:
    if old == new:
        return
    was, now = _figures(old), _figures(new)
    for what in was | now:
        if was.get(what) != now.get(what):
            yield Change(number, entry, what, figure_text(was.get(what)), figure_text(now.get(what)))


def _figures(line: Line | None) -> dict[str, Figure]:
    if line is None:
        return {}
    return {PLACE: str(line.place) if line.place else None, **dict(line.keys)}


def figure_text(figure: Figure) -> str:
    """A figure of the standings for people, exact; empty where the key does not apply."""
    if figure is None:
        return ""
    if isinstance(figure, tuple):
        return " ".join(shown(exact_of(each)) for each in figure)
    return shown(exact_of(figure))
