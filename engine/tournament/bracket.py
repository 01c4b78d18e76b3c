"""An elimination as it is drawn on a wall: every round with its tables, who went where, and what is to come.

Who sits in a published round went there, whatever the plan said; where the next one is not published, it is told who
goes on as things stand, and not at which table. A draft is not looked at.
"""

from collections.abc import Mapping
from typing import Literal, TypeAlias

from engine.kernel.refusal import Refusal
from engine.kernel.value import Value
from engine.tournament.config import Stage
from engine.tournament.drafting import who_plays
from engine.tournament.formats.advance import DrawnPlace, advance
from engine.tournament.knockout import Step, going_on, plan_begun, plan_of
from engine.tournament.played import Entry
from engine.tournament.record import entrants_in, result_of
from engine.tournament.state import Phase, RoundPhase, RoundState, Standing, Tournament

By: TypeAlias = Literal["place", "wildcard", "bye"]


class Going(Value, frozen=True):
    """One who goes on: how, and between which tables. 0 is no table, or one that is not published yet."""

    entry: Entry
    by: By
    from_table: int
    to_table: int


class BracketRound(Value, frozen=True):
    """One round of the bracket. ``played`` is ``None`` for one to come; the figures are then those of the plan."""

    played: RoundState | None
    entrants: int
    sizes: tuple[int, ...]
    advance: int
    wildcards: int
    going: tuple[Going, ...] = ()
    undecided: tuple[int, ...] = ()
    """Tables whose tie a referee has to settle."""


def bracket_of(state: Tournament, stage: int) -> tuple[BracketRound, ...]:
    """The rounds of an elimination, the final last; none while nobody knows how many will play, or if so many cannot.

    ``stage`` must be one of the format.
    """
    config = state.config.stages[stage]
    assert config.format == "elimination"
    rounds = state.stage_rounds(stage)
    try:
        steps = plan_begun(config, rounds[0]) if rounds else plan_of(config, _expected(state, stage))
    except Refusal:
        return ()
    found = []
    for place, played in enumerate(rounds):
        going, undecided = _onwards(state, config, steps, rounds, place)
        sizes = tuple(len(table.entries) for table in played.tables)
        step = steps[place]
        byes = len(played.drafted.byes)
        found.append(BracketRound(played, sum(sizes) + byes, sizes, step.advance, step.wildcards, going, undecided))
    planned = [
        BracketRound(None, each.count, each.sizes, each.advance, each.wildcards) for each in steps[len(rounds) :]
    ]
    return (*found, *planned)


def _expected(state: Tournament, stage: int) -> int:
    """How many the first round will have, as things stand; 0 if nobody can say."""
    if stage > state.stage:
        return state.config.stages[stage].entrants
    if state.phase is Phase.CREATED:
        return 0
    return sum(
        each.ranked and state.entrants[each.entry - 1].standing is Standing.IN for each in entrants_in(state, stage)
    )


def _onwards(
    state: Tournament, config: Stage, steps: tuple[Step, ...], rounds: tuple[RoundState, ...], place: int
) -> tuple[tuple[Going, ...], tuple[int, ...]]:
    """Who goes on from one round, and the tables that wait for a referee."""
    played = rounds[place]
    if place + 1 == len(steps):
        return (), ()
    if place + 1 < len(rounds):
        to = {entry: table.number for table in rounds[place + 1].tables for entry in table.entries}
        return _went(state, played, steps[place], to), ()
    if played.phase is not RoundPhase.CLOSED or played.drafted.stage != state.stage:
        return (), ()
    active = who_plays(state, config, place + 2).active
    try:
        waiting, outcome = going_on(state, config, rounds, active)
    except Refusal:  # whom a referee named has dropped since: the draft will say so, and nobody is sure meanwhile
        return (), ()
    here = _tables_of(played)
    going = (
        *(Going(entry, "place", here[entry], 0) for entry in outcome.survivors),
        *(Going(entry, "wildcard", here[entry], 0) for entry in outcome.wildcards),
        *(Going(entry, "bye", 0, 0) for entry in waiting),
    )
    return going, tuple(each.table for each in outcome.undecided)


def _went(state: Tournament, played: RoundState, step: Step, to: Mapping[Entry, int]) -> tuple[Going, ...]:
    """Who sits in the next round came from here: by the place at their table if it is among those that go on."""
    here = _tables_of(played)
    entrants = entrants_in(state, played.drafted.stage)
    from_tables = [entry for entry in to if entry in here]
    results = [result_of(state, played, table) for table in played.tables]
    outcome = advance(
        [result for result in results if result is not None],
        entrants,
        step.advance,
        len(from_tables),
        drawn=DrawnPlace.SEED,
        withdrawn={each.entry for each in entrants} - set(from_tables),
    )
    placed = set(outcome.survivors)
    return tuple(
        Going(
            entry, "bye" if entry not in here else "place" if entry in placed else "wildcard", here.get(entry, 0), table
        )
        for entry, table in to.items()
        if entry in here or entry in played.drafted.byes
    )


def _tables_of(played: RoundState) -> dict[Entry, int]:
    return {entry: table.number for table in played.tables for entry in table.entries}
