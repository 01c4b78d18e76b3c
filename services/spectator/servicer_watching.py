"""Facts of many matches over one long call: the side that tells. The other one is ``services/kit/wire/watches.py``.

A watch is a place in a room, and a cursor; nothing is queued for it. Whatever happens in its match only notes that
there is more. When the transport takes the next message, what is new in all of them goes into it, by turns and up to a
size, so that one which begins far back keeps nobody waiting. What its reader has not taken holds back one watch, what
the transport does not take holds back all of them, and neither takes any memory.

Each watch asks for itself whether its caller may look, as a call of its own would, and again each time that it tells;
and it is refused, or ends, by itself.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from typing import Final, assert_never

from tavolata.spectator.v1 import spectator_pb2 as pb

from engine.kernel.catalogue import language_named
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Referee, Revision, SeatView, Spectator, Viewer
from services.kit.access.caller import Caller, caller, calling
from services.kit.access.rights import may_look_as_referee, may_speak, may_watch
from services.kit.lookers import Caster, looker_named
from services.kit.wire.clients import message_of_fact
from services.kit.wire.encoded import message_field, number_field
from services.kit.wire.errors import reason_of, status_of
from services.kit.wire.guard import LOOK_SECONDS
from services.kit.wire.watches import AHEAD_MAX, WATCHES_MAX
from services.spectator.app import Gallery
from services.spectator.room import SEVERAL_BYTES, SEVERAL_MAX, Reader, Shown

FACT: Final = pb.WatchFactsResponse.FACT_FIELD_NUMBER
TOLD: Final = pb.WatchManyResponse.TOLD_FIELD_NUMBER
TAG: Final = pb.Told.TAG_FIELD_NUMBER
FACTS: Final = pb.Told.FACTS_FIELD_NUMBER
COMPLETE: Final = number_field(pb.Told.COMPLETE_FIELD_NUMBER, 1)
REFUSED: Final = pb.Told.REFUSED_FIELD_NUMBER


async def looking(gallery: Gallery, match_id: str, viewer: str) -> tuple[Viewer, bool]:
    """Who looks, and whether it is a caster: the referee's eyes, behind the curtain. Raises ``Refusal``."""
    looker = looker_named(viewer)
    match looker:
        case Caster():
            may_look_as_referee(caller(), match_id, live=False)
            return Referee(), True
        case Spectator():
            may_watch(caller())
        case SeatView(seat):
            await may_speak(caller(), match_id, seat, gallery.player_at)
        case Referee():
            may_look_as_referee(caller(), match_id, live=True)
        case _:
            assert_never(looker)
    return looker, False


def wire_of(shown: Shown) -> bytes:
    """A fact as it is sent: encoded for the first one who is sent it."""
    if not shown.wire:
        shown.wire = message_of_fact(shown.fact).SerializeToString()
    return shown.wire


class Watching:
    """One long call."""

    def __init__(self, gallery: Gallery) -> None:
        self._gallery = gallery
        self._caller = caller()
        self._watches: dict[int, _Watch] = {}
        self._ready: dict[_Watch, None] = {}
        """Those that may have something to tell, in the order in which they will."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._wake: asyncio.Future[None] | None = None
        self._look: asyncio.TimerHandle | None = None

    async def responses(self, requests: AsyncIterator[pb.WatchManyRequest]) -> AsyncGenerator[bytes, None]:
        """Encoded; ends behind the last watch when the requests have ended. Raises ``Refusal`` for too many watches."""
        reading = asyncio.create_task(self._read(requests))
        reading.add_done_callback(self._stir)
        try:
            while True:
                if reading.done():
                    reading.result()
                if self._ready:
                    if response := self._response():
                        yield response
                elif not reading.done() or self._watches:
                    self._wake = asyncio.get_running_loop().create_future()
                    await self._wake
                else:
                    return
        finally:
            reading.cancel()
            if self._look is not None:
                self._look.cancel()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(reading, *self._tasks, return_exceptions=True)

    async def _read(self, requests: AsyncIterator[pb.WatchManyRequest]) -> None:
        async for request in requests:
            for tag in request.leave:
                self._leave(tag)
            for asked in request.begin:
                self._leave(asked.tag)
                self._begin(asked)
            for taken in request.taken:
                watch = self._watches.get(taken.tag)
                if watch is not None:
                    watch.taken = max(watch.taken, taken.revision)
                    self._has_news(watch)

    def _begin(self, asked: pb.Watch) -> None:
        if len(self._watches) >= WATCHES_MAX:
            raise Refusal("too_many_watches", f"One call watches at most {WATCHES_MAX} matches.", Kind.INVALID)
        watch = self._watches[asked.tag] = _Watch(asked, self._caller.apart(), self._has_news)
        watch.task = asyncio.create_task(watch.hold(self._gallery, asked))
        self._tasks.add(watch.task)
        watch.task.add_done_callback(self._tasks.discard)

    def _leave(self, tag: int) -> None:
        watch = self._watches.pop(tag, None)
        if watch is not None:
            self._ready.pop(watch, None)
            if watch.task is not None:
                watch.task.cancel()

    def _has_news(self, watch: "_Watch") -> None:
        self._ready[watch] = None
        if watch.caller.token is not None and self._look is None:
            self._look = asyncio.get_running_loop().call_later(LOOK_SECONDS, self._look_at_all)
        self._stir()

    def _stir(self, _: object = None) -> None:
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(None)

    def _response(self) -> bytes:
        """What is new, of as many as have room in it; empty if nothing is."""
        parts: list[bytes] = []
        room = SEVERAL_BYTES
        for watch in list(self._ready):
            del self._ready[watch]
            told = watch.told(room)
            if told:
                parts.append(message_field(TOLD, told))
                room -= len(told)
            if watch.is_over:
                self._leave(watch.tag)
            elif watch.has_more:
                self._ready[watch] = None
            if room <= 0:
                break
        self._caller.was_asked = True  # each of them was, for itself
        return b"".join(parts)

    def _look_at_all(self) -> None:
        """Whether those that are told nothing may still look: the others are asked when they are told."""
        self._look = None
        for watch in self._watches.values():
            if watch.caller.token is not None:
                self._has_news(watch)


class _Watch:
    """One match, for one viewer."""

    def __init__(self, asked: pb.Watch, caller: Caller, has_news: "Callable[[_Watch], None]") -> None:
        self.tag = asked.tag
        self.caller = caller
        self.taken: Revision = asked.after
        self.has_more = False
        """What has not had room in the last message."""
        self.is_over = False
        self.task: asyncio.Task[None] | None = None
        self._head = number_field(TAG, asked.tag)
        self._has_news = has_news
        self._reader: Reader | None = None
        self._error: Exception | None = None

    async def hold(self, gallery: Gallery, asked: pb.Watch) -> None:
        """The place in the room, until this is cancelled, or fails: then the reader is told why."""
        calling(self.caller)
        try:
            viewer, casts = await looking(gallery, asked.match_id, asked.viewer)
            assert self.caller.was_asked, "somebody looks without having been asked who it is"
            language = language_named(asked.language)
            async with gallery.reader(asked.match_id, viewer, asked.after, language, casts=casts) as reader:
                self._reader = reader
                reader.tell_of_news(self._stir)
                self._stir()
                await asyncio.get_running_loop().create_future()
        except Exception as error:  # of one watch: the others go on
            self._error = error
            self._stir()
        finally:
            self._reader = None

    def told(self, size: int) -> bytes:
        """What is new, encoded, and whether it is the end; empty if nothing is."""
        parts = [self._head]
        try:
            parts += [message_field(FACTS, wire_of(shown)) for shown in self._next(size)]
            if self._reader is not None and self._reader.is_over:
                self.is_over = True
                parts.append(COMPLETE)
        except Exception as error:  # of one watch, too
            self.is_over = True
            parts.append(message_field(REFUSED, _refused(error)))
        return b"".join(parts) if len(parts) > 1 else b""

    def _next(self, size: int) -> Sequence[Shown]:
        if self._error is not None:
            raise self._error
        if self._reader is None:
            return ()
        if self.caller.token is not None:
            self.caller.grant()  # it may have been revoked, or expired
        end = self.taken + AHEAD_MAX
        shown = self._reader.next(max(0, min(SEVERAL_MAX, end - self._reader.cursor)), size)
        self.has_more = self._reader.has_more and self._reader.cursor < end
        return shown

    def _stir(self) -> None:
        self._has_news(self)


def _refused(error: Exception) -> bytes:
    status = status_of(error)
    refused = pb.NotWatched(status=status.code, code=reason_of(status), sentence=status.message)
    return refused.SerializeToString()
