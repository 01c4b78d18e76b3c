"""Many matches folded side by side, as their lines come by in the order of the log.

What every reader of the whole log needs: a match that is met in the middle is loaded from its beginning, a complete one
is let go, and a damaged one is reported once and passed over, so that it cannot stop the others.

A line that comes by waits until somebody asks what has changed, or until several of its match wait. Lines of one match
that are folded together cost half of what they cost one by one, between those of fifty others (``History.catch_up``).
"""

import asyncio
from collections.abc import AsyncGenerator, Iterable
from functools import cache
from typing import Final

import structlog

from engine.games import game_of_rules
from engine.kernel.commit import BadLine
from engine.kernel.history import AnyHistory, BrokenLog, History
from engine.kernel.match import AnyMatch, Match
from engine.kernel.ports import Log, Stored
from engine.kernel.refusal import Refusal
from services.kit.line_head import beginning_of, commit_of
from services.kit.telemetry import DAMAGED

WAITING_MAX: Final = 64
"""Lines of one match that wait to be folded."""
AT_ONCE: Final = 4
"""Matches that are folded before others may use the processor."""

logger = structlog.get_logger()


class _Followed:
    """One match, as far as it has been folded, and what waits for it."""

    __slots__ = ("history", "lines", "told")

    def __init__(self) -> None:
        self.history: AnyHistory | None = None
        self.lines: list[Stored] = []
        self.told = 0
        """The revision at which it was last said to have changed."""


class Following:
    """Histories of the matches that are not complete, as far as their lines have come by."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._matches: dict[str, _Followed] = {}
        self._touched: dict[str, _Followed] = {}
        self._damaged: set[str] = set()

    @property
    def touched(self) -> int:
        """Matches of which something has come by that ``changed`` has not told yet."""
        return len(self._touched)

    async def take(self, lines: Iterable[Stored]) -> None:
        """Lines that come by; those of a match in their order."""
        matches, touched = self._matches, self._touched
        for stored in lines:
            beginning = beginning_of(stored.line)
            if beginning is None:
                logger.error("bad_line", position=stored.position)
                continue
            match_id = beginning[0]
            match = matches.get(match_id)
            if match is None:
                if match_id in self._damaged:
                    continue
                match = matches[match_id] = _Followed()
            match.lines.append(stored)
            touched[match_id] = match
            if len(match.lines) >= WAITING_MAX:
                await self._fold(match_id, match)

    async def changed(self, *, rest_s: float = 0.0) -> AsyncGenerator[AnyHistory, None]:
        """The matches that have changed since the last time, folded: of a damaged one as far as it holds. Each is to be
        looked at before the next is asked for; nothing may be taken meanwhile. ``rest_s`` is how long other processes
        have the core to themselves after every few.
        """
        touched, self._touched = self._touched, {}
        for number, (match_id, match) in enumerate(touched.items(), 1):
            await self._fold(match_id, match)
            history = match.history
            if history is not None and history.revision > match.told:
                match.told = history.revision
                yield history
            if match_id in self._damaged or (history is not None and history.state.seed):
                del self._matches[match_id]
            if number % AT_ONCE == 0:
                await asyncio.sleep(rest_s)

    async def _fold(self, match_id: str, match: _Followed) -> None:
        """Fold what waits. A match that turns out to be damaged stays as it is before the damage."""
        lines, match.lines = match.lines, []
        if not lines or match_id in self._damaged:
            return
        try:
            if match.history is None:
                match.history = History(match_of_rules(rules_of(match_id, lines[0])), match_id, proposes=False)
            history = match.history
            lines = [stored for stored in lines if stored.position > history.position]
            if lines and (beginning := beginning_of(lines[0].line)) and beginning[1] > history.revision + 1:
                earlier = await self._log.read(match_id, after=history.position)
                history.catch_up([stored for stored in earlier if stored.position < lines[0].position])
            history.catch_up(lines)
        except (BrokenLog, Refusal) as error:
            sound = 0 if match.history is None else match.history.revision
            DAMAGED.labels("match").inc()
            logger.error("damaged_match", match=match_id, revision=sound + 1, reason=str(error))
            self._damaged.add(match_id)


@cache
def match_of_rules(rules: str) -> AnyMatch:
    """The decider of ``just4fun/1``. Raises ``Refusal`` for rules that are not here."""
    return Match(game_of_rules(rules))


def rules_of(match_id: str, first: Stored) -> str:
    """What a match is played by, from its first line. Raises ``BrokenLog`` if that is none."""
    try:
        return commit_of(first.line).rules
    except BadLine as error:
        raise BrokenLog(match_id, 1, str(error)) from error
