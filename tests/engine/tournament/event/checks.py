"""What always holds of an event: one function a law, over a state, over a step, or over the whole log."""

from collections import Counter
from collections.abc import Iterator, Sequence
from enum import Enum
from fractions import Fraction
from itertools import pairwise
from typing import Any

import msgspec

from engine.kernel.commit import Commit, decode_line
from engine.kernel.ports import Stored
from engine.kernel.row import Row
from engine.tournament import events as e
from engine.tournament.aggregate import TournamentLedger, tournament_ledger
from engine.tournament.bracket import bracket_of
from engine.tournament.director import Director, OpenTable
from engine.tournament.drafting import draft_round, who_plays
from engine.tournament.exact import exact_of
from engine.tournament.formats.chances import Chance
from engine.tournament.outlook import outlook
from engine.tournament.ranking import ranking, stage_order
from engine.tournament.record import (
    NEVER_TOOK_PART,
    byes_had,
    deductions,
    entrants_counted,
    entrants_in,
    rounds_counted,
    rules_of,
)
from engine.tournament.schemes import Places
from engine.tournament.standings.explained import explain_line
from engine.tournament.standings.ranking import standings
from engine.tournament.state import RoundPhase, RoundState, Standing, TablePhase, Tournament

# -- of every state ----------------------------------------------------------------------------------------------------


def check_state(state: Tournament) -> None:
    for played in state.rounds:
        _check_round(state, played)
    assert len({each.entry for each in state.entrants}) == len(state.entrants)
    assert [each.entry for each in state.entrants] == list(range(1, len(state.entrants) + 1))
    assert not list(_floats(state)), "a number that is not exact"
    open_rounds = [each for each in state.rounds if each.phase in (RoundPhase.PUBLISHED, RoundPhase.RUNNING)]
    assert open_rounds in ([], [state.newest]), "only the newest round is open"
    assert state.draft is None or not open_rounds, "a draft stands on closed rounds"
    _check_steps(state)


def _check_round(state: Tournament, played: RoundState) -> None:
    assert played.unsettled == sum(not table.settled for table in played.tables)
    assert [table.index for table in played.tables] == list(range(1, len(played.tables) + 1))
    assert len({table.number for table in played.tables}) == len(played.tables), "two tables have one number"
    arena = state.config.stages[played.drafted.stage].format == "arena"
    if arena:
        busy = Counter(
            entry
            for table in played.tables
            if table.phase in (TablePhase.WAITING, TablePhase.OPEN)
            for entry in table.entries
        )
    else:
        busy = Counter(entry for table in played.tables for entry in table.entries)
        assert played.phase is not RoundPhase.RUNNING or played.unsettled, "nothing is left that could close the round"
    assert all(times == 1 for times in busy.values()), "somebody sits twice"
    for table in played.tables:
        assert set(table.no_shows) <= set(table.entries)
        assert (table.phase is TablePhase.DONE) == (table.result is not None)


def _check_steps(state: Tournament) -> None:
    """The house is owed the same things however often it asks, and each match is opened under one name."""
    steps = Director().resume(state)
    assert steps == Director().resume(state)
    opened = [step for step in steps if isinstance(step, OpenTable)]
    assert len({step.match for step in opened}) == len(opened)
    newest = state.newest
    waiting = [t for t in newest.tables if t.phase is TablePhase.WAITING] if newest is not None else []
    assert len(opened) == len(waiting)


def _floats(value: Any) -> Iterator[Any]:
    if isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            yield from _floats(getattr(value, name))
    elif isinstance(value, dict):
        for key, held in value.items():
            yield from _floats(key)
            yield from _floats(held)
    elif isinstance(value, tuple | list | frozenset | Row):
        for held in value:
            yield from _floats(held)
    elif value is not None and not isinstance(value, int | str | bytes | Enum):
        yield value


# -- of standings ------------------------------------------------------------------------------------------------------


def check_standings(state: Tournament, stage: int) -> None:
    """A total order, the same however results are listed; explanations add up; tables pay what the scheme says."""
    table = ranking(state, stage)
    lines = table.lines
    entrants = entrants_counted(state, stage)
    assert sorted(line.entry for line in lines) == [each.entry for each in entrants_in(state, stage)]
    placed = [line for line in lines if line.place]
    assert [line.place for line in placed] == [
        1 + sum(other.place < line.place for other in placed) for line in placed
    ], "places are 1, 2, 2, 4"
    counted = rounds_counted(state, stage)
    mixed = tuple(msgspec.structs.replace(each, tables=each.tables[::-1], awards=each.awards[::-1]) for each in counted)
    planned = table.book.planned_rounds
    assert lines == standings(rules_of(state), entrants[::-1], mixed, deductions(state, stage)[::-1], planned)
    paid: dict[tuple[int, int], Fraction] = {}
    for line in lines:
        for key in explain_line(table, line.entry).keys:
            if key.value is None or isinstance(key.value, tuple):
                continue
            parts = [exact_of(part.value) for part in key.parts]
            assert not parts or sum(parts) == exact_of(key.value), f"{key.key} of {line.entry} does not add up"
            if key.key == "TP":
                assert sum(parts) == exact_of(key.value)
                for part in key.parts:
                    if part.table:
                        at = (part.round, part.table)
                        paid[at] = paid.get(at, Fraction()) + exact_of(part.value)
    scheme = state.config.scoring.scheme
    if isinstance(scheme, Places) and "TP" in state.config.scoring.order and not state.config.scoring.best_of:
        listed = {line.entry for line in lines}
        for each in counted:
            for result in each.tables:
                if any(seat.entry not in listed for seat in result.seated):
                    continue
                row = scheme.row(len(result.seated)) or ()
                assert paid[each.number, result.number] == sum(map(exact_of, row)), "a table pays its row"


# -- of a step ---------------------------------------------------------------------------------------------------------


def check_step(before: Tournament, after: Tournament, events: Sequence[e.Event]) -> None:
    for old, new in zip(before.rounds, after.rounds, strict=False):
        assert new.drafted == old.drafted, "what was published stays"
        assert new.absent == old.absent
        pairs = list(zip(old.tables, new.tables, strict=False))
        assert len(pairs) == len(old.tables)
        assert all((a.index, a.number) == (b.index, b.number) for a, b in pairs)
        if not any(isinstance(each, e.Substituted) for each in events):
            assert all(a.entries == b.entries for a, b in pairs)
    for each in events:
        if isinstance(each, e.RoundDrafted):
            _check_draft(before, each)
        elif isinstance(each, e.RoundPublished):
            _check_published(before, after)
        elif isinstance(each, e.CutMade):
            _check_cut(before, each)
            _check_chances(before, each)
        elif isinstance(each, e.Finished):
            _check_final(after)
        elif isinstance(each, e.Dropped):
            _check_drop(before, after)


def _check_draft(state: Tournament, drafted: e.RoundDrafted) -> None:
    """Everybody who plays is at one table or has a bye; tables have their sizes; byes go round."""
    stage = state.config.stages[drafted.stage]
    called = who_plays(state, stage, drafted.stage_round)
    seated = [entry for pod in drafted.pods for entry in pod.entries]
    everybody = [*seated, *drafted.byes]
    assert len(set(everybody)) == len(everybody), "somebody is in the draft twice"
    assert set(everybody) <= {*called.active, *called.fill}, "somebody is in the draft who does not play"
    if stage.format in ("swiss", "planned", "groups", "heats"):
        assert set(called.active) <= set(everybody), "somebody is in no pod, and has no bye"
    if stage.format == "elimination":
        _check_bracket(state, drafted)
        limits = range(2 if len(drafted.pods) > 1 else 1, max(stage.largest, stage.final) + 1)
    else:
        limits = range(stage.smallest, stage.largest + 1)
    assert all(len(pod.entries) in limits for pod in drafted.pods), "a table is too small or too large"
    if stage.format in ("swiss", "heats") and drafted.byes:
        had = byes_had(state)
        fewest = min((had[entry] for entry in seated if entry in called.active), default=0)
        assert all(had[entry] <= fewest for entry in drafted.byes), "a second bye, and somebody had none"


def _check_bracket(state: Tournament, drafted: e.RoundDrafted) -> None:
    """Those who were shown to go on are drafted, and nobody else; of those before it is told where they went."""
    rounds = bracket_of(state, drafted.stage)
    begun = [each for each in rounds if each.played is not None]
    if not begun:
        return
    assert len(begun) == drafted.stage_round - 1
    everybody = sorted((*drafted.byes, *(entry for pod in drafted.pods for entry in pod.entries)))
    assert sorted(going.entry for going in begun[-1].going) == everybody, "others go on than were shown to"
    for each, after in pairwise(begun):
        assert after.played is not None
        to = {entry: table.number for table in after.played.tables for entry in table.entries}
        assert all(to[going.entry] == going.to_table for going in each.going)
        assert len({going.entry for going in each.going}) == len(each.going)


def _check_chances(before: Tournament, made: e.CutMade) -> None:
    """Who was through is, and who was out is not; lots and referees decide among the others alone."""
    groups = stage_order(before, before.stage)
    places = {entry: 1 + sum(map(len, groups[:number])) for number, group in enumerate(groups) for entry in group}
    points = {line.entry: exact_of(line.points) for line in ranking(before, before.stage).lines}
    for entry, chance in outlook(before, before.stage, points, places).items():
        assert chance is not Chance.CLINCHED or entry in made.entries
        assert chance is not Chance.ELIMINATED or entry not in made.entries


def _check_published(before: Tournament, after: Tournament) -> None:
    """Everybody who is in and here is at one table, has a bye, or is told to be absent."""
    published = after.rounds[-1]
    seated = [entry for table in published.tables for entry in table.entries]
    listed = Counter([*seated, *published.drafted.byes, *published.absent])
    assert all(times == 1 for times in listed.values()), "somebody is at two places"
    gone = [entry for entry in listed if after.entrants[entry - 1].standing is not Standing.IN]
    assert not gone, f"{gone} do not take part"
    if after.config.stages[after.stage].format in ("swiss", "planned", "groups"):
        playing = {
            each.entry
            for each in entrants_in(before, before.stage)
            if each.ranked
            and after.entrants[each.entry - 1].standing is Standing.IN
            and after.entrants[each.entry - 1].since <= published.number
        }
        assert playing <= set(listed), "somebody is nowhere"


def _check_cut(before: Tournament, made: e.CutMade) -> None:
    """The first so many of the order; only a tie at the line may say otherwise, and lots only among the tied."""
    config = before.config.stages[made.stage]
    places = [
        [entry for entry in group if before.entrants[entry - 1].standing is Standing.IN]
        for group in stage_order(before, before.stage)
    ]
    going = [entry for group in places for entry in group]
    assert sorted((*made.entries, *made.in_line)) == sorted(going)
    wanted = min(config.entrants or len(going), len(going))
    assert len(made.entries) == wanted or (config.cut_ties == "expand" and len(made.entries) > wanted)
    rank = {entry: place for place, group in enumerate(places) for entry in group}
    ranks = [rank[entry] for entry in (*made.entries, *made.in_line)]
    assert ranks == sorted(ranks)
    if config.cut_ties != "lot":
        assert rank[made.entries[-1]] != (rank[made.in_line[0]] if made.in_line else None)


def _check_final(state: Tournament) -> None:
    """Everybody ranked who took part has one place."""
    order = [entry for group in state.final for entry in group]
    took_part = [
        each.entry
        for each in state.entrants
        if each.ranked
        and each.standing not in NEVER_TOOK_PART
        and (each.standing is not Standing.DISQUALIFIED or state.config.scoring.rank_disqualified)
    ]
    assert len(set(order)) == len(order), "somebody has two places"
    assert set(took_part) <= set(order), f"{sorted(set(took_part) - set(order))} have no place"


def _check_drop(before: Tournament, after: Tournament) -> None:
    assert before.rounds == after.rounds
    assert ranking(before, before.stage).lines == ranking(after, after.stage).lines


# -- of the log --------------------------------------------------------------------------------------------------------


def check_drafts(commits: Sequence[Commit], states: Sequence[Tournament]) -> None:
    """Every draft is made again, to the same bytes, from the log before it and its seed. ``states``: after each."""
    for before, commit in zip(states, commits[1:], strict=False):
        for recorded in commit.events:
            event = e.EVENTS.decode(recorded)
            if isinstance(event, e.RoundDrafted):
                assert e.EVENTS.encode(draft_round(before, event.seed)) == recorded


def check_runs(lines: Sequence[bytes], one_by_one: TournamentLedger) -> None:
    """Lines that are taken in together, however many, leave what they leave one by one."""
    for length in (2, 7, len(lines)):
        ledger = tournament_ledger(one_by_one.identity)
        for start in range(0, len(lines), length):
            run = lines[start : start + length]
            ledger.catch_up([Stored(position, line) for position, line in enumerate(run, start + 1)])
        assert ledger.state == one_by_one.state
        assert (ledger.revision, ledger.position, ledger.head) == (len(lines), len(lines), one_by_one.head)
        assert (ledger.opened_at, ledger.changed_at) == (one_by_one.opened_at, one_by_one.changed_at)
        commits = [decode_line(line) for line in lines]
        assert [ledger.revision_of(each.actor, each.id) for each in commits] == list(range(1, len(lines) + 1))


def same_standings(one: Tournament, other: Tournament) -> bool:
    """Whether all stages that have been played stand alike."""
    return one.stage == other.stage and all(
        ranking(one, stage).lines == ranking(other, stage).lines for stage in range(one.stage + 1)
    )
