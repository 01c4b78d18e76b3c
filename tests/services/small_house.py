"""A whole house in one process: every service behind its real gRPC server, on the log and the luck that a test gives.

``Tap`` stands between a client and the wire and keeps every byte that comes back: answers, streams and errors.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import grpc
from sqlmodel import SQLModel

from engine.games import find_game
from engine.kernel.ports import Clock, Log
from engine.kernel.refusal import Refusal
from services.deck.app import Deck
from services.deck.servicer import Dealer
from services.deck.servicer import register as register_deck
from services.kit.access.trust import Trust
from services.kit.clock import SystemClock
from services.kit.key import KeyRing, MasterKey
from services.kit.lifecycle import Register, Server, start_server
from services.kit.read_model import ReadModel
from services.kit.wire.channel import open_channel
from services.kit.wire.clients import DeckClient, MatchClient, ScoringClient, SpectatorClient
from services.rules.app import MatchHost
from services.rules.servicer import register as register_rules
from services.scoring.app import Scoring
from services.scoring.servicer import register as register_scoring
from services.scoring.tables import TABLES as SCORING_TABLES
from services.scoring.tables import VERSION
from services.spectator.app import FEED_VERSION, Gallery
from services.spectator.feed import Feed, Publisher
from services.spectator.servicer import register as register_spectator
from services.spectator.tables import TABLES
from tests.kit.databases import Store

GAME = "just4fun"
KEY = MasterKey("test", "5eed" * 16)


class Heard:
    """The public feed, as a subscriber who never leaves hears it."""

    def __init__(self) -> None:
        self.messages: list[tuple[str, bytes]] = []

    async def publish(self, subject: str, payload: bytes) -> None:
        self.messages.append((subject, payload))

    async def flush(self) -> None:
        await asyncio.sleep(0)


class SmallHouse:
    """The use cases, and the addresses of the servers before them."""

    def __init__(
        self, log: Log, host: MatchHost, scoring: Scoring, gallery: Gallery, addresses: dict[str, str]
    ) -> None:
        self.log = log
        self.host = host
        self.scoring = scoring
        self.gallery = gallery
        self.addresses = addresses
        self.servers: dict[str, Server] = {}
        self.running: dict[str, asyncio.Future[None]] = {}
        """What runs beside the servers; it ends by itself only with an error."""


@asynccontextmanager
async def small_house(
    log: Log,
    folder: Path,
    *,
    game: str = GAME,
    luck: Dealer | None = None,
    clock: Clock | None = None,
    publisher: Publisher | None = None,
    trust: Trust | None = None,
    store: Store | None = None,
) -> AsyncIterator[SmallHouse]:
    """Open on entry; on exit everything has stopped. The read models are in ``folder``, or together in ``store``.

    With ``trust`` whoever calls is asked who they are; what this task carries is what the services carry.
    """
    servers: dict[str, Server] = {}
    async with AsyncExitStack() as stack:

        async def serve(name: str, register: Register) -> str:
            server = servers[name] = await start_server(name, "127.0.0.1:0", register, trust)
            stack.push_async_callback(server.stop, 0)
            return f"127.0.0.1:{server.port}"

        dealer = luck or Deck(KeyRing(KEY), log)
        deck = await serve("deck", lambda server: register_deck(server, dealer))
        channel = await stack.enter_async_context(open_channel(deck))
        host = MatchHost(find_game(game), log, DeckClient(channel), clock or SystemClock())
        stack.push_async_callback(host.close)

        def read_model(name: str, version: int, tables: Sequence[type[SQLModel]]) -> ReadModel:
            url = f"sqlite:///{folder / name}.sqlite" if store is None else store.url
            model = ReadModel(url, name, version, tables, password_file=store.password_file if store else None)
            stack.push_async_callback(model.close)
            return model

        model = read_model("scoring", VERSION, SCORING_TABLES)
        scoring = Scoring(log, model, clock or SystemClock())
        checkpoint = read_model("feed", FEED_VERSION, TABLES)
        gallery = Gallery(log, Feed(publisher or Heard(), log), checkpoint, clock or SystemClock())
        addresses = {
            "deck": deck,
            "rules": await serve("rules", lambda server: register_rules(server, host, game)),
            "scoring": await serve("scoring", lambda server: register_scoring(server, scoring)),
            "spectator": await serve("spectator", lambda server: register_spectator(server, gallery)),
        }
        await scoring.prepare()
        await gallery.prepare()
        house = SmallHouse(log, host, scoring, gallery, addresses)
        house.servers = servers
        for name, work in (("rules", host.run()), ("scoring", scoring.run()), ("spectator", gallery.run())):
            house.running[name] = asyncio.ensure_future(work)
            stack.push_async_callback(_cancel, house.running[name])
        yield house


async def _cancel(task: "asyncio.Future[None]") -> None:
    """A service that ended by itself has failed; its error is the test's."""
    ended = task.done()
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        if ended:
            raise


class Kept(NamedTuple):
    """One message as it came over the wire; ``method`` is ``WatchFacts``, ``GetSnapshot`` ..."""

    method: str
    answer: bytes


class Tap:
    """A channel that keeps every byte which comes back on it. It has what generated stubs ask of a channel."""

    def __init__(self, channel: grpc.aio.Channel, kept: list[Kept]) -> None:
        self._channel = channel
        self._kept = kept

    def unary_unary(self, method: str, serializer: Any = None, deserializer: Any = None, **more: Any) -> Any:
        return self._tapped(self._channel.unary_unary, method, serializer, deserializer, more)

    def unary_stream(self, method: str, serializer: Any = None, deserializer: Any = None, **more: Any) -> Any:
        return self._tapped(self._channel.unary_stream, method, serializer, deserializer, more)

    def stream_stream(self, method: str, serializer: Any = None, deserializer: Any = None, **more: Any) -> Any:
        return self._tapped(self._channel.stream_stream, method, serializer, deserializer, more)

    def _tapped(self, make: Callable[..., Any], method: str, serializer: Any, deserializer: Any, more: Any) -> Any:
        def keep(answer: bytes) -> Any:
            self._kept.append(Kept(method.rpartition("/")[2], answer))
            return (deserializer or more["response_deserializer"])(answer)

        serialize = serializer or more["request_serializer"]
        return make(method, request_serializer=serialize, response_deserializer=keep)


class Person:
    """Somebody with clients of their own, all of them tapped: ``kept`` is every byte this person was sent."""

    def __init__(self, channels: dict[str, grpc.aio.Channel]) -> None:
        self.kept: list[Kept] = []
        taps: dict[str, Any] = {name: Tap(channel, self.kept) for name, channel in channels.items()}
        self.rules = MatchClient(taps["rules"])
        self.scoring = ScoringClient(taps["scoring"])
        self.spectator = SpectatorClient(taps["spectator"])

    async def try_to(self, call: Awaitable[object]) -> None:
        """A call that may be refused; what the refusal says has been sent, too."""
        try:
            await call
        except Refusal as refusal:
            self.kept.append(Kept("refused", str(refusal).encode()))


@asynccontextmanager
async def person(house: SmallHouse) -> AsyncIterator[Person]:
    async with AsyncExitStack() as stack:
        yield Person(
            {name: await stack.enter_async_context(open_channel(address)) for name, address in house.addresses.items()}
        )
