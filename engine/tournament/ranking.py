"""The order of a stage by its format, the cut that follows from it, and the final order of the event."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from itertools import groupby
from typing import assert_never

from engine.kernel.refusal import Kind, Refusal
from engine.tournament.columns.table import Columns, PointsTable
from engine.tournament.events import CutMade
from engine.tournament.formats.advance import share_of_winner
from engine.tournament.formats.cut import Line as CutLine
from engine.tournament.formats.cut import Ties, cut
from engine.tournament.formats.heats import Record, best_of, wins_then_average, wins_then_points
from engine.tournament.formats.pods import snake
from engine.tournament.limits import ROUNDS_MAX
from engine.tournament.played import Deduction, Entrant, Entry, RoundResult
from engine.tournament.record import (
    deductions,
    entrants_counted,
    entrants_in,
    result_of,
    results_by_round,
    rounds_counted,
    rules_of,
)
from engine.tournament.standings.book import Book
from engine.tournament.standings.ranking import Line, Ranking
from engine.tournament.standings.rules import StandingRules
from engine.tournament.state import RoundPhase, Standing, Tournament

Places = tuple[tuple[Entry, ...], ...]
"""The best first; who shares a place stands in one tuple."""


class Counted:
    """All that the standings of a stage follow from, after whichever of its rounds."""

    def __init__(self, state: Tournament, stage: int) -> None:
        self._rules = rules_of(state)
        self._entrants = entrants_counted(state, stage)
        self._rounds = results_by_round(state, stage)
        self._deductions = deductions(state, stage)
        config = state.config.stages[stage]
        self._planned = config.rounds if config.format in ("swiss", "planned", "heats") else 0

    def through(
        self, number: int
    ) -> tuple[StandingRules, tuple[Entrant, ...], tuple[RoundResult, ...], tuple[Deduction, ...]]:
        """What counts after the round ``number``: standings of equal ones are equal."""
        rounds = tuple(result for played, result in self._rounds if played <= number)
        taken = tuple(each for each in self._deductions if each.round <= number)
        return self._rules, self._entrants, rounds, taken

    def ranking(self, number: int = ROUNDS_MAX) -> Ranking:
        """The points table after the round ``number``."""
        return Ranking(Book(*self.through(number), self._planned))

    def table(self, number: int) -> PointsTable | None:
        """The same as arrays, where there are columns for it; what all rounds have in common is reckoned once."""
        last = max((result.number for played, result in self._rounds if played <= number), default=0)
        if self._columns is None or any(result.number <= last for played, result in self._rounds if played > number):
            return None
        return self._columns.table(last, number)

    @cached_property
    def _columns(self) -> Columns | None:
        return Columns.of(Book(*self.through(ROUNDS_MAX), self._planned))


def ranking(state: Tournament, stage: int, through: int = ROUNDS_MAX) -> Ranking:
    """The points table of a stage after the round ``through``: what counts there and why."""
    return Counted(state, stage).ranking(through)


def stage_order(state: Tournament, stage: int) -> Places:
    """Everybody ranked in the stage, by what its format says of first and last."""
    kind = state.config.stages[stage].format
    match kind:
        case "swiss" | "planned" | "arena":
            return _by_points(ranking(state, stage).lines)
        case "groups":
            return _by_group(state, stage)
        case "elimination":
            return _by_survival(state, stage)
        case "heats":
            return _by_heats(state, stage)
        case _:
            assert_never(kind)


def cut_of(state: Tournament, tied: tuple[Entry, ...] = ()) -> CutMade:
    """Who plays the next stage; ``tied`` is the order of those who are tied at the line, if somebody has decided it.

    Raises ``Refusal`` where a tie at the line has no rule, where others are tied than ``tied``, or too few are left.
    """
    config = state.config.stages[state.stage + 1]
    lines: list[CutLine] = []
    place = 1
    for group in stage_order(state, state.stage):
        going = [entry for entry in group if state.entrants[entry - 1].standing is Standing.IN]
        lines.extend(CutLine(entry, place) for entry in going)
        place += len(going)
    if not lines:
        raise Refusal("cut_too_large", "Nobody is left to play the next stage.")
    size = min(config.entrants or len(lines), len(lines))
    if tied:
        at_the_line = cut(lines, size, Ties.PLAYOFF).tied
        if sorted(tied) != sorted(at_the_line):
            names = ", ".join(map(str, at_the_line)) or "nobody"
            raise Refusal("bad_decision", f"Tied at the line of the cut: {names}.", Kind.INVALID)
        made = cut(lines, size, Ties.PLAYOFF, playoff=tied)
    else:
        made = cut(lines, size, Ties(config.cut_ties), lot_seed=bytes.fromhex(state.first_seed))
    return CutMade(state.stage + 1, made.through, made.reserve)


def final_order(state: Tournament) -> Places:
    """Of the whole event: who played the last stage is before who did not, and so on down to the first."""
    placed: set[Entry] = set()
    order: list[tuple[Entry, ...]] = []
    out: list[Entry] = []
    for stage in range(state.stage, -1, -1):
        if stage and all(each.phase is not RoundPhase.CLOSED for each in state.stage_rounds(stage)):
            continue  # a cut was made for it, and nobody has played it
        for group in stage_order(state, stage):
            fresh = [entry for entry in group if entry not in placed]
            placed.update(fresh)
            standing = [e for e in fresh if state.entrants[e - 1].standing is not Standing.DISQUALIFIED]
            out.extend(entry for entry in fresh if entry not in standing)
            if standing:
                order.append(tuple(standing))
    return (*order, tuple(sorted(out))) if out else tuple(order)


def groups_of(state: Tournament, stage: int) -> tuple[tuple[Entry, ...], ...]:
    """The groups of a stage, as its first round dealt them."""
    first = state.stage_rounds(stage)[0].drafted
    seeds = {each.entry: each.seed for each in entrants_in(state, stage)}
    roster = sorted((*first.byes, *(entry for pod in first.pods for entry in pod.entries)), key=seeds.__getitem__)
    size = state.config.stages[stage].group_size
    return snake(roster, max(1, len(roster) // size) if size else 1)


def _by_points(lines: tuple[Line, ...]) -> Places:
    ranked = [line for line in lines if line.place]
    return tuple(tuple(line.entry for line in group) for _, group in groupby(ranked, key=lambda line: line.place))


def _by_group(state: Tournament, stage: int) -> Places:
    """All the firsts of the groups, then all the seconds; among these by the points table of the stage. Who came when
    the groups had been dealt is in none of them, and behind.
    """
    if not state.stage_rounds(stage):
        return ()
    overall = _by_points(ranking(state, stage).lines)
    place_of = {entry: place for place, group in enumerate(overall) for entry in group}
    keyed = []
    groups = groups_of(state, stage)
    grouped = {entry for group in groups for entry in group}
    late = tuple(entry for entry in place_of if entry not in grouped)
    for group in groups:
        ranked = sorted((entry for entry in group if entry in place_of), key=place_of.__getitem__)
        for entry in ranked:
            within = sum(place_of[other] < place_of[entry] for other in ranked)
            keyed.append(((within, place_of[entry]), entry))
    keyed.extend(((len(place_of), place_of[entry]), entry) for entry in late)
    return _grouped(keyed)


def _by_survival(state: Tournament, stage: int) -> Places:
    """Who came further is better; who fell in the same round, by place, then by the share of the winner's score."""
    reached: dict[Entry, tuple[int, int, Fraction]] = {}
    for played in state.stage_rounds(stage):
        if played.phase is not RoundPhase.CLOSED:
            continue
        for entry in played.drafted.byes:
            reached[entry] = (-played.number, 0, Fraction())
        for table in played.tables:
            result = result_of(state, played, table)
            for entry in table.entries:
                reached[entry] = (-played.number, len(table.entries), Fraction())
            if result is not None:
                for seated in result.seated:
                    reached[seated.entry] = (-played.number, seated.place, -share_of_winner(result, seated))
    for each in entrants_in(state, stage):
        reached.setdefault(each.entry, (0, 0, Fraction()))
    return _grouped([(key, entry) for entry, key in reached.items() if state.entrants[entry - 1].ranked])


def _by_heats(state: Tournament, stage: int) -> Places:
    finishes: dict[Entry, list[int]] = {
        each.entry: [] for each in entrants_in(state, stage) if each.ranked and not each.disqualified
    }
    for played in rounds_counted(state, stage):
        for table in played.tables:
            for seated in table.seated:
                if seated.entry in finishes:
                    finishes[seated.entry].append(seated.place)
    records = [Record(entry, tuple(places)) for entry, places in finishes.items()]
    seed = bytes.fromhex(state.first_seed)
    config = state.config.stages[stage]
    match config.qualify:
        case "HMW":
            order = wins_then_average(records, seed)
        case "HMW-P":
            order = wins_then_points(records, seed)
        case "best":
            order = best_of(records, config.best_heats, seed)
        case _:
            assert_never(config.qualify)
    out = tuple(each.entry for each in entrants_in(state, stage) if each.ranked and each.disqualified)
    last = (out,) if out and state.config.scoring.rank_disqualified else ()
    return (*((entry,) for entry in order), *last)


def _grouped(keyed: Sequence[tuple[tuple[int | Fraction, ...], Entry]]) -> Places:
    ordered = sorted(keyed)
    return tuple(tuple(entry for _, entry in group) for _, group in groupby(ordered, key=lambda each: each[0]))
