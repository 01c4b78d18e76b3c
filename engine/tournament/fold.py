"""The event after one more fact. No rules here: what is in the log is believed."""

from collections.abc import Callable, Iterable
from typing import assert_never

from msgspec.structs import replace

from engine.kernel.row import Row
from engine.kernel.value import instant_of
from engine.tournament import events as e
from engine.tournament.fold_tables import OF_TABLES, Tables, table_after
from engine.tournament.played import Entry
from engine.tournament.state import (
    Apart,
    Cut,
    EntrantState,
    Penalty,
    Phase,
    RoundPhase,
    RoundState,
    Standing,
    TablePhase,
    TableState,
    Tournament,
)


def evolve(state: Tournament | None, event: e.Event) -> Tournament:
    """The state after ``event``; the first of an event is ``Created``, and no other is."""
    if isinstance(event, e.Created):
        assert state is None, "an event is created once"
        return Tournament(event.id, event.config, event.commitment)
    assert state is not None, "an event begins with tournament.created"
    return _evolve(state, event)


def evolve_all(state: Tournament | None, events: Iterable[e.Event]) -> Tournament | None:
    """The same for one event after the other. Tables that change in a row are put into their round once."""
    tables: Tables | None = None
    for event in events:
        if type(event) in OF_TABLES:
            assert state is not None, "an event begins with tournament.created"
            if tables is None or tables.number != event.round:  # type: ignore[union-attr]  # all of these have one
                state = tables.put_into(state) if tables else state
                tables = Tables(state.rounds[event.round - 1])  # type: ignore[union-attr]  # as above
            tables.change(event)  # type: ignore[arg-type]  # and are such
            continue
        if tables is not None:
            assert state is not None
            state, tables = tables.put_into(state), None
        state = evolve(state, event)
    return tables.put_into(state) if tables is not None and state is not None else state


def _evolve(state: Tournament, event: e.Event) -> Tournament:
    match event:
        case e.Configured(config):
            return replace(state, config=config)
        case e.RegistrationOpened():
            return replace(state, phase=Phase.REGISTRATION)
        case e.RegistrationClosed():
            return replace(state, phase=Phase.READY)
        case e.CheckInOpened():
            return replace(state, check_in_open=True)
        case e.CheckInClosed():
            return replace(state, check_in_open=False)
        case (
            e.Registered()
            | e.Admitted()
            | e.Withdrawn()
            | e.CheckedIn()
            | e.CheckedOut()
            | e.SeedsSet()
            | e.TableFixed()
            | e.HeatsEntered()
            | e.Dropped()
            | e.Returned()
        ):
            return replace(state, entrants=_people(state, event))
        case e.KeptApart(entries, points, first, last):
            return replace(state, apart=(*_without(state.apart, entries), Apart(entries, points, first, last)))
        case e.MayMeet(entries):
            return replace(state, apart=_without(state.apart, entries))
        case e.RoundDrafted():
            return replace(state, draft=event, last_seed=event.seed, drafts=state.drafts + 1)
        case e.DraftEdited(pods, byes, quality):
            assert state.draft is not None
            return replace(state, draft=replace(state.draft, pods=pods, byes=byes, quality=quality))
        case e.DraftDiscarded():
            return replace(state, draft=None)
        case e.RoundPublished(_, absent):
            assert state.draft is not None
            tables = _tables(state.draft.pods)
            published = RoundState(state.draft, RoundPhase.PUBLISHED, tables, absent, len(tables))
            return replace(state, draft=None, rounds=(*state.rounds, published), phase=Phase.RUNNING)
        case e.PenaltyGiven(number, entry, kind, points, round_number):
            before = state.entrants[entry - 1].standing
            penalty = Penalty(number, entry, kind, points, round_number, before)
            given = replace(state, penalties=(*state.penalties, penalty))
            return _stands(given, entry, Standing.DISQUALIFIED) if kind == "disqualification" else given
        case e.PenaltyRevoked(number):
            return _revoke(state, number)
        case e.CutMade(stage, entries, in_line):
            return replace(state, stage=stage, cuts=(*state.cuts, Cut(stage, entries, in_line)))
        case e.CutRevoked(stage):
            return replace(state, stage=stage - 1, cuts=state.cuts[:-1])
        case e.PlaceDeclined(entry, by):
            return replace(state, cuts=(*state.cuts[:-1], _declined(state.cuts[-1], entry, by)))
        case e.Finished(order):
            return replace(state, phase=Phase.FINISHED, final=order)
        case e.Reopened():
            return replace(state, phase=Phase.RUNNING, final=())
        case e.Commented():
            return state
        case e.Created():
            raise AssertionError("an event is created once")
        case _:
            return _in_round(state, event)


# -- people ------------------------------------------------------------------------------------------------------------


def _people(
    state: Tournament,
    event: e.Registered
    | e.Admitted
    | e.Withdrawn
    | e.CheckedIn
    | e.CheckedOut
    | e.SeedsSet
    | e.TableFixed
    | e.HeatsEntered
    | e.Dropped
    | e.Returned,
) -> Row[EntrantState]:
    entrants = state.entrants
    match event:
        case e.Registered(first, players, ranked, waiting, since):
            standing = Standing.WAITING if waiting else Standing.IN
            present = not state.config.registration.check_in
            return entrants.add(
                *[EntrantState(n, player, ranked, standing, present, since) for n, player in enumerate(players, first)]
            )
        case e.Admitted(entry, since):
            return _with(entrants, entry, standing=Standing.IN, since=since)
        case e.Withdrawn(entry):
            return _with(entrants, entry, standing=Standing.WITHDRAWN)
        case e.CheckedIn(entries):
            return entrants.put({entry - 1: replace(entrants[entry - 1], present=True) for entry in entries})
        case e.CheckedOut(entries):
            return entrants.put({entry - 1: replace(entrants[entry - 1], present=False) for entry in entries})
        case e.SeedsSet(order):
            seed_of = {entry: seed for seed, entry in enumerate(order, 1)}
            return Row(replace(each, seed=seed_of.get(each.entry, 0)) for each in entrants)
        case e.TableFixed(entry, table):
            return _with(entrants, entry, fixed_table=table)
        case e.HeatsEntered(entry, heats):
            return _with(entrants, entry, heats=heats)
        case e.Dropped(entry):
            return _with(entrants, entry, standing=Standing.DROPPED)
        case e.Returned(entry):
            return _with(entrants, entry, standing=Standing.IN)
        case _:
            assert_never(event)


def _with(entrants: Row[EntrantState], entry: Entry, **changes: object) -> Row[EntrantState]:
    return entrants.set(entry - 1, replace(entrants[entry - 1], **changes))


def _stands(state: Tournament, entry: Entry, standing: Standing) -> Tournament:
    return replace(state, entrants=_with(state.entrants, entry, standing=standing))


def _without(apart: tuple[Apart, ...], entries: tuple[Entry, Entry]) -> tuple[Apart, ...]:
    return tuple(each for each in apart if each.entries != entries)


def _revoke(state: Tournament, number: int) -> Tournament:
    revoked = next(each for each in state.penalties if each.number == number)
    penalties = tuple(replace(each, revoked=each.revoked or each is revoked) for each in state.penalties)
    after = replace(state, penalties=penalties)
    return _stands(after, revoked.entry, revoked.before) if revoked.kind == "disqualification" else after


def _declined(cut: Cut, entry: Entry, by: Entry) -> Cut:
    """The one in line comes last: who was in keeps the seed they had."""
    return replace(
        cut,
        entries=tuple(each for each in cut.entries if each != entry) + ((by,) if by else ()),
        in_line=tuple(each for each in cut.in_line if each not in (entry, by)),
        declined=(*cut.declined, entry),
    )


# -- rounds ------------------------------------------------------------------------------------------------------------

RoundEvent = (
    e.RoundStarted
    | e.RoundClosed
    | e.RoundReopened
    | e.RoundCancelled
    | e.ClockPaused
    | e.ClockResumed
    | e.ClockExtended
    | e.TimeCalled
    | e.TablesOpened
    | e.ResultReported
    | e.ResultCorrected
    | e.TableAdjudicated
    | e.TableVoided
    | e.ResultDisputed
    | e.ResultConfirmed
    | e.SurvivorsNamed
    | e.NoShowMarked
    | e.NoShowLifted
    | e.Substituted
    | e.ArenaSeated
)


def _tables(pods: tuple[e.Pod, ...], before: int = 0) -> Row[TableState]:
    return Row(TableState(index, pod.table, pod.entries) for index, pod in enumerate(pods, before + 1))


def _not_called(tables: Row[TableState]) -> Row[TableState]:
    return Row(replace(table, time_called=False) if table.time_called else table for table in tables)


def _in_round(state: Tournament, event: RoundEvent) -> Tournament:
    number = event.round
    changed = _round_after(state.rounds[number - 1], event)
    after = replace(state, rounds=(*state.rounds[: number - 1], changed, *state.rounds[number:]))
    if isinstance(event, e.NoShowMarked):
        return replace(after, entrants=_with(after.entrants, event.entry, present=False))
    if after.newest is None:
        return replace(after, phase=Phase.READY)  # its only round was cancelled: it has not begun
    return after


def _round_after(now: RoundState, event: RoundEvent) -> RoundState:
    match event:
        case e.RoundStarted(_, at, ends_at):
            ends = instant_of(ends_at) if ends_at else 0
            return replace(now, phase=RoundPhase.RUNNING, started_at=instant_of(at), ends_at=ends)
        case e.RoundClosed():
            return replace(now, phase=RoundPhase.CLOSED, ends_at=0, left_ms=0, closings=now.closings + 1)
        case e.RoundReopened():
            return replace(now, phase=RoundPhase.RUNNING)
        case e.RoundCancelled():
            return replace(now, phase=RoundPhase.CANCELLED, ends_at=0)
        case e.ClockPaused(_, left_ms):
            return replace(now, ends_at=0, left_ms=left_ms, pauses=now.pauses + 1)
        case e.ClockResumed(_, ends_at):
            return replace(now, ends_at=instant_of(ends_at), left_ms=0)
        case e.ClockExtended(_, table, ms):
            if table:
                return _at(now, table, lambda it: replace(it, extended_ms=it.extended_ms + ms, time_called=False))
            longer = replace(now, extended_ms=now.extended_ms + ms, tables=_not_called(now.tables))
            if now.ends_at:
                return replace(longer, ends_at=now.ends_at + ms * 1000)
            return replace(longer, left_ms=now.left_ms + ms)
        case e.TimeCalled(_, tables):
            return _each(now, tables, lambda it: replace(it, time_called=True))
        case e.TablesOpened(_, tables, _, at):
            opened_at = instant_of(at)
            return _each(now, tables, lambda it: replace(it, phase=TablePhase.OPEN, opened_at=opened_at))
        case e.ArenaSeated(_, beat, pods):
            more = Row([*now.tables, *_tables(pods, len(now.tables))])
            return replace(now, beat=beat, tables=more, unsettled=now.unsettled + len(pods))
        case _:
            return _at(now, event.table, lambda it: table_after(it, event))


def _at(now: RoundState, number: int, change: Callable[[TableState], TableState]) -> RoundState:
    place = now.place_of(number)
    before = now.tables[place]
    after = change(before)
    return replace(now, tables=now.tables.set(place, after), unsettled=now.unsettled + before.settled - after.settled)


def _each(now: RoundState, numbers: tuple[int, ...], change: Callable[[TableState], TableState]) -> RoundState:
    changed: dict[int, TableState] = {}
    unsettled = now.unsettled
    for number in numbers:
        place = now.place_of(number)
        before = changed.get(place) or now.tables[place]
        changed[place] = change(before)
        unsettled += before.settled - changed[place].settled
    return replace(now, tables=now.tables.put(changed), unsettled=unsettled)
