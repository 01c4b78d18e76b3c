"""Where people are: the events that they have entered, and the tables that they sit at now.

It tells of a table what everybody is told of its round: published, and of a result that is still kept back nothing at
all. A draft is not looked at.
"""

from collections.abc import Iterable, Mapping, Sequence

from engine.kernel.value import Value
from engine.tournament.played import Entry
from engine.tournament.state import RoundState, TablePhase, TableState, Tournament, match_id
from services.tournament.ledgers import Kept

ENTERED_MAX = 20
"""Events told of one player, the newest of them."""


class SeatTaken(Value, frozen=True):
    """One seat at a published table; ``seat`` counts from 0."""

    round: int
    round_phase: str
    table: int
    seat: int
    match: str
    phase: str


class Entered(Value, frozen=True):
    """One event that a player has entered; ``now`` is where they play in it, or are about to."""

    tournament: str
    name: str
    entry: Entry
    standing: str
    now: SeatTaken | None


class FoundPlayer(Value, frozen=True):
    """``name`` is the public one. The representation tells the id alone, so that a name cannot land in a log."""

    player: str
    name: str
    entered: tuple[Entered, ...]

    def __repr__(self) -> str:
        return f"FoundPlayer({self.player})"


class Entries:
    """Which events each player has entered, under which number. An entry is for ever, so only new ones are read."""

    def __init__(self) -> None:
        self._by_player: dict[str, dict[str, Entry]] = {}
        self._read: dict[str, int] = {}

    def of(self, events: Iterable[Kept]) -> Mapping[str, Mapping[str, Entry]]:
        """By player, the number in each event."""
        for kept in events:
            entrants = kept.state.entrants
            for place in range(self._read.get(kept.id, 0), len(entrants)):
                self._by_player.setdefault(entrants[place].player, {})[kept.id] = entrants[place].entry
            self._read[kept.id] = len(entrants)
        return self._by_player


def whereabouts(
    names: Mapping[str, str], entries: Mapping[str, Mapping[str, Entry]], events: Sequence[Kept]
) -> list[FoundPlayer]:
    """Of players with their public names; ``events`` the newest first."""
    seats = {kept.id: _seats_now(kept.state, {entries[player].get(kept.id, 0) for player in names}) for kept in events}
    found = []
    for player, name in names.items():
        entered = [kept for kept in events if kept.id in entries[player]][:ENTERED_MAX]
        told = tuple(_entered(kept, entries[player][kept.id], seats[kept.id]) for kept in entered)
        found.append(FoundPlayer(player, name, told))
    return found


def seat_of(state: Tournament, now: RoundState, table: TableState, entry: Entry) -> SeatTaken:
    """A seat of a published round, as everybody may know it."""
    return SeatTaken(
        round=now.number,
        round_phase=now.phase.value,
        table=table.number,
        seat=table.entries.index(entry),
        match=match_id(state.id, now.number, table.index, table.attempt),
        phase=table.phase.value,
    )


def _entered(kept: Kept, entry: Entry, seats: Mapping[Entry, SeatTaken]) -> Entered:
    state = kept.state
    return Entered(kept.id, state.config.name, entry, state.entrants[entry - 1].standing.value, seats.get(entry))


def _seats_now(state: Tournament, wanted: set[Entry]) -> dict[Entry, SeatTaken]:
    """The seats of the newest round whose tables have no result yet."""
    now = state.newest
    if now is None or not now.unsettled or wanted <= {0}:
        return {}
    return {
        entry: seat_of(state, now, table, entry)
        for table in now.tables
        if table.phase in (TablePhase.WAITING, TablePhase.OPEN)
        for entry in table.entries
        if entry in wanted
    }
