"""The folded matches that a host keeps warm: a cache, never the truth.

A table is used under its lock by one request at a time. Any replica may serve any match: whoever appends second gets a
conflict, reads what is new and decides again.
"""

from collections import OrderedDict

from engine.kernel.game import AnyGame
from engine.kernel.history import AnyHistory, History
from engine.kernel.match import AnyMatch
from engine.kernel.ports import Log, Stored
from engine.kernel.refusal import Refusal
from engine.kernel.value import Seat
from services.kit.following import rules_of
from services.kit.locks import Locks, Turn

TABLES_KEPT = 20_000
"""Folded matches in memory; a Just 4 Fun match is about 20 kB."""


class Tables:
    """Histories by match id, least recently used first."""

    def __init__(self, match: AnyMatch, log: Log) -> None:
        self._match = match
        self._log = log
        self._histories: OrderedDict[str, AnyHistory] = OrderedDict()
        self._locks = Locks()

    @property
    def game(self) -> AnyGame:
        return self._match.game

    def open(self, match_id: str) -> "Opened":
        """The match, folded as far as this host knows (revision 0 if it was never opened), for this caller alone."""
        return Opened(self, match_id, self._locks.of(match_id))

    async def history(self, match_id: str) -> AnyHistory:
        """For whoever has its lock."""
        history = self._histories.get(match_id)
        if history is None:
            history = await self._read(match_id)
            if history.revision:
                self.keep(history)
        return history

    async def refresh(self, history: AnyHistory) -> bool:
        """Fold what others have appended; whether there was anything. Raises ``Refusal`` for another game's match."""
        news = await self._log.read(history.match_id, after=history.position)
        if news and not history.revision:
            self._check_rules(history.match_id, news[0])
        for stored in news:
            history.accept(stored.line, stored.position)
        return bool(news)

    async def _read(self, match_id: str) -> AnyHistory:
        """A match of which this host knows nothing. Raises ``Refusal`` as ``refresh``."""
        whole = await self._log.whole(match_id)
        if whole.lines:
            self._check_rules(match_id, Stored(1, whole.lines[0]))
        history: AnyHistory = History(self._match, match_id)
        history.catch_up([Stored(whole.position, line) for line in whole.lines])
        return history

    def _check_rules(self, match_id: str, first: Stored) -> None:
        rules = rules_of(match_id, first)
        if rules.partition("/")[0] != self.game.key:
            raise Refusal("other_game", f"Match {match_id} is one of {rules}, not of {self.game.key}.")
        if rules != self.game.rules:
            raise Refusal("unknown_rules", f"Match {match_id} is played by {rules}; here is {self.game.rules}.")

    def keep(self, history: AnyHistory) -> None:
        """Keep a match warm. A complete one is let go: nobody will move in it again."""
        if history.state.seed:
            self._histories.pop(history.match_id, None)
            return
        self._histories[history.match_id] = history
        self._histories.move_to_end(history.match_id)
        if len(self._histories) > TABLES_KEPT:
            self._histories.popitem(last=False)

    async def player_at(self, match_id: str, seat: Seat) -> str:
        """Whom the opening put in a seat; empty if nobody knows."""
        known = self.known(match_id)
        if known is None:
            async with self.open(match_id) as known:
                if not known.revision:
                    return ""
        players = known.state.opened.players
        return players[seat] if seat < len(players) else ""

    def known(self, match_id: str) -> AnyHistory | None:
        return self._histories.get(match_id)


class Opened:
    """``async with``: one use of one match."""

    __slots__ = ("_history", "_match_id", "_tables", "_turn")

    def __init__(self, tables: Tables, match_id: str, turn: Turn) -> None:
        self._tables = tables
        self._match_id = match_id
        self._turn = turn

    async def __aenter__(self) -> AnyHistory:
        await self._turn.__aenter__()
        try:
            self._history = await self._tables.history(self._match_id)
        except BaseException:
            await self._turn.__aexit__()
            raise
        return self._history

    async def __aexit__(self, kind: type[BaseException] | None, *error: object) -> None:
        if kind is None and self._history.revision:
            self._tables.keep(self._history)
        await self._turn.__aexit__()
