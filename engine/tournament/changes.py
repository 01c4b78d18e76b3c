"""Every published number that is another one now.

After each closed round the standings were published. Whoever corrects a result in round 1 after round 4 owes everybody
the list of what that changed, round by round; pairings are never among it.
"""

from collections.abc import Iterator

from engine.kernel.value import Value
from engine.tournament.exact import exact_of, shown
from engine.tournament.played import Entry
from engine.tournament.ranking import ranking
from engine.tournament.record import deductions, entrants_counted, rounds_counted, rules_of
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
    for played in after.rounds:
        was = before.rounds[played.number - 1] if played.number <= len(before.rounds) else None
        if was is None or was.phase is not RoundPhase.CLOSED:
            continue  # its figures had not been published
        stage, number = played.drafted.stage, played.number
        if _made_of(before, stage, number) == _made_of(after, stage, number):
            continue
        old = {line.entry: line for line in ranking(before, stage, number).lines}
        new = {line.entry: line for line in ranking(after, stage, number).lines}
        for entry in sorted(old.keys() | new.keys()):
            found.extend(_differences(number, entry, old.get(entry), new.get(entry)))
    return tuple(found)


def _made_of(state: Tournament, stage: int, through: int) -> tuple[object, ...]:
    """All that the standings after a round follow from."""
    counted = rounds_counted(state, stage, through=through)
    return rules_of(state), entrants_counted(state, stage), counted, deductions(state, stage, through)


def _differences(number: int, entry: Entry, old: Line | None, new: Line | None) -> Iterator[Change]:
    if old == new:
        return
    was, now = _figures(old), _figures(new)
    for what in was | now:
        if was.get(what, "") != now.get(what, ""):
            yield Change(number, entry, what, was.get(what, ""), now.get(what, ""))


def _figures(line: Line | None) -> dict[str, str]:
    if line is None:
        return {}
    return {"place": str(line.place or ""), **{key: figure_text(figure) for key, figure in line.keys}}


def figure_text(figure: Figure) -> str:
    """A figure of the standings for people, exact; empty where the key does not apply."""
    if figure is None:
        return ""
    if isinstance(figure, tuple):
        return " ".join(shown(exact_of(each)) for each in figure)
    return shown(exact_of(figure))
