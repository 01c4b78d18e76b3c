"""Many readers, one question: who asks what somebody else is asking waits for the same answer, and what has just been
answered is answered again (docs/decisions/0032-many-readers-one-question.md).

Only what every bystander may know comes in here; what a seat sees is asked for each time. A question is a tuple: what
it is about (the id of an event or of a match, or ``LISTS``), and then everything else that its answer depends on. How
things stood when it was asked is ``as_of``: an answer of another ``as_of`` is of another time, and asked for anew. An
answer is kept for as long as was said, counted from the moment it was asked for, so nothing is shown for longer after
it has changed; then, or for want of room, it is forgotten. What was refused, or failed, goes to all who waited, and to
nobody else.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import Final, TypeAlias

import msgspec

from services.gateway.answers import Answer
from services.gateway.metrics import QUESTIONS
from services.kit.access.carried import nobodys_context

BYTES_MAX: Final = 64 * 2**20
"""Of all answers that are kept; the standings of ten thousand are about 3 MB."""

SHARE_OF_ONE: Final = 4
"""An answer of more than this part of all is not kept: a long log would push out everything else."""

SHORT_SECONDS: Final = 0.5
"""For answers that may change without a word to us."""

LONG_SECONDS: Final = 5.0
"""For answers that hold as long as their ``as_of`` does. There is an end to it all the same: a name that is erased by
another door is not in the revision of an event.
"""

LISTS: Final = ""
"""What a question is about that is about no single event or match."""

CHANGES_MAX: Final = 10_000
"""Events and matches of which it is remembered when they have last changed; what is older counts as changed."""

Question: TypeAlias = tuple[Hashable, ...]


class _Kept(msgspec.Struct, frozen=True):
    answer: Answer
    as_of: Hashable
    number: int
    until: float


class _Asked(msgspec.Struct, frozen=True):
    """A question that somebody waits for."""

    task: "asyncio.Task[Answer]"
    number: int


class SharedAnswers:
    """``ask`` answers a question; ``forget`` is for whoever knows that something has changed."""

    def __init__(self, bytes_max: int = BYTES_MAX) -> None:
        self._bytes_max = bytes_max
        self.kept_bytes = 0
        self._kept: OrderedDict[Question, _Kept] = OrderedDict()
        """The one that was wanted last comes last."""
        self._asked: dict[tuple[Question, Hashable], _Asked] = {}
        self._number = 0
        """Of the newest question or change: what has a higher one came later."""
        self._changed: OrderedDict[Hashable, int] = OrderedDict()
        """About what → the number of its last change, the newest last."""
        self._all_changed = 0

    async def ask(
        self,
        question: Question,
        find: Callable[[], Awaitable[Answer]],
        *,
        as_of: Hashable = None,
        seconds: float = SHORT_SECONDS,
    ) -> Answer:
        """``find`` is called if nobody else's answer will do. Raises what it raises."""
        now = asyncio.get_running_loop().time()
        kept = self._kept.get(question)
        if kept is not None and kept.as_of == as_of and now < kept.until and self._holds(question, kept.number):
            self._kept.move_to_end(question)
            QUESTIONS.labels("kept").inc()
            return kept.answer
        asked = self._asked.get((question, as_of))
        if asked is None or not self._holds(question, asked.number):
            QUESTIONS.labels("asked").inc()
            asked = self._begin(question, find, as_of, now + seconds)
        else:
            QUESTIONS.labels("joined").inc()
        return await asyncio.shield(asked.task)  # who goes away leaves the others their answer

    def forget(self, about: str) -> None:
        """Something about this event or match has changed, or of the lists: what was asked before is of the past."""
        self._changed[about] = self._next_number()
        self._changed.move_to_end(about)
        if len(self._changed) > CHANGES_MAX:
            self._all_changed = self._changed.popitem(last=False)[1]

    def forget_all(self) -> None:
        """For what may stand in any answer: a name that was erased."""
        self._all_changed = self._next_number()

    def _begin(
        self, question: Question, find: Callable[[], Awaitable[Answer]], as_of: Hashable, until: float
    ) -> _Asked:
        number = self._next_number()

        async def answered() -> Answer:
            answer = await find()
            if until > asyncio.get_running_loop().time():
                self._keep(question, _Kept(answer, as_of, number, until))
            return answer

        def over(task: asyncio.Task[Answer]) -> None:
            if not task.cancelled():
                task.exception()  # was told to who waited, if anybody still did
            if self._asked.get((question, as_of)) is asked:
                del self._asked[question, as_of]

        asked = self._asked[question, as_of] = _Asked(
            asyncio.create_task(answered(), context=nobodys_context()), number
        )
        asked.task.add_done_callback(over)
        return asked

    def _keep(self, question: Question, new: _Kept) -> None:
        if new.answer.size > self._bytes_max // SHARE_OF_ONE:
            return
        before = self._kept.get(question)
        if before is not None:
            if before.number > new.number:
                return  # somebody asked later, and was quicker
            self.kept_bytes -= before.answer.size
        self._kept[question] = new
        self._kept.move_to_end(question)
        self.kept_bytes += new.answer.size
        while self.kept_bytes > self._bytes_max:
            self.kept_bytes -= self._kept.popitem(last=False)[1].answer.size

    def _holds(self, question: Question, number: int) -> bool:
        """Whether nothing that is known has changed since then."""
        return number > max(self._changed.get(question[0], 0), self._all_changed)

    def _next_number(self) -> int:
        self._number += 1
        return self._number
