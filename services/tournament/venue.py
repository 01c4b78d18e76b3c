"""Where the matches are played: the rules services, one a game, as the director of events sees them."""

from collections.abc import Mapping
from typing import Protocol

import msgspec

from engine.kernel.deal import deal_of
from engine.kernel.official import COMMANDS, Directing
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import clip
from engine.tournament.config import Config
from engine.tournament.director import OpenTable
from services.kit.wire.clients import MatchClient


class Venue(Protocol):
    """Both are harmless to repeat. Raise ``Refusal``, ``Unavailable``, ``Failed``."""

    async def open(self, table: OpenTable, config: Config) -> None:
        """Open the match of a table. ``Refusal``: ``unknown_game`` if nobody plays it here, ``bad_options`` ..."""
        ...

    async def direct(self, game: str, match: str, command_id: str, command: Directing) -> None:
        """What the director of an event does to a running match."""
        ...


class RulesServices:
    """The ``Venue`` over gRPC; ``clients`` by the key of the game."""

    def __init__(self, clients: Mapping[str, MatchClient]) -> None:
        self._clients = clients

    async def open(self, table: OpenTable, config: Config) -> None:
        clocks = config.clocks
        await self._client(table.game).open(
            table.match,
            table.game,
            len(table.players),
            options_json=msgspec.json.encode(table.options).decode(),
            players=table.players,
            turn_ms=clocks.turn_ms,
            bank_ms=clocks.bank_ms,
            increment_ms=clocks.increment_ms,
            on_timeout=clocks.on_timeout,
            deal=deal_of(table.group, table.deal) if table.group else None,
            delay_ms=config.spectators.delay_ms,
        )

    async def direct(self, game: str, match: str, command_id: str, command: Directing) -> None:
        command_json = msgspec.json.encode(COMMANDS.encode(command)).decode()
        await self._client(game).direct(match, command_id, command_json)

    def _client(self, game: str) -> MatchClient:
        client = self._clients.get(game)
        if client is None:
            raise Refusal("unknown_game", f"No rules service of {clip(game)} is known here.", Kind.MISSING)
        return client
