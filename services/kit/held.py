"""The lines of the log in the order in which bystanders are shown them.

Whoever follows the whole log for the public, the feed and the scores, puts each line in here and takes in what comes
out: most lines at once; those behind the curtain later, still in the order of their match, when a line of another table
or the time lifts it. Tables that are released together come out by their number: whoever was quicker cannot be seen.

The position of a reader goes on past what is held. So beside it, in the same transaction, ``changes`` must be written:
how far each match behind the curtain has been shown. After a restart ``restore`` reads these matches again.
"""

import asyncio
import heapq
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from engine.kernel.ports import Log, Position, Stored
from engine.kernel.value import Instant, Revision
from services.kit.curtain import Curtain, Scene, Veil, scene_of, veil_of
from services.kit.line_head import beginning_of
from services.kit.partition import partition_of

READ_AT_ONCE = 32
"""Matches that are read at the same time after a restart."""


class Changes(NamedTuple):
    """To be written: ``behind`` is match id → revision shown; ``over`` are matches that nothing is held of any more."""

    behind: dict[str, Revision]
    over: list[str]


class _Match:
    """One match behind the curtain, from its opening until it, or its whole deal, is complete."""

    def __init__(self, match_id: str, veil: Veil, shown: Revision = 0) -> None:
        self.match_id = match_id
        self.veil = veil
        self.shown = shown
        self.position: Position = 0
        self.lines: deque[tuple[Stored, Scene]] = deque()
        self.complete = False
        self.alarm: Instant = 0
        """When the time will lift the curtain from the next line; 0 if it is not the time that is waited for."""


class Held:
    """``take`` lines as they come by; ``lift`` what the time has released, whenever ``due`` returns."""

    def __init__(self, curtain: Curtain) -> None:
        self._curtain = curtain
        self._matches: dict[str, _Match] = {}
        self._tables: dict[str, dict[int, _Match]] = {}
        """Deal id → table → match."""
        self._changed: set[str] = set()
        self._over: list[str] = []
        self._alarms: list[tuple[Instant, str]] = []
        self._earlier = asyncio.Event()
        """Set when an alarm has come in front of the others."""

    def take(self, stored: Stored) -> list[Stored]:
        """One more line of the log; what may be shown now that could not before, in order."""
        beginning = beginning_of(stored.line)
        match = None if beginning is None else self._match(*beginning, stored)
        if beginning is None or match is None:
            return [stored]
        if stored.position <= match.position:
            return []
        more = self._learn(match, stored, beginning[1])
        together = self._members(match) if more else [match]
        shown = [line for each in together for line in self._advance(each)]
        self._let_go(match)
        return shown

    def lift(self) -> list[Stored]:
        """What the time has released."""
        now = self._curtain.clock.now()
        shown: list[Stored] = []
        while self._alarms and self._alarms[0][0] <= now:
            alarm, match_id = heapq.heappop(self._alarms)
            match = self._matches.get(match_id)
            if match is not None and match.alarm == alarm:
                match.alarm = 0
                shown.extend(self._advance(match))
        return shown

    async def due(self) -> None:
        """Returns when ``lift`` has something to look at. Sleeps until then, or for ever."""
        while not self._alarms or self._alarms[0][0] > self._curtain.clock.now():
            self._earlier.clear()
            waiting: list[asyncio.Task[Any]] = [asyncio.create_task(self._earlier.wait())]
            if self._alarms:
                waiting.append(asyncio.create_task(self._sleep_until(self._alarms[0][0])))
            try:
                await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in waiting:
                    task.cancel()
                await asyncio.gather(*waiting, return_exceptions=True)

    def shown(self, match_id: str) -> Revision | None:
        """How far a match has been shown; ``None`` if nothing keeps it behind."""
        match = self._matches.get(match_id)
        return None if match is None else match.shown

    def changes(self) -> Changes:
        """What has changed since the last call."""
        if not self._changed and not self._over:
            return Changes({}, [])
        behind = {match_id: self._matches[match_id].shown for match_id in self._changed if match_id in self._matches}
        changes = Changes(behind, self._over)
        self._changed, self._over = set(), []
        return changes

    async def restore(self, log: Log, behind: Mapping[str, Revision], positions: Sequence[Position]) -> list[Stored]:
        """Before the first ``take``: know again what was held. Returns what may be shown now that could not then.

        ``positions`` is where the reader goes on, by partition: nothing behind it is looked at.
        """
        names = sorted(behind)
        for start in range(0, len(names), READ_AT_ONCE):
            chunk = names[start : start + READ_AT_ONCE]
            for match_id, lines in zip(
                chunk, await asyncio.gather(*(log.read(each, after=0) for each in chunk)), strict=True
            ):
                veil = veil_of(match_id, lines[0]) if lines else None
                if veil is None:
                    continue
                match = self._add(_Match(match_id, veil, behind[match_id]))
                for revision, stored in enumerate(lines, start=1):
                    if stored.position <= positions[partition_of(match_id, log.partitions)]:
                        self._learn(match, stored, revision)
        restored = sorted(self._matches.values(), key=lambda match: (match.veil.table, match.match_id))
        shown = [line for match in restored for line in self._advance(match)]
        for match in restored:
            self._let_go(match)
        return shown

    def _match(self, match_id: str, revision: Revision, stored: Stored) -> _Match | None:
        match = self._matches.get(match_id)
        if match is None and revision == 1:
            veil = veil_of(match_id, stored)
            if veil is not None:
                match = self._add(_Match(match_id, veil))
        return match

    def _add(self, match: _Match) -> _Match:
        self._matches[match.match_id] = match
        if match.veil.deal is not None:
            self._tables.setdefault(match.veil.deal.id, {})[match.veil.table] = match
        return match

    def _members(self, match: _Match) -> list[_Match]:
        if match.veil.deal is None:
            return [match]
        return [member for _, member in sorted(self._tables[match.veil.deal.id].items())]

    def _learn(self, match: _Match, stored: Stored, revision: Revision) -> bool:
        scene = scene_of(stored, revision)
        match.position = stored.position
        match.complete = match.complete or scene.closes
        match.lines.append((stored, scene))
        self._changed.add(match.match_id)
        return self._curtain.note(match.veil, scene)

    def _advance(self, match: _Match) -> Iterator[Stored]:
        """Lift the curtain as far as may be."""
        while match.lines:
            stored, scene = match.lines[0]
            if scene.revision > match.shown:
                if not match.complete and not self._curtain.shows(match.veil, scene):
                    self._set_alarm(match, scene)
                    return
                match.shown = scene.revision
                self._changed.add(match.match_id)
                yield stored
            match.lines.popleft()

    def _set_alarm(self, match: _Match, scene: Scene) -> None:
        alarm = scene.at + match.veil.delay
        if not match.veil.delay or alarm == match.alarm or not self._curtain.is_common(match.veil, scene):
            return
        match.alarm = alarm
        heapq.heappush(self._alarms, (alarm, match.match_id))
        if self._alarms[0][0] == alarm:
            self._earlier.set()

    def _let_go(self, match: _Match) -> None:
        """Forget what is complete; tables of a deal all together, because each is needed to know how far it is."""
        deal = match.veil.deal
        if not (match.complete if deal is None else self._curtain.is_over(deal)):
            return
        for member in self._members(match):
            self._over.append(member.match_id)
            self._matches.pop(member.match_id, None)
        if deal is not None:
            self._tables.pop(deal.id, None)
            self._curtain.forget(deal)

    async def _sleep_until(self, at: Instant) -> None:
        await self._curtain.clock.sleep_until(at)
