"""One reader's place in an audience: what it has been told, and so what comes next.

Looking costs nothing and waits for nothing, so a reader may have places in several audiences. A reader that has fallen
behind the list, or whose place is no more, is told the position anew (``reset``) and goes on from there.
"""

from collections.abc import AsyncGenerator
from typing import Final

from engine.kernel.value import Revision
from services.gateway.streams.audience import Audience
from services.gateway.streams.frames import HEARTBEAT, Frame, away_frame, end_frame, farewell, together, trouble_frame

BATCHED: Final = frozenset(("fact", "position", "patch"))
"""What is told to everybody at the same place alike."""


class Place:
    """``past`` once and to its end; then ``next``, or ``news``, again and again until it has ``ended``.

    Every fact behind ``after`` is told once and in order, and the position whenever it has changed. Without ``after``,
    or with one that has not been yet, first the position is told, and then what follows it.
    """

    def __init__(self, audience: Audience, after: Revision | None, *, patches: bool = False) -> None:
        """``patches``: of a position that follows the one shown last, only what has changed of its picture."""
        self.audience = audience
        self.cursor: Revision = after or 0
        """The revision of the last fact that was told, or of the position that was told instead."""
        self.ended = False
        self._after = after
        self._patches = patches
        self._epoch = audience.epoch
        self._shown: Revision = 0
        self._heartbeats = audience.heartbeats
        self._told_away = False

    @property
    def is_past_the_end(self) -> bool:
        """The match is complete, and all of it has been told before."""
        audience = self.audience
        return audience.complete and self._after is not None and self._after == audience.head

    async def past(self) -> AsyncGenerator[Frame, None]:
        """What comes before the list. Raises ``Refusal``, ``Failed``."""
        audience = self.audience
        if self._after is None or self._after > max(audience.head, audience.at):
            while not audience.past_is_open and audience.at < audience.head and not audience.is_over:
                await audience.news()  # what lies between was before this reader came
            yield self._anew("position" if self._after is None else "reset")
        elif not audience.alone and (self.cursor < audience.first - 1 or not audience.past_is_open):
            async for each in audience.past(self.cursor):
                self.cursor = each.revision
                yield each

    def news(self) -> Frame | None:
        """All that is new, together; ``None`` if nothing is."""
        audience = self.audience
        place = self._epoch, self.cursor, self._shown, self._patches
        batch = audience.batches.get(place)
        if batch is not None and not (audience.stopped or self._told_away):
            self.cursor = audience.head
            self._shown = audience.at if audience.at <= audience.head else self._shown
            return batch
        parts: list[Frame] = []
        while not self.ended and (told := self.next()) is not None:
            parts.append(told)
        if not parts:
            return None
        batch = together(tuple(parts))
        has_moved = place != (self._epoch, self.cursor, self._shown, self._patches)
        if has_moved and self._epoch == audience.epoch and all(part.event in BATCHED for part in parts):
            audience.batches[place] = batch  # one that leads nowhere would be found again for ever
        return batch

    def next(self) -> Frame | None:
        """``None`` if there is nothing new."""
        audience = self.audience
        if audience.stopped:
            self.ended = True
            return farewell()
        if self.cursor < audience.first - 1 or self._epoch != audience.epoch:
            if audience.at >= audience.first - 1:
                return self._anew("reset")
            # The position is as far behind as this reader: there is no place to go on from until the next one.
        elif self.cursor < audience.head:
            self.cursor += 1
            return audience.fact(self.cursor)
        elif self._shown < audience.at <= self.cursor:
            shown, self._shown = self._shown, audience.at
            self._told_away = self._told_away and audience.away  # that it is there again is told by this
            return audience.patched(shown) if self._patches else audience.position
        if audience.failure is not None:
            self.ended = True
            return trouble_frame(audience.failure.code, audience.failure.sentence, audience.match)
        if audience.complete:
            self.ended = True
            return end_frame(audience.match, self.cursor)
        if audience.away != self._told_away:
            self._told_away = audience.away
            return away_frame(audience.match) if audience.away else audience.position
        if audience.heartbeats != self._heartbeats:
            self._heartbeats = audience.heartbeats
            return HEARTBEAT
        return None

    def _anew(self, event: str) -> Frame:
        self._epoch = self.audience.epoch
        self.cursor = self._shown = self.audience.at
        position = self.audience.position
        return position if event == "position" else position.under(event, str(position.revision))
