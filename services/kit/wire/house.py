"""All the clients of a house, from the one address that somebody was given."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from engine.kernel.ports import Unavailable
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import clip
from services.kit.wire.channel import open_channel
from services.kit.wire.clients import MatchClient, ScoringClient, SpectatorClient, describe_house
from services.kit.wire.tournament import TournamentClient

KNOCK_S = 0.2


class HouseClients:
    """One client a service; ``rules`` finds the one that plays a game."""

    def __init__(
        self,
        spectator: SpectatorClient,
        scoring: ScoringClient,
        tournament: TournamentClient,
        games: Mapping[str, MatchClient],
    ) -> None:
        self.spectator = spectator
        self.scoring = scoring
        self.tournament = tournament
        self._games = games

    @property
    def games(self) -> Sequence[str]:
        """The keys of those that are played here."""
        return sorted(self._games)

    def rules(self, game: str) -> MatchClient:
        """Raises ``Refusal`` for a game that this house does not play."""
        client = self._games.get(game)
        if client is None:
            names = ", ".join(sorted(self._games))
            raise Refusal("unknown_game", f"This house does not play {clip(game)}; it plays {names}.", Kind.MISSING)
        return client


@asynccontextmanager
async def connect(url: str, *, patience_s: float = 0.0) -> AsyncIterator[HouseClients]:
    """The clients of the house at ``url`` (host:port). Raises ``Unavailable`` if nobody opens."""
    async with AsyncExitStack() as stack:
        door = await stack.enter_async_context(open_channel(url))
        deadline = asyncio.get_running_loop().time() + patience_s
        while True:
            try:
                places = await describe_house(door)
                break
            except Unavailable as error:
                if asyncio.get_running_loop().time() > deadline:
                    raise Unavailable(
                        "house_unavailable", f"No house answers at {url}; is `tavolata up` running?"
                    ) from error
                await asyncio.sleep(KNOCK_S)
        named = {place.service: place.address for place in places if not place.game}
        games = {place.game: place.address for place in places if place.game}
        yield await stack.enter_async_context(clients_at(named, games))


@asynccontextmanager
async def clients_at(named: Mapping[str, str], games: Mapping[str, str]) -> AsyncIterator[HouseClients]:
    """The clients of services whose addresses are known: ``spectator``, ``scoring``, ``tournament``, and each game."""
    async with AsyncExitStack() as stack:
        channels = {
            address: await stack.enter_async_context(open_channel(address))
            for address in {*named.values(), *games.values()}
        }
        yield HouseClients(
            SpectatorClient(channels[named["spectator"]]),
            ScoringClient(channels[named["scoring"]]),
            TournamentClient(channels[named["tournament"]]),
            {game: MatchClient(channels[address]) for game, address in games.items()},
        )
