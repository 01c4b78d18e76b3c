"""An open answer: whatever a reader is told, until it is told no more, it goes, or the gateway stops.

Backpressure is the server's own: ``send`` waits while the socket is full. A reader that takes nothing for
``SEND_SECONDS`` is hung up on; it comes again, and goes on from the last id that it has. One look a second at all open
answers sees to that, so an answer needs no timer of its own. That a reader has gone is only said to whoever listens
(``send`` keeps silent), so beside each answer somebody does.
"""

import asyncio
import uuid
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, aclosing, suppress
from typing import Final

import structlog
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from engine.kernel.ports import Failed, Unavailable
from engine.kernel.refusal import Refusal
from services.gateway.metrics import FRAMES, STREAMS_CUT, STREAMS_OPEN
from services.gateway.protocol import BoundedProtocol
from services.gateway.streams.frames import HELLO, Frame, trouble_frame
from services.gateway.streams.place import Place

SEND_SECONDS: Final = 20.0
LOOK_SECONDS: Final = 1.0
GOODBYE_SECONDS: Final = 0.3
"""For readers to take the farewell; who has not by then is stuck, and is cut off."""

SSE: Final = "text/event-stream"
NDJSON: Final = "application/x-ndjson"

HEADERS: Final = {
    "Cache-Control": "no-store",
    "Vary": "Accept",
    "X-Accel-Buffering": "no",  # a proxy in front must not wait for more
}

logger = structlog.get_logger()


class Answer:
    """One open answer as the look sees it, and the listener on its line."""

    __slots__ = ("cut", "sending_since", "task")

    def __init__(self, task: asyncio.Task[None]) -> None:
        self.task = task
        self.sending_since = 0.0
        """0 while the reader is not waited for."""
        self.cut = False

    def cut_off(self) -> None:
        if not self.cut:
            self.cut = True
            self.task.cancel()

    def drained(self) -> None:
        """``send`` has waited for it."""

    gone = cut_off


class Told:
    """A reader who has been told all there was. What is new is written where the audience beats, for one reader after
    the other: nothing of theirs has to wake up for it. Of one whose line is full that is done when it has room again.
    """

    __slots__ = ("_answer", "_as_lines", "_count", "_line", "_place", "_write", "over")

    def __init__(
        self, place: Place, line: BoundedProtocol, answer: Answer, count: Callable[[Frame], None], *, as_lines: bool
    ) -> None:
        self._place = place
        self._line = line
        self._write = line.transport.write
        self._answer = answer
        self._count = count
        self._as_lines = as_lines
        self.over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """When there is nothing more to tell; raises what went wrong."""

    def tell(self) -> None:
        """All that is new."""
        if self.over.done():
            return
        if self._line.flow.write_paused:
            self._answer.sending_since = self._answer.sending_since or asyncio.get_running_loop().time()
            return
        try:
            told = self._place.news()
        except Exception as error:
            self.over.set_exception(error)
            return
        if told is not None:
            self._write(told.line_chunk if self._as_lines else told.sse_chunk)
            self._count(told)
        if self._place.ended:
            self.over.set_result(None)

    def drained(self) -> None:
        self._answer.sending_since = 0.0
        self.tell()

    def gone(self) -> None:
        self._answer.cut_off()


class OpenAnswers:
    """All open answers of a gateway."""

    def __init__(self) -> None:
        self._answers: set[Answer] = set()
        self._look: asyncio.TimerHandle | None = None
        self._told: Counter[tuple[str, ...]] = Counter()

    def __len__(self) -> int:
        return len(self._answers)

    def enter(self, answer: Answer) -> None:
        self._answers.add(answer)
        STREAMS_OPEN.inc()
        if self._look is None:
            self._look = asyncio.get_running_loop().call_later(LOOK_SECONDS, self._look_at_all)

    def leave(self, answer: Answer) -> None:
        self._answers.discard(answer)
        STREAMS_OPEN.dec()

    def count(self, told: Frame) -> None:
        self._told[told.events] += 1

    async def close(self) -> None:
        """After readers have been sent away: returns when all have gone."""
        if self._answers:
            await asyncio.wait([answer.task for answer in self._answers], timeout=GOODBYE_SECONDS)
        for answer in list(self._answers):
            answer.cut_off()
        self._report()

    def _look_at_all(self) -> None:
        now = asyncio.get_running_loop().time()
        for answer in self._answers:
            if answer.sending_since and now - answer.sending_since > SEND_SECONDS:
                STREAMS_CUT.inc()
                answer.cut_off()
        self._report()
        self._look = asyncio.get_running_loop().call_later(LOOK_SECONDS, self._look_at_all) if self._answers else None

    def _report(self) -> None:
        for events, count in self._told.items():
            for event in events:
                FRAMES.labels(event).inc(count)
        self._told.clear()


class EventStream(Response):
    """As ``text/event-stream``, or as ``application/x-ndjson`` for a reader that would rather have lines."""

    def __init__(
        self,
        frames: AsyncGenerator[Frame, None],
        place: AsyncExitStack,
        *,
        as_lines: bool,
        then: Place | None = None,
    ) -> None:
        """``place`` is what the reader has entered; it is left when the answer has ended, however that comes about.
        ``then``: whose news are told behind the frames, until it has ended.
        """
        super().__init__(headers=dict(HEADERS), media_type=NDJSON if as_lines else SSE)
        del self.headers["content-length"]
        self._frames = frames
        self._place = place
        self._as_lines = as_lines
        self._then = then

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        task = asyncio.current_task()
        assert task is not None
        answer = Answer(task)
        answers: OpenAnswers = scope["app"].state.answers
        answers.enter(answer)
        line: BoundedProtocol | None = scope.get("line")
        if line is not None:
            line.listener = answer
        listening = asyncio.create_task(_listen(receive, answer)) if line is None or _has_body(scope) else None
        try:
            async with self._place, aclosing(self._frames):
                await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
                if not scope.get("is_head"):
                    await self._tell(answers, answer, scope.get("straight", send), line)
                await send({"type": "http.response.body", "body": b"", "more_body": False})
        except asyncio.CancelledError:
            if not answer.cut:
                raise
            task.uncancel()
            scope.get("hang_up", _nothing)()
        finally:
            if line is not None:
                line.listener = None
            if listening is not None:
                listening.cancel()
            answers.leave(answer)

    async def _tell(self, answers: OpenAnswers, answer: Answer, send: Send, line: BoundedProtocol | None) -> None:
        now, count = asyncio.get_running_loop().time, answers.count
        if not self._as_lines:
            await send({"type": "http.response.body", "body": HELLO, "more_body": True})
        try:
            async for each in self._frames:
                answer.sending_since = now()
                body = each.line if self._as_lines else each.sse
                await send({"type": "http.response.body", "body": body, "more_body": True})
                answer.sending_since = 0.0
                count(each)
            if self._then is not None:
                assert line is not None, "a match is followed on a line of ours"
                await _until_over(self._then, Told(self._then, line, answer, count, as_lines=self._as_lines), line)
        except (Refusal, Unavailable, Failed) as error:
            await self._tell_why(trouble_frame(error.code, error.sentence), send)
        except Exception as error:
            error_id = uuid.uuid4().hex[:12]
            logger.error("internal_error", error_id=error_id, exc_info=error)
            sentence = f"Something went wrong on our side (error {error_id})."
            await self._tell_why(trouble_frame("internal_error", sentence), send)

    async def _tell_why(self, told: Frame, send: Send) -> None:
        """Why there are no more frames, if that is not one of them."""
        body = told.line if self._as_lines else told.sse
        await send({"type": "http.response.body", "body": body, "more_body": True})


async def _until_over(place: Place, told: Told, line: BoundedProtocol) -> None:
    place.audience.listeners.add(told.tell)
    line.listener = told
    try:
        told.tell()
        await told.over
    finally:
        place.audience.listeners.discard(told.tell)


def _has_body(scope: Scope) -> bool:
    return any(name in (b"content-length", b"transfer-encoding") for name, _ in scope["headers"])


async def _listen(receive: Receive, answer: Answer) -> None:
    """Until the reader has gone, or has announced a body that does not come: then nobody would say when they go."""
    with suppress(HTTPException):
        while (await receive())["type"] != "http.disconnect":
            pass
    answer.cut_off()


def _nothing() -> None:
    """For a server that cannot hang up."""
