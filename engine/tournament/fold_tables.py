"""The fold of what happens at tables: of one, and of many of a round before they are put into it."""

from typing import assert_never

from msgspec.structs import replace

from engine.kernel.value import instant_of
from engine.tournament import events as e
from engine.tournament.played import TableResult
from engine.tournament.state import RoundState, TablePhase, TableState, Tournament

TableEvent = (
    e.ResultReported
    | e.ResultCorrected
    | e.TableAdjudicated
    | e.TableVoided
    | e.ResultDisputed
    | e.ResultConfirmed
    | e.SurvivorsNamed
    | e.NoShowMarked
    | e.NoShowLifted
    | e.Substituted
)


def table_after(now: TableState, event: TableEvent) -> TableState:
    if isinstance(event, e.ResultReported):  # nearly all that is ever said of a table
        result = TableResult(now.number, event.seated, event.ended)
        return replace(now, phase=TablePhase.DONE, result=result, match=event.match, done_at=instant_of(event.at))
    match event:
        case e.ResultCorrected(_, _, seated, ended):
            result = TableResult(now.number, seated, ended)
            return replace(now, phase=TablePhase.DONE, result=result, disputed=False)
        case e.TableAdjudicated(_, _, seated):
            result = TableResult(now.number, seated, "adjudicated")
            return replace(now, phase=TablePhase.DONE, result=result, adjudicated=True, disputed=False)
        case e.TableVoided(_, _, replay, points):
            return TableState(
                now.index,
                now.number,
                now.entries,
                phase=TablePhase.WAITING if replay else TablePhase.VOID,
                attempt=now.attempt + 1 if replay else now.attempt,
                no_shows=now.no_shows,
                awarded=points,
            )
        case e.ResultDisputed():
            return replace(now, disputed=True)
        case e.ResultConfirmed():
            return replace(now, disputed=False)
        case e.SurvivorsNamed(_, _, entries):
            return replace(now, survivors=entries)
        case e.NoShowMarked(_, _, entry):
            return replace(now, no_shows=(*now.no_shows, entry))
        case e.NoShowLifted(_, _, entry):
            return replace(now, no_shows=tuple(each for each in now.no_shows if each != entry))
        case e.Substituted(_, _, entry, by):
            seats = {entry: by, by: entry}
            return replace(now, entries=tuple(seats.get(each, each) for each in now.entries))
        case _:
            assert_never(event)


class Tables:
    """Tables of one round that have changed and are not yet in it."""

    def __init__(self, played: RoundState) -> None:
        self.played = played
        self.number = played.number
        self._changed: dict[int, TableState] = {}
        self._unsettled = played.unsettled
        self._count = len(played.tables)
        self._first = played.tables[0].number if self._count else 0

    def change(self, event: e.TablesOpened | TableEvent) -> None:
        if isinstance(event, e.ResultReported):
            place, before = self._find(event.table)
            self._changed[place] = table_after(before, event)
            self._unsettled += before.settled - (not before.disputed)
        elif isinstance(event, e.TablesOpened):
            opened_at = instant_of(event.at)
            for number in event.tables:
                place, before = self._find(number)
                self._changed[place] = replace(before, phase=TablePhase.OPEN, opened_at=opened_at)
                self._unsettled += before.settled
        else:
            place, before = self._find(event.table)
            self._changed[place] = after = table_after(before, event)
            self._unsettled += before.settled - after.settled

    def put_into(self, state: Tournament) -> Tournament:
        now = self.played
        changed = replace(now, tables=now.tables.put(self._changed), unsettled=self._unsettled)
        return replace(state, rounds=(*state.rounds[: now.number - 1], changed, *state.rounds[now.number :]))

    def _find(self, number: int) -> tuple[int, TableState]:
        """Its place, and the table as it is by now."""
        place = number - self._first
        if 0 <= place < self._count:
            table = self._changed.get(place) or self.played.tables[place]
            if table.number == number:
                return place, table
        place = self.played.place_of(number)
        return place, self._changed.get(place) or self.played.tables[place]


OF_TABLES = frozenset(
    (
        e.TablesOpened,
        e.ResultReported,
        e.ResultCorrected,
        e.TableAdjudicated,
        e.TableVoided,
        e.ResultDisputed,
        e.ResultConfirmed,
        e.SurvivorsNamed,
        e.NoShowLifted,
        e.Substituted,
    )
)
"""Events that change tables of a round and nothing else."""
