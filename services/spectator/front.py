"""The room before the curtain: a match as far as bystanders may be shown it, and not a revision further.

Its history, its positions and its newest revision are those of what has been shown, so nothing that is asked in it can
tell of what has not. Behind a delay it lives in the past: its clocks are read as of the delay ago. Seats and the
referee of the same match are in another room.
"""

from collections import deque
from collections.abc import Sequence

from engine.kernel.history import BrokenLog
from engine.kernel.match import AnyMatch
from engine.kernel.ports import Log, Position, Stored
from engine.kernel.value import Instant, Revision
from services.kit.curtain import Curtain, Scene, Veil, scene_of
from services.kit.line_head import head_of
from services.spectator.room import Room


class FrontRoom(Room):
    """``lift`` shows what may be shown now; it must be called whenever that may have become more."""

    def __init__(self, match: AnyMatch, match_id: str, log: Log, veil: Veil, curtain: Curtain) -> None:
        super().__init__(match, match_id, log, curtain.clock, is_open=True)
        self._veil = veil
        self._curtain = curtain
        self._held: deque[tuple[Stored, Scene]] = deque()
        self._revision: Revision = 0
        self._position: Position = 0
        """Of the newest line that is known here, shown or not."""
        self._lifted = False
        """The match is complete, and so is its deal."""

    async def catch_up(self) -> None:
        """Read what the log has and this room has not, and show what may be. Raises ``BrokenLog``."""
        self.read(await self._log.read(self._history.match_id, after=self._position))

    def read(self, lines: Sequence[Stored]) -> None:
        """The next lines of the log; those that are known here are passed over. Raises ``BrokenLog``."""
        for stored in lines:
            if stored.position > self._position:
                self._hold(stored)
        self._lift()

    async def offer(self, stored: Stored) -> None:
        """A line that has just been stored; if some before it are missing, they are read."""
        if stored.position <= self._position or self._broken is not None:
            return
        head = head_of(stored.line)
        try:
            if head is not None and head.revision == self._revision + 1:
                self._hold(stored)
                self._lift()
            else:
                await self.catch_up()
        except BrokenLog as error:
            self._break(error)

    def lift(self) -> None:
        if self._broken is None:
            try:
                self._lift()
            except BrokenLog as error:
                self._break(error)

    def now(self) -> Instant:
        """The delay ago. What a deal holds back is luck, for which no clock runs, so it asks for nothing more."""
        return super().now() - self._veil.delay

    def _hold(self, stored: Stored) -> None:
        self._revision += 1
        self._position = stored.position
        scene = scene_of(stored, self._revision)
        self._lifted = self._lifted or scene.closes
        self._held.append((stored, scene))

    def _lift(self) -> None:
        while self._held and (self._lifted or self._curtain.shows(self._veil, self._held[0][1])):
            self._accept(self._held.popleft()[0])
