"""What the director asks for, kept going: one task a step, taken up again until it is done or no longer wanted.

After every change of an event, and at the start, the director is asked what is owed now. Steps that are new are begun,
steps that are no longer among them are called off. What has been done is remembered in memory alone: after a restart
all of it is asked for again, and does no harm. One step that fails waits and tries again, and stops no other.
"""

import asyncio
from collections import Counter
from collections.abc import Hashable
from time import perf_counter

import structlog

from engine.kernel.ledger import BrokenLog
from engine.kernel.ports import Conflict, Failed, Unavailable
from engine.kernel.refusal import Refusal
from engine.kernel.value import Revision, Value
from engine.tournament.director import AbandonMatch, CallTimeAt, Director, LookAtArena, OpenTable, Step
from services.kit.chores import log_failure
from services.kit.pulse import Pulse
from services.tournament.ledgers import Kept, Ledgers
from services.tournament.steps import Rest, Steps

LOOK_S = 0.02
"""Changes of an event that come within this time are looked at together."""

RESTS = 2
"""Looking at a round of 5,000 tables takes some 40 ms: between two looks the others have twice as long."""

RETRY_S = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
"""Pauses after one that could not be reached; the last one repeats."""

REFUSED_S = 15.0
"""The pause after a refusal (a game that is not played here, options that it does not take) or a fault of ours."""

OURS = Failed("internal_error", "Something went wrong on our side; the log of the tournament service says what.")
"""What an organiser is told of a fault of ours."""

logger = structlog.get_logger()


class Trouble(Value, frozen=True):
    """Why a step is not done: as in a refusal."""

    code: str
    sentence: str


class _Chore(Rest):
    """One step under way, or done when the event was at ``revision``."""

    def __init__(self, step: Step) -> None:
        super().__init__()
        self.step = step
        self.task: asyncio.Task[None] | None = None
        self.wanted = True
        self.revision: Revision = 0
        self.done = False


class Runner:
    """``run`` beside the use cases; ``trouble`` says what is in the way of an event."""

    def __init__(self, ledgers: Ledgers, steps: Steps, *, retry_s: tuple[float, ...] = RETRY_S) -> None:
        self._ledgers = ledgers
        self._steps = steps
        self._retry_s = retry_s
        self._director = Director()
        self._changed: dict[str, None] = {}
        self._pulse = Pulse()
        self._chores: dict[str, dict[Hashable, _Chore]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        """Of all chores, those included that are called off and end the call they are in the middle of."""
        self._troubles: dict[str, dict[Hashable, Trouble]] = {}
        ledgers.listeners.append(self._note)

    async def run(self) -> None:
        """See to every event for ever."""
        for kept in self._ledgers.all():
            self._note(kept)
        while True:
            began = perf_counter()
            while self._changed:
                tournament_id = next(iter(self._changed))
                del self._changed[tournament_id]
                try:
                    self._look(self._ledgers.known(tournament_id))
                except Exception as error:
                    # A fault of ours in one event must not stop the others.
                    logger.error("cannot_direct", tournament=tournament_id, exc_info=error)
                await asyncio.sleep(0)
            took_s = perf_counter() - began
            await self._pulse.wait()
            await asyncio.sleep(max(LOOK_S, RESTS * took_s))

    async def close(self) -> None:
        """Call everything off: whoever comes next finds it again."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._steps.close()

    def trouble(self, tournament_id: str) -> Trouble | None:
        """What is in the way of most steps of an event; ``None`` if nothing is."""
        found = Counter(self._troubles.get(tournament_id, {}).values())
        return found.most_common(1)[0][0] if found else None

    def _note(self, kept: Kept) -> None:
        self._changed[kept.id] = None
        self._pulse.beat()

    def _look(self, kept: Kept) -> None:
        if kept.broken is not None:
            return
        wanted = {_key(step): step for step in self._director.resume(kept.state)}
        chores = self._chores.setdefault(kept.id, {})
        for key in [key for key in chores if key not in wanted]:
            self._call_off(kept.id, key, chores.pop(key))
        for key, step in wanted.items():
            chore = chores.get(key)
            if chore is None or _is_due_again(chore, kept.ledger.revision):
                chores[key] = self._begin(kept, key, step)
        if not chores:
            del self._chores[kept.id]

    def _begin(self, kept: Kept, key: Hashable, step: Step) -> _Chore:
        chore = _Chore(step)
        chore.revision = kept.ledger.revision
        chore.task = asyncio.create_task(self._see_to(kept.id, key, chore))
        self._tasks.add(chore.task)
        chore.task.add_done_callback(self._tasks.discard)
        chore.task.add_done_callback(log_failure)
        return chore

    def _call_off(self, tournament_id: str, key: Hashable, chore: _Chore) -> None:
        chore.wanted = False
        self._relieve(tournament_id, key)
        if chore.resting and chore.task is not None:
            chore.task.cancel()

    async def _see_to(self, tournament_id: str, key: Hashable, chore: _Chore) -> None:
        tries = 0
        while chore.wanted:
            try:
                await self._steps.carry_out(tournament_id, chore.step, chore)
            except (Refusal, BrokenLog) as error:
                pause_s = REFUSED_S
                self._complain(tournament_id, key, chore, error)
            except (Conflict, Unavailable, Failed) as error:
                pause_s = self._retry_s[min(tries, len(self._retry_s) - 1)]
                self._complain(tournament_id, key, chore, error)
            except Exception as error:
                # A fault of ours. The step is owed all the same, and an organiser is to see that it is not done.
                pause_s = REFUSED_S
                logger.error("cannot_carry_out", tournament=tournament_id, exc_info=error)
                self._complain(tournament_id, key, chore, OURS)
            else:
                self._relieve(tournament_id, key)
                chore.done = True
                return
            tries += 1
            with chore.rest():
                await asyncio.sleep(pause_s)

    def _complain(self, tournament_id: str, key: Hashable, chore: _Chore, error: Exception) -> None:
        if not chore.wanted:
            return
        code = getattr(error, "code", "broken_log" if isinstance(error, BrokenLog) else "conflict")
        trouble = Trouble(code, getattr(error, "sentence", str(error)))
        troubles = self._troubles.setdefault(tournament_id, {})
        if all(each.code != code for each in troubles.values()):  # once, and not for each of a thousand tables
            logger.warning("still_owed", tournament=tournament_id, step=type(chore.step).__name__, reason=code)
        troubles[key] = trouble

    def _relieve(self, tournament_id: str, key: Hashable) -> None:
        troubles = self._troubles.get(tournament_id, {})
        if troubles.pop(key, None) is not None and not troubles:
            del self._troubles[tournament_id]


def _key(step: Step) -> Hashable:
    """What tells a step from another; a table whose people have changed is another one to be opened."""
    if isinstance(step, AbandonMatch):
        return ("abandon", step.opening.match)
    return (step.match, step.players) if isinstance(step, OpenTable) else step


def _is_due_again(chore: _Chore, revision: Revision) -> bool:
    """What time brings about may have been refused by an event that has moved on since."""
    return chore.done and chore.revision < revision and isinstance(chore.step, CallTimeAt | LookAtArena)
