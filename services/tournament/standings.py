"""Standings as they are shown: places by the format of the stage, figures by the points table, and who has moved.

Rankings of thousands take a moment, so they are made beside the event loop and kept for whoever asks next.
"""

import asyncio

from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Revision, Value
from engine.tournament.changes import figure_text
from engine.tournament.exact import exact_of
from engine.tournament.formats.chances import Chance
from engine.tournament.outlook import cut_after, outlook
from engine.tournament.played import Entry
from engine.tournament.ranking import Places, ranking, stage_order
from engine.tournament.standings.ranking import Line, Ranking
from engine.tournament.state import Phase, RoundPhase, RoundState, Tournament
from services.tournament.ledgers import Kept, Published
from services.tournament.shared import Shared

RANKINGS_KEPT = 16
"""Rankings in memory, and as many standings; one of 10,000 entrants is some 20 MB."""

BY_POINTS = ("swiss", "planned", "arena")
"""Formats whose order is that of the points table."""


class Shown(Value, frozen=True):
    """One line. ``values`` in the order of the keys; ``movement`` is places won since the round before."""

    place: int
    entry: Entry
    values: tuple[str, ...]
    decided_by: str
    movement: int
    standing: str
    stage: int
    """That the figures are of, from 0: in the final order, the last that somebody played."""
    chance: str
    """``clinched``, ``eliminated``, ``alive``, or empty where nothing is certain."""


class Standings(Value, frozen=True):
    """``after_round`` is the newest closed round in it; 0 if none is closed. ``cut``: who goes on; 0 for no line."""

    stage: int
    after_round: int
    keys: tuple[str, ...]
    lines: tuple[Shown, ...]
    final: bool
    cut: int


class Rankings:
    """The points tables of events, and the standings that are shown of them, by revision."""

    def __init__(self) -> None:
        self._rankings: Shared[Ranking] = Shared(RANKINGS_KEPT)
        self._standings: Shared[Standings] = Shared(RANKINGS_KEPT)

    async def of(self, revision: Revision, state: Tournament, stage: int) -> Ranking:
        return await self._rankings.of((state.id, revision, stage), lambda: asyncio.to_thread(ranking, state, stage))

    async def standings(self, kept: Kept, stage: int | None, after_round: int) -> Standings:
        """Of a stage, from 0 (``None``: the newest that has been played), now or, with ``after_round``, as it was
        published after a round.

        Raises ``Refusal``: ``unknown_stage``, ``unknown_round``.
        """
        now = Published(kept.ledger.revision, kept.state)  # the event goes on while it is reckoned
        key = (kept.id, now.revision, stage, after_round)
        return await self._standings.of(key, lambda: self._made(kept, now, stage, after_round))

    async def _made(self, kept: Kept, now: Published, stage: int | None, after_round: int) -> Standings:
        revision, state = now.revision, now.state
        if after_round:
            then = kept.published.get(after_round)
            if then is None:
                raise Refusal("unknown_round", f"No round {after_round} has been closed yet.", Kind.MISSING)
            revision, state = then.revision, then.state
        final = stage is None and state.phase is Phase.FINISHED
        asked = _newest_played(state) if stage is None else stage
        check_stage(state, asked)
        newest = max((each.number for each in _closed(state, asked)), default=0)
        lines: dict[Entry, tuple[int, Line]] = {}
        for each in range(asked, -1, -1) if final else (asked,):
            for entry, line in (await self._lines(revision, state, each)).items():
                lines.setdefault(entry, (each, line))
        order = state.final if final else await _order(state, asked)
        before = await self._places_before(kept, asked, after_round or newest)
        keys = tuple(state.config.scoring.order)
        shown = await asyncio.to_thread(_shown, state, None if final else asked, lines, order, before)
        return Standings(asked, newest, keys, shown, final, 0 if final else cut_after(state, asked))

    async def _lines(self, revision: Revision, state: Tournament, stage: int) -> dict[Entry, Line]:
        return {line.entry: line for line in (await self.of(revision, state, stage)).lines}

    async def _places_before(self, kept: Kept, stage: int, number: int) -> dict[Entry, int]:
        """The places as they were published after the round before ``number`` in the same stage."""
        earlier: list[tuple[int, Published]] = [
            (each, then)
            for each, then in kept.published.items()
            if each < number and then.state.rounds[each - 1].drafted.stage == stage
        ]
        if not earlier:
            return {}
        then = max(earlier)[1]
        order = await _order(then.state, stage)
        if order is None:
            lines = await self._lines(then.revision, then.state, stage)
            return {entry: line.place for entry, line in lines.items()}
        return places_in(order)


async def standings_of(state: Tournament) -> Standings:
    """Of the newest stage of an event that never was: nobody has moved in it."""
    stage = state.stage
    lines = {line.entry: (stage, line) for line in (await asyncio.to_thread(ranking, state, stage)).lines}
    newest = max((each.number for each in _closed(state, stage)), default=0)
    shown = await asyncio.to_thread(_shown, state, stage, lines, await _order(state, stage), {})
    keys = tuple(state.config.scoring.order)
    return Standings(stage, newest, keys, shown, final=False, cut=cut_after(state, stage))


def check_stage(state: Tournament, stage: int) -> None:
    """Raises ``Refusal`` (``unknown_stage``) for one that has not begun."""
    if not 0 <= stage <= state.stage:
        raise Refusal("unknown_stage", f"Stage {stage + 1} has not begun.", Kind.MISSING)


def places_in(order: Places) -> dict[Entry, int]:
    """1 for the first; who shares a place has the same one, and the next has his own: 1, 2, 2, 4."""
    places: dict[Entry, int] = {}
    for group in order:
        places |= dict.fromkeys(group, len(places) + 1)
    return places


async def _order(state: Tournament, stage: int) -> Places | None:
    """Where the format, and not the points table, says who is first."""
    if state.config.stages[stage].format in BY_POINTS or not _closed(state, stage):
        return None
    return await asyncio.to_thread(stage_order, state, stage)


def _newest_played(state: Tournament) -> int:
    """The stage that has figures: after a cut that of before, until a round of the new one is closed."""
    return next((stage for stage in range(state.stage, 0, -1) if _closed(state, stage)), 0)


def _closed(state: Tournament, stage: int) -> list[RoundState]:
    return [each for each in state.stage_rounds(stage) if each.phase is RoundPhase.CLOSED]


def _shown(
    state: Tournament,
    stage: int | None,
    lines: dict[Entry, tuple[int, Line]],
    order: Places | None,
    before: dict[Entry, int],
) -> tuple[Shown, ...]:
    """The lines of one stage, or of the final order for none."""
    places = {entry: line.place for entry, (_, line) in lines.items()} if order is None else places_in(order)
    listed = [*places, *(entry for entry in lines if entry not in places)]
    chance = {} if stage is None else _outlook(state, stage, lines, places)
    found = []
    for entry in listed:
        of_stage, line = lines.get(entry, (0, None))
        place = places.get(entry, 0)
        found.append(
            Shown(
                place=place,
                entry=entry,
                values=() if line is None else tuple(figure_text(figure) for _, figure in line.keys),
                decided_by=(line.decided_by or "") if line is not None and order is None else "",
                movement=before[entry] - place if place and before.get(entry) else 0,
                standing=state.entrants[entry - 1].standing.value,
                stage=of_stage,
                chance=chance[entry].value if entry in chance else "",
            )
        )
    return tuple(found)


def _outlook(
    state: Tournament, stage: int, lines: dict[Entry, tuple[int, Line]], places: dict[Entry, int]
) -> dict[Entry, Chance]:
    ranked = {entry: place for entry, place in places.items() if place and entry in lines}
    return outlook(state, stage, {entry: exact_of(lines[entry][1].points) for entry in ranked}, ranked)
