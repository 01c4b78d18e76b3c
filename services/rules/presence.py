"""Whether any host of a game has been there all the time; where not, from when until when.

Each host says every ``BEAT_S`` that it is there. One that starts, or that could not say so for longer than ``AWAY_S``
(the log was unreachable, the machine slept), looks for the newest beat of all hosts before it does anything to a match.
If that is old, nobody was there: the gap is given back to every clock that ran in it, and only then does a host say
that it is there again. So a host that dies over that work leaves the old beat, and the next one finds the same gap.

A host that nobody can move through is not there either: on a log of several nodes the stream of beats may have a leader
while the stream of matches is without one for some seconds. So before it beats, a host asks whether the log of matches
answers.
"""

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from engine.kernel.limits import AWAY_MS_MIN
from engine.kernel.ports import Clock, Unavailable
from engine.kernel.value import Instant, Value
from services.kit.beats import Beats

BEAT_S = 1.0
"""Between two beats."""

AWAY_S = 3.0
"""Without a beat for longer, the hosts of a game were away; a shorter stumble is not worth a commit in every match."""

ANSWER_S = 1.0
"""An answer that took longer says nothing about now. Hosts write over each other's beats, so one of them may hide
another that is newer by no more than this.
"""

LOOKS_MAX = 5

SECOND = 1_000_000

assert AWAY_MS_MIN <= 1000 * (AWAY_S - BEAT_S)  # a clock that started just behind the last beat gets its time, too

logger = structlog.get_logger()


class Gap(Value, frozen=True):
    """No host was there."""

    since: Instant
    until: Instant


class Presence:
    """Of one host among those of its game; ``reach`` raises ``Unavailable`` if the log of matches cannot be reached."""

    def __init__(self, game: str, beats: Beats, clock: Clock, reach: Callable[[], Awaitable[object]]) -> None:
        self._game = game
        self._beats = beats
        self._reach = reach
        self._clock = clock
        self._known: Instant = 0
        """The newest instant at which some host is known to have been there."""
        self._gap: Gap | None = None

    async def gap(self) -> Gap | None:
        """The absence that is being given back; ``None`` where somebody was there. Raises ``Unavailable``.

        Free while beats are fresh; whoever is about to change a match asks this first.
        """
        if self._gap is None and self._is_old(self._known, self._clock.now()):
            last, now = await self._look()
            self._known = max(self._known, last)
            if last and self._gap is None and self._is_old(self._known, now):
                self._gap = Gap(self._known, now)
        return self._gap

    async def witness(self, at: Instant) -> None:
        """Some host was there at ``at`` or later, unless there is a gap. Raises ``Unavailable`` if that is not known.

        Asked before a turn is ended for its time: where the log went away just before that, who was about to move
        could not, and the time that the log stays away is yet to be given back.
        """
        if await self.gap() is None and self._known < at:
            await self._say_so(self._clock.now())

    async def keep(self, give_back: Callable[[Gap], Awaitable[None]]) -> None:
        """Say for ever that this host is there; before that, each time, let ``give_back`` return a gap to all."""
        while True:
            try:
                await self._beat(give_back)
            except Unavailable as error:
                logger.warning("no_beat", game=self._game, reason=error.code)
            await asyncio.sleep(BEAT_S)

    async def _beat(self, give_back: Callable[[Gap], Awaitable[None]]) -> None:
        now = self._clock.now()
        gap = await self.gap()
        try:
            if gap is not None:
                await give_back(gap)
                now = self._clock.now()
            await self._say_so(now)
        finally:
            self._gap = None  # where the beat failed, the next look finds the gap again, longer

    async def _say_so(self, now: Instant) -> None:
        """Raises ``Unavailable``, also where the log took so long that it would be said over what others say by now."""
        await self._reach()
        if self._clock.now() - now > ANSWER_S * SECOND:
            raise Unavailable("log_unavailable", "The log answers too slowly to say who is there.")
        await self._beats.beat(self._game, now)
        self._known = max(self._known, now)

    async def _look(self) -> tuple[Instant, Instant]:
        """The newest beat, and the instant at which it was the newest."""
        for _ in range(LOOKS_MAX):
            asked = self._clock.now()
            last = await self._beats.last(self._game)
            now = self._clock.now()
            if now - asked <= ANSWER_S * SECOND:
                return last, now
        raise Unavailable("log_unavailable", "The log answers too slowly to say who was there.")

    def _is_old(self, beat: Instant, now: Instant) -> bool:
        return now - beat > AWAY_S * SECOND
