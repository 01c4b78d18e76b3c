"""Decisions about single tables: opened, reported, disputed, corrected, adjudicated, voided, filled.

The last result closes its round in the same commit. A correction of a closed round is a fact about that round alone:
standings follow from it by themselves, and no published pairing changes.
"""

from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Instant, clip, instant_text
from engine.tournament import commands as c
from engine.tournament import events as e
from engine.tournament.arena import arena_is_over, arena_pods
from engine.tournament.people import entrant_of
from engine.tournament.played import Entry, Seated
from engine.tournament.record import award
from engine.tournament.state import (
    Phase,
    RoundPhase,
    RoundState,
    Standing,
    TablePhase,
    TableState,
    Tournament,
    match_id,
)


def tell_opened(state: Tournament, command: c.TellOpened, at: Instant) -> tuple[e.Event, ...]:
    """Raises ``Refusal`` unless each of the tables waits for its match."""
    now = _round(state, command.round)
    for number in command.tables:
        table = _table(now, number)
        if table.phase is not TablePhase.WAITING or table.attempt != command.attempt:
            raise Refusal("not_waiting", f"Table {number} of round {command.round} does not wait for a match.")
    if not command.tables:
        raise Refusal("unknown_table", "Name at least one table.", Kind.INVALID)
    return (e.TablesOpened(command.round, command.tables, command.attempt, instant_text(at)),)


def report(state: Tournament, command: c.ReportResult, at: Instant) -> tuple[e.Event, ...]:
    """The first result of a table, from its match or from an organiser. Raises ``Refusal``."""
    now = _round(state, command.round)
    table = _table(now, command.table)
    _playing(now)
    if table.phase is TablePhase.DONE:
        raise Refusal("has_result", f"Table {table.number} has a result; correct it instead.", Kind.EXISTS)
    if table.phase is TablePhase.VOID:
        raise Refusal("table_void", f"Table {table.number} of round {now.number} is void.")
    if command.match and command.match != match_id(state.id, now.number, table.index, table.attempt):
        raise Refusal("other_match", f"Match {clip(command.match, 64)} is not the one that counts at this table.")
    _check_seated(table, command.seated)
    reported = e.ResultReported(
        now.number, table.number, command.seated, command.ended, command.match, command.revision, instant_text(at)
    )
    return _settling(now, table, reported)


def correct(state: Tournament, command: c.CorrectResult) -> tuple[e.Event, ...]:
    """Another result for a table that has one, in any round. Raises ``Refusal``."""
    now = _round(state, command.round)
    table = _table(now, command.table)
    if table.phase is not TablePhase.DONE:
        raise Refusal("no_result", f"Table {table.number} of round {now.number} has no result to correct.")
    _check_seated(table, command.seated)
    corrected = e.ResultCorrected(now.number, table.number, command.seated, command.ended)
    return _settling(now, table, corrected)


def adjudicate(state: Tournament, command: c.Adjudicate) -> tuple[e.Event, ...]:
    """A referee's result for a table that has none. Raises ``Refusal``."""
    now = _round(state, command.round)
    table = _table(now, command.table)
    if table.phase is TablePhase.DONE:
        raise Refusal("has_result", f"Table {table.number} has a result; correct it instead.", Kind.EXISTS)
    _check_seated(table, command.seated)
    adjudicated = e.TableAdjudicated(now.number, table.number, command.seated)
    return _settling(now, table, adjudicated)


def void(state: Tournament, command: c.VoidTable) -> tuple[e.Event, ...]:
    """What was played does not count; it stays in the log. Raises ``Refusal``.

    To be replayed, the table must be of the newest round: what came after stands on its result. Whoever was missing
    and has checked in since sits down again.
    """
    now = _round(state, command.round)
    table = _table(now, command.table)
    if not command.replay:
        if table.phase is TablePhase.VOID:
            raise Refusal("table_void", f"Table {table.number} of round {now.number} is void already.")
        voided = e.TableVoided(
            now.number, table.number, replay=False, points=award(state, now.drafted.stage, command.points)
        )
        return _settling(now, table, voided)
    newest = state.newest
    is_newest = newest is not None and newest.number == now.number and now.drafted.stage == state.stage
    if not is_newest or state.draft is not None or state.phase is not Phase.RUNNING:
        raise Refusal("too_late_to_replay", "A table is replayed before the next round is drafted, or the cut made.")
    if any(set(each.entries) & set(table.entries) for each in now.tables if each.index > table.index):
        raise Refusal("too_late_to_replay", "Some of this table have been seated at another since.")
    again = e.TableVoided(now.number, table.number, replay=True, points="0")
    here = (entry for entry in table.no_shows if state.entrants[entry - 1].present)
    come = (e.NoShowLifted(now.number, table.number, entry) for entry in here)
    reopened = (e.RoundReopened(now.number),) if now.phase is RoundPhase.CLOSED else ()
    return (again, *come, *reopened)


def dispute(state: Tournament, command: c.Dispute) -> tuple[e.Event, ...]:
    """Raises ``Refusal``."""
    now = _round(state, command.round)
    table = _table(now, command.table)
    if table.phase is not TablePhase.DONE:
        raise Refusal("no_result", f"Table {table.number} of round {now.number} has no result to dispute.")
    if table.disputed:
        raise Refusal("disputed", f"The result of table {table.number} is disputed already.")
    return (e.ResultDisputed(now.number, table.number),)


def confirm(state: Tournament, command: c.ConfirmResult) -> tuple[e.Event, ...]:
    """Raises ``Refusal``."""
    now = _round(state, command.round)
    table = _table(now, command.table)
    if not table.disputed:
        raise Refusal("not_disputed", f"The result of table {table.number} is not disputed.")
    return _settling(now, table, e.ResultConfirmed(now.number, table.number))


def name_survivors(state: Tournament, command: c.NameSurvivors) -> tuple[e.Event, ...]:
    """Raises ``Refusal``."""
    now = _round(state, command.round)
    table = _table(now, command.table)
    stage = state.config.stages[now.drafted.stage]
    if stage.format != "elimination":
        raise Refusal("not_elimination", "Nobody is eliminated in this stage.")
    entries = command.entries
    once = len(set(entries)) == len(entries)
    if not 1 <= len(entries) <= stage.advance or not once or not set(entries) <= set(table.entries):
        raise Refusal("bad_entries", f"Name at most {stage.advance} of the table's entrants.", Kind.INVALID)
    return (e.SurvivorsNamed(now.number, table.number, entries),)


def mark_no_show(state: Tournament, command: c.MarkNoShow) -> tuple[e.Event, ...]:
    """Raises ``Refusal``. The table plays on without; whoever comes back checks in, for the next round or a replay.

    Where all of a table stay away there is nothing to play: its result is empty, and everybody's is the award.
    """
    now = _round(state, command.round)
    table = _table(now, command.table)
    _playing(now)
    if table.settled or table.phase is TablePhase.DONE:
        raise Refusal("has_result", f"Table {table.number} has a result.", Kind.EXISTS)
    if command.entry not in table.entries:
        raise Refusal("not_at_table", f"Entrant {command.entry} does not sit at table {table.number}.")
    if command.entry in table.no_shows:
        raise Refusal("no_show_marked", f"Entrant {command.entry} is marked already.")
    marked = e.NoShowMarked(now.number, table.number, command.entry)
    if len(table.no_shows) + 1 == len(table.entries):
        nobody = e.TableVoided(now.number, table.number, replay=False, points="0")
        return (marked, *_settling(now, table, nobody))
    return (marked,)


def substitute(state: Tournament, command: c.Substitute) -> tuple[e.Event, ...]:
    """Somebody else in a seat, from now on; or two of one table who change seats. Raises ``Refusal``.

    A match that is open knows seats, so whoever sits there takes up what the seat has.
    """
    now = _round(state, command.round)
    table = _table(now, command.table)
    if table.phase not in (TablePhase.WAITING, TablePhase.OPEN):
        raise Refusal("has_result", f"Table {table.number} is not playing.", Kind.EXISTS)
    if command.entry not in table.entries or command.entry in table.no_shows:
        raise Refusal("not_at_table", f"Entrant {command.entry} does not sit at table {table.number}.")
    by = entrant_of(state, command.by)
    elsewhere = any(command.by in each.entries for each in now.tables if each.index != table.index)
    if by.standing is not Standing.IN or elsewhere or command.by in (command.entry, *table.no_shows):
        raise Refusal("cannot_substitute", f"Entrant {command.by} is not free to play in round {now.number}.")
    return (e.Substituted(now.number, table.number, command.entry, command.by),)


def seat_arena(state: Tournament, command: c.SeatArena, at: Instant) -> tuple[e.Event, ...]:
    """Tables for those who wait, as the rules of the arena say. Raises ``Refusal`` if there are none yet."""
    now = _arena(state)
    if command.beat != now.beat + 1:
        raise Refusal("not_yet", f"The arena waits for beat {now.beat + 1}.")
    pods = arena_pods(state, now, at)
    if not pods:
        raise Refusal("nobody_waits", "Nobody has to be seated yet.")
    return (e.ArenaSeated(now.number, command.beat, pods),)


def close_arena(state: Tournament, at: Instant, *, early: bool) -> tuple[e.Event, ...]:
    """Raises ``Refusal`` while tables play: a last game always counts."""
    now = _arena(state)
    if now.unsettled:
        raise Refusal("round_open", "Tables of the arena are still playing.")
    if not early and not arena_is_over(state, now, at):
        raise Refusal("not_yet", "The arena has time left.")
    return (e.RoundClosed(now.number),)


def _arena(state: Tournament) -> RoundState:
    newest = state.newest
    if newest is None or newest.phase is not RoundPhase.RUNNING or state.stage_now.format != "arena":
        raise Refusal("no_arena", "No arena is running.", Kind.MISSING)
    return newest


def _round(state: Tournament, number: int) -> RoundState:
    if not 1 <= number <= len(state.rounds):
        raise Refusal("unknown_round", f"There is no round {number}.", Kind.MISSING)
    return state.rounds[number - 1]


def _table(now: RoundState, number: int) -> TableState:
    place = now.place_of(number)
    if place < 0:
        raise Refusal("unknown_table", f"Round {now.number} has no table {number}.", Kind.MISSING)
    if now.phase is RoundPhase.CANCELLED:
        raise Refusal("round_cancelled", f"Round {now.number} has been cancelled.")
    return now.tables[place]


def _playing(now: RoundState) -> None:
    if now.phase is RoundPhase.CLOSED:
        raise Refusal("round_closed", f"Round {now.number} is closed.")


def _check_seated(table: TableState, seated: tuple[Seated, ...]) -> None:
    """Exactly those who sit there and came, each once, with places that can be (1, 2, 2, 4)."""
    came = sorted(entries_at(table))
    if sorted(each.entry for each in seated) != came:
        names = ", ".join(map(str, came))
        raise Refusal("other_entrants", f"At table {table.number} sit {names}, each once.", Kind.INVALID)
    places = sorted(each.place for each in seated)
    if any(place != 1 + sum(other < place for other in places) for place in places):
        raise Refusal(
            "bad_places", "Places count from 1, and who shares one takes up several: 1, 2, 2, 4.", Kind.INVALID
        )
    if any(abs(each.score) > 10**9 for each in seated):
        raise Refusal("bad_score", "A score is an integer of at most nine digits.", Kind.INVALID)


def _settling(
    now: RoundState,
    table: TableState,
    event: e.ResultReported | e.ResultCorrected | e.TableAdjudicated | e.TableVoided | e.ResultConfirmed,
) -> tuple[e.Event, ...]:
    """The event, and that the round is closed if nothing else is open. An arena closes by its clock alone."""
    if now.phase is not RoundPhase.RUNNING and now.phase is not RoundPhase.PUBLISHED:
        return (event,)
    arena = not now.drafted.pods
    others = now.unsettled - (not table.settled)
    return (event,) if others or arena else (event, e.RoundClosed(now.number))


def entries_at(table: TableState) -> tuple[Entry, ...]:
    """Who is expected at the table now."""
    return tuple(entry for entry in table.entries if entry not in table.no_shows)
