"""Who goes on from a stage: the best of each table, then wildcards. Chance has no say.

A tie across the line of a table is settled by the rule of the event: the better seed, or nobody until the director has
decided. Who has dropped, is disqualified or is not ranked is passed over, and the next best of the same
table moves up. A table that nobody came to sends nobody; its places go to wildcards, or stay empty and whoever is drawn
against an empty place advances alone.
"""

from collections.abc import Collection, Mapping, Sequence
from enum import Enum
from fractions import Fraction

from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Value
from engine.tournament.formats.pods import Pod
from engine.tournament.played import Entrant, Entry, Seated, TableResult


class DrawnPlace(Enum):
    """What becomes of a tie that decides who advances."""

    SEED = "seed"
    """The better seed advances."""
    SHARE = "share"
    """They share the place, and the director says who goes on."""


class Undecided(Value, frozen=True):
    """A table that waits: ``places`` of the ``tied`` go on, and nobody knows which yet."""

    table: int
    tied: Pod
    places: int


class Advanced(Value, frozen=True):
    """The outcome of a stage. While anything is undecided, nobody is a wildcard and ``survivors`` are those who are
    sure; then ask again with what the director decided.
    """

    survivors: tuple[Entry, ...]
    """By the number of the table, the better place first."""
    wildcards: tuple[Entry, ...]
    """In the order in which they were taken."""
    undecided: tuple[Undecided, ...]
    empty: int
    """Places of the next stage that nobody is left for."""

    @property
    def everybody(self) -> tuple[Entry, ...]:
        return (*self.survivors, *self.wildcards)


def advance(
    tables: Sequence[TableResult],
    entrants: Sequence[Entrant],
    places: int,
    next_count: int,
    *,
    drawn: DrawnPlace,
    decided: Mapping[int, Sequence[Entry]] | None = None,
    withdrawn: Collection[Entry] = (),
) -> Advanced:
    """``places`` of every table go on, and ``next_count`` in all. ``decided``: table → its tied who advance,
    with or without those who do anyhow.

    A wildcard has the best place at its table, then the greatest share of its winner's score, then the best seed.
    Raises ``Refusal``: ``unknown_entrant`` for a result of somebody who did not enter, ``bad_decision`` for a decision
    that is not about the tied of that table, ``bad_format`` if more survive than the next stage holds.
    """
    known = {entrant.entry: entrant for entrant in entrants}
    out = {*withdrawn, *(entrant.entry for entrant in entrants if entrant.disqualified or not entrant.ranked)}
    survivors: list[Entry] = []
    undecided: list[Undecided] = []
    for table in sorted(tables, key=lambda table: table.number):
        for seated in table.seated:
            if seated.entry not in known:
                raise Refusal("unknown_entrant", f"No entrant has the number {seated.entry}.", Kind.MISSING)
        staying = [seated for seated in table.seated if seated.entry not in out]
        sure, tied = _line(staying, places)
        survivors += sure
        if tied and drawn is DrawnPlace.SEED:
            survivors += sorted(tied, key=lambda entry: known[entry].seed)[: places - len(sure)]
        elif tied:
            waits = Undecided(table.number, tied, places - len(sure))
            named = (decided or {}).get(table.number)
            survivors += _decided(waits, [entry for entry in named if entry not in sure]) if named is not None else ()
            undecided += [waits] if named is None else []
    if len(survivors) > next_count:
        raise Refusal("bad_format", f"{len(survivors)} survive, and the next stage holds {next_count}.", Kind.INVALID)
    if undecided:
        return Advanced(tuple(survivors), (), tuple(undecided), 0)
    candidates = _candidates(tables, known, {*out, *survivors})
    wild = tuple(candidates[: next_count - len(survivors)])
    return Advanced(tuple(survivors), wild, (), next_count - len(survivors) - len(wild))


def share_of_winner(table: TableResult, seated: Seated) -> Fraction:
    """The score as a share of the winner's: not the distance, which would favour games with low scores.

    Where the winner has no positive score there are no shares: 1 for the same score, else 0.
    """
    best = max(other.score for other in table.seated if other.place == 1)
    if best <= 0:
        return Fraction(seated.score == best)
    return Fraction(seated.score, best)


def _line(staying: Sequence[Seated], places: int) -> tuple[tuple[Entry, ...], Pod]:
    """Those who are sure to advance, best first, and those tied across the line."""
    if len(staying) <= places:
        return tuple(seated.entry for seated in sorted(staying, key=_by_place)), ()
    order = sorted(staying, key=_by_place)
    last, next_one = order[places - 1].place, order[places].place
    if last != next_one:
        return tuple(seated.entry for seated in order[:places]), ()
    sure = tuple(seated.entry for seated in order if seated.place < last)
    return sure, tuple(seated.entry for seated in order if seated.place == last)


def _by_place(seated: Seated) -> tuple[int, Entry]:
    return seated.place, seated.entry


def _decided(waits: Undecided, named: Sequence[Entry]) -> tuple[Entry, ...]:
    if len(set(named)) != waits.places or len(named) != waits.places or not set(named) <= set(waits.tied):
        raise Refusal(
            "bad_decision",
            f"At table {waits.table} the decision names {waits.places} of those who are tied, and nobody else.",
            Kind.INVALID,
        )
    return tuple(named)


def _candidates(tables: Sequence[TableResult], known: Mapping[Entry, Entrant], gone: Collection[Entry]) -> list[Entry]:
    ranked = [
        (seated.place, -share_of_winner(table, seated), known[seated.entry].seed, seated.entry)
        for table in tables
        for seated in table.seated
        if seated.entry not in gone
    ]
    return [entry for *_, entry in sorted(ranked)]
