"""One connection to NATS for one log: questions, their answers, and what happens when the line drops.

Every answer comes back on one standing subscription, told apart by the last token of its subject: no subscription a
question, and no bookkeeping in the client library. A question asked while the line is down fails at once, and is asked
again from above: nothing is kept that would be sent after the reconnect, long after the caller has been told that it
failed.

A question that this user may not ask gets no answer either: the server says so in a word about the connection, and
names the subject. It is matched with the questions that wait, which fail at once with ``Failed``.
"""

import asyncio
import itertools
import re
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, Final, Protocol, TypeVar

import msgspec
from nats.aio.msg import Msg
from nats.errors import Error as NatsError

from engine.kernel.ports import Failed, Unavailable
from services.kit.jetstream.client import NatsClient
from services.kit.jetstream.credentials import STRANGER, Login
from services.kit.jetstream.dial import dialled
from services.kit.jetstream.parser import Answer
from services.kit.telemetry import LOG_LINES_DOWN, LOG_RECONNECTS

T = TypeVar("T")

PAUSE_FIRST_S: Final = 0.02
PAUSE_MAX_S: Final = 0.5
"""Between two tries of one question; each pause is twice the one before."""

NOT_FOUND: Final = 404
NO_RESPONDERS: Final = "503"

_FORBIDDEN: Final = re.compile(r'permissions violation for (publish|subscription) to "([^"]*)"')
"""What the server says, as nats-py hands it on: in small letters, the subject with it."""


class Logger(Protocol):
    """Where the connection tells what happens to it: a structlog logger, or a test's own."""

    def warning(self, event: str, **fields: Any) -> Any: ...
    def info(self, event: str, **fields: Any) -> Any: ...
    def error(self, event: str, **fields: Any) -> Any: ...


class Unanswered(Exception):
    """No usable answer: the line is down, nobody listens, or the time was up. It may have happened all the same."""


class ApiError(Exception):
    """JetStream said no. ``code`` is like an HTTP status, ``err_code`` says which error it is."""

    def __init__(self, code: int, err_code: int, description: str) -> None:
        super().__init__(f"{err_code} {description}")
        self.code = code
        self.err_code = err_code
        self.description = description


class _Error(msgspec.Struct, frozen=True):
    code: int = 0
    err_code: int = 0
    description: str = ""


class _Failure(msgspec.Struct, frozen=True):
    error: _Error | None = None


_failure = msgspec.json.Decoder(_Failure)


class Connection:
    """``ask_s`` is how long one question waits for its answer, ``patience_s`` how long it is asked again."""

    def __init__(self, client: NatsClient, logger: Logger, ask_s: float, patience_s: float, api: str) -> None:
        self.client = client
        self.logger = logger
        self.ask_s = ask_s
        self.patience_s = patience_s
        self.drops: set[Callable[[], None]] = set()
        """Called whenever the line drops or is closed: what the server was about to send on it will not come."""
        self._inbox = ""
        self._api = api
        self._tokens = itertools.count()
        self._answers: dict[bytes, Callable[[Answer], None]] = {}
        self._deadlines: deque[tuple[float, asyncio.Future[Any]]] = deque()
        """Of questions, the earliest first: all of them have the same time."""
        self._timer: asyncio.TimerHandle | None = None
        self._waiting: dict[asyncio.Future[Any], str] = {}
        """Each with the subject that was asked."""
        self._unknown_user = False
        self._is_down = False

    @classmethod
    async def open(
        cls, url: str, *, login: Login = STRANGER, logger: Logger, ask_s: float, patience_s: float, rest_s: float = 0.0
    ) -> "Connection":
        """Connect to one of the servers in ``url`` (comma between them). For ``rest_s`` seconds what comes unasked may
        lie there.

        Raises ``Unavailable`` in ``patience_s``, or ``Failed`` (``log_forbidden``) if they do not know this user.
        """
        client = NatsClient()
        connection = cls(client, logger, ask_s, patience_s, login.api)
        connecting = asyncio.ensure_future(
            client.connect(
                **dialled(url),
                name="tavolata-log",
                pending_size=0,
                error_cb=connection._on_error,
                disconnected_cb=connection._on_drop,
                reconnected_cb=connection._on_return,
                **login.options,
            )
        )
        try:
            # Not a timeout around it: nats-py swallows one cancellation while a server turns its certificate down.
            done, _ = await asyncio.wait({connecting}, timeout=patience_s)
            if not done:
                raise TimeoutError
            connecting.result()
            connection._inbox = client.new_inbox()
            await client.listen(f"{connection._inbox}.*", connection._on_answer)
            client.rest(rest_s, connection._awaits)
        except (NatsError, OSError, TimeoutError) as error:
            await client.close()
            if connection._unknown_user:
                raise Failed("log_forbidden", f"The log at {url} does not know this service's user.") from error
            raise Unavailable("log_unavailable", f"The log at {url} cannot be reached.") from error
        finally:
            connecting.cancel()
        return connection

    @property
    def closed(self) -> bool:
        return bool(self.client.is_closed)

    async def close(self) -> None:
        """Whoever still waits for an answer finds the log unavailable."""
        await self.client.close()
        if self._timer is not None:
            self._timer.cancel()
        self._note(is_down=False)
        self._give_up()

    async def ask(self, subject: str, payload: bytes, headers: bytes = b"") -> Answer:
        """One question, one answer; ``headers`` is a ``header_block``. Raises ``Unanswered``, or ``Failed`` if this
        user may not ask it.
        """
        asked: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()

        def take(answer: Answer) -> None:
            if not asked.done():
                asked.set_result(answer)

        token = self.expect(take)
        self.wait_for(asked, subject)
        try:
            await self.send(subject, payload, reply=self.inbox_of(token), headers=headers)
            self.expire(asked)
            answer = await asked
        finally:
            self.stop_waiting(asked)
            self.forget(token)
        if answer.status == NO_RESPONDERS:
            raise Unanswered(f"nobody listens on {subject}")
        return answer

    async def api(self, subject: str, body: object) -> bytes:
        """One question to JetStream. Raises ``ApiError`` or ``Unanswered``, and ``Failed`` as ``ask`` does."""
        answer = await self.ask(self.api_subject(subject), msgspec.json.encode(body))
        raise_failure(answer.data)
        return answer.data

    def api_subject(self, question: str) -> str:
        """Where ``STREAM.INFO.<stream>`` is asked."""
        return f"{self._api}.{question}"

    async def send(self, subject: str, payload: bytes, *, reply: str = "", headers: bytes = b"") -> None:
        """Raises ``Unanswered`` if the line is down now."""
        try:
            self.client.put(subject, payload, reply=reply, headers=headers)
        except NatsError as error:
            raise Unanswered(f"the line is down: {type(error).__name__}") from error

    def expect(self, take: Callable[[Answer], None]) -> str:
        """A token whose inbox hands every answer to ``take``, which must not raise, until it is forgotten."""
        token = str(next(self._tokens))
        self._answers[token.encode()] = take
        return token

    def inbox_of(self, token: str) -> str:
        return f"{self._inbox}.{token}"

    def forget(self, token: str) -> None:
        self._answers.pop(token.encode(), None)

    def wait_for(self, answer: "asyncio.Future[Any]", subject: str) -> None:
        """Let the future fail with ``Unanswered`` as soon as the line drops, and with ``Failed`` if ``subject`` is not
        for this user to ask.
        """
        self._waiting[answer] = subject

    def stop_waiting(self, answer: "asyncio.Future[Any]") -> None:
        self._waiting.pop(answer, None)
        answer.cancel()

    async def persist(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """Try again while there is no answer, with growing pauses. Raises ``Unavailable`` after ``patience_s``."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self.patience_s
        pause = PAUSE_FIRST_S
        while True:
            try:
                return await attempt()
            except Unanswered as error:
                if self.closed or loop.time() + pause > deadline:
                    raise Unavailable("log_unavailable", f"The log does not answer: {error}.") from error
            await asyncio.sleep(pause)
            pause = min(2 * pause, PAUSE_MAX_S)

    def expire(self, answer: "asyncio.Future[Any]") -> None:
        """Let the future fail with ``Unanswered`` in ``ask_s``. One timer serves all that wait."""
        loop = asyncio.get_running_loop()
        self._deadlines.append((loop.time() + self.ask_s, answer))
        if self._timer is None:
            self._timer = loop.call_later(self.ask_s, self._look_at_deadlines)

    def _look_at_deadlines(self) -> None:
        loop = asyncio.get_running_loop()
        deadlines, now = self._deadlines, loop.time()
        while deadlines and (deadlines[0][0] <= now or deadlines[0][1].done()):
            _, answer = deadlines.popleft()
            if not answer.done():
                answer.set_exception(Unanswered(f"no answer within {self.ask_s} s"))
        self._timer = loop.call_at(deadlines[0][0], self._look_at_deadlines) if deadlines else None

    def _awaits(self) -> bool:
        return not all(answer.done() for answer in self._waiting)

    def _on_answer(self, subject: bytes, answer: Answer) -> None:
        take = self._answers.get(subject[subject.rfind(b".") + 1 :])
        if take is not None:
            take(answer)

    async def _on_error(self, error: Exception) -> None:
        # A server that has said so hangs up, which is told as an error of its own, and takes nothing back.
        self._unknown_user |= "authorization violation" in str(error).lower()
        told = forbidden(error)
        if told is None:
            self.logger.info("log_connection_error", error=repr(error))
            return
        deed, subject = told
        self.logger.error("log_forbidden", deed=deed, subject=subject)
        for answer, asked in tuple(self._waiting.items()):
            if asked.lower() == subject and not answer.done():
                answer.set_exception(
                    Failed(
                        "log_forbidden", f"The log does not let this service's user ask {asked}; see its permissions."
                    )
                )

    async def _on_drop(self) -> None:
        if not self.closed:
            self.logger.warning("log_connection_lost")
            self._note(is_down=True)
        self._give_up()

    async def _on_return(self) -> None:
        self.logger.info("log_connection_back")
        LOG_RECONNECTS.inc()
        self._note(is_down=False)

    def _note(self, *, is_down: bool) -> None:
        LOG_LINES_DOWN.inc(is_down - self._is_down)
        self._is_down = is_down

    def _give_up(self) -> None:
        for drop in tuple(self.drops):
            drop()
        # Their answers were on the old line. Failing now rather than at the time-out makes a restart a short stumble.
        for answer in tuple(self._waiting):
            if not answer.done():
                answer.set_exception(Unanswered("the line dropped before the answer came"))


async def _never(message: Msg) -> None:
    raise AssertionError(f"an answer was not handed on: {message.subject}")


def forbidden(error: Exception) -> tuple[str, str] | None:
    """``publish`` or ``subscription``, and the subject in small letters, if the server forbade one of these."""
    found = _FORBIDDEN.search(str(error).lower())
    return (found[1], found[2]) if found else None


def raise_failure(answer: bytes) -> None:
    """Raises ``ApiError`` if the answer is one."""
    error = _failure.decode(answer).error
    if error is not None:
        raise ApiError(error.code, error.err_code, error.description)
