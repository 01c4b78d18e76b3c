"""A bracket as it is shown: the rounds of an elimination, with what everybody may see of their tables."""

import asyncio

from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Value
from engine.tournament.bracket import BracketRound, bracket_of
from engine.tournament.played import Entry
from engine.tournament.state import RoundPhase, Tournament
from services.tournament.ledgers import Kept
from services.tournament.rounds import PointsPaid, TableShown, points_paid, table_shown
from services.tournament.standings import Rankings

PLACES_MAX = 4_096
"""Seats told in one answer, those nearest the final: no page draws more. Rounds before them come without tables."""


class RoundOfBracket(Value, frozen=True):
    """``tables`` by number; none for a round to come, and for one that is too far from the final."""

    drawn: BracketRound
    tables: tuple[TableShown, ...]
    byes: tuple[Entry, ...]


class BracketShown(Value, frozen=True):
    """The final last."""

    stage: int
    name: str
    rounds: tuple[RoundOfBracket, ...]

    @property
    def everybody(self) -> set[Entry]:
        """All who are named."""
        seated = {seat.entry for each in self.rounds for table in each.tables for seat in table.seats}
        return seated | {entry for each in self.rounds for entry in each.byes}


async def bracket_shown(kept: Kept, rankings: Rankings, stage: int | None) -> BracketShown:
    """Of a stage, from 0; ``None``: the newest elimination that has begun, or else the next.

    Raises ``Refusal``: ``unknown_stage``, ``not_elimination``.
    """
    revision, state = kept.ledger.revision, kept.state  # the event goes on while it is reckoned
    asked = _newest(state) if stage is None else stage
    if not 0 <= asked < len(state.config.stages):
        raise Refusal("unknown_stage", f"The event has no stage {asked + 1}.", Kind.MISSING)
    if state.config.stages[asked].format != "elimination":
        raise Refusal("not_elimination", f"Stage {asked + 1} is no elimination.", Kind.MISSING)
    drawn = await asyncio.to_thread(bracket_of, state, asked)
    closed = any(each.played is not None and each.played.phase is RoundPhase.CLOSED for each in drawn)
    book = (await rankings.of(revision, state, asked)).book if closed else None
    shown: list[RoundOfBracket] = []
    left = PLACES_MAX
    for each in reversed(drawn):
        now = each.played
        if now is None or each.entrants > left:
            left = left if now is None else 0
            shown.append(RoundOfBracket(each, (), ()))
            continue
        left -= each.entrants
        paid: PointsPaid = {}
        if book is not None and now.phase is RoundPhase.CLOSED:
            paid = points_paid(book, now)
        tables = tuple(table_shown(state, now, table, paid) for table in now.tables)
        shown.append(RoundOfBracket(each, tables, now.drafted.byes))
    return BracketShown(asked, state.config.stages[asked].name, tuple(reversed(shown)))


def _newest(state: Tournament) -> int:
    stages = [number for number, each in enumerate(state.config.stages) if each.format == "elimination"]
    if not stages:
        raise Refusal("not_elimination", "No stage of the event is an elimination.", Kind.MISSING)
    begun = [number for number in stages if number <= state.stage]
    return begun[-1] if begun else stages[0]
