"""The services as a caller sees them, in the engine's words; the deck is the ``Luck`` port."""

from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import aclosing
from functools import partial
from typing import Final

import grpc
import msgspec
from tavolata.deck.v1 import deck_pb2, deck_pb2_grpc
from tavolata.house.v1 import house_pb2, house_pb2_grpc
from tavolata.match.v1 import match_pb2, match_pb2_grpc
from tavolata.scoring.v1 import scoring_pb2, scoring_pb2_grpc
from tavolata.spectator.v1 import spectator_pb2, spectator_pb2_grpc

from engine.kernel.chance import Draw, Roll
from engine.kernel.codec import Recorded
from engine.kernel.deal import Deal
from engine.kernel.facts import Fact
from engine.kernel.history import Duplicate
from engine.kernel.value import Revision, Seat, Value
from services.kit.lookers import Looker, looker_name
from services.kit.tracing import span
from services.kit.wire.channel import CALL_SECONDS, EXPORT_SECONDS, stream, unary
from services.kit.wire.errors import error_told
from services.kit.wire.exchange import Exchange
from services.kit.wire.watches import Watches, read

DECK_SECONDS = 3.0
"""For the deck to answer: well below ``CALL_SECONDS``, so that whoever moved hears that the move is a fact."""

assert 2 * DECK_SECONDS < CALL_SECONDS

DRAWS_TOGETHER: Final = 16
"""Draws in one message: with all cards that there can be, still well below what a message may have."""


class Accepted(Value, frozen=True):
    """The command is a fact of this revision."""

    revision: Revision


class DeckClient:
    """The ``Luck`` port over gRPC."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub = deck_pb2_grpc.DeckServiceStub(channel)
        self._draws: Exchange[deck_pb2.Draw, deck_pb2.Drawn] = Exchange(
            self._stub.DrawMany, _draws, _drawn, group=DRAWS_TOGETHER, seconds=DECK_SECONDS
        )

    async def commitment(self, match: str, deal: Deal | None = None) -> str:
        request = deck_pb2.GetCommitmentRequest(match_id=match, deal_id="" if deal is None else deal.id)
        response = await unary(self._stub.GetCommitment, request, DECK_SECONDS)
        return str(response.commitment)

    async def draw(self, match: str, draw_id: str, asked: Roll | Draw) -> tuple[int, ...]:
        """A refusal is the draw's alone; the call goes on."""
        with span("draw"):
            drawn = await self._draws.ask(partial(_draw, match, draw_id, asked))
        if drawn.HasField("refused"):
            raise error_told(drawn.refused.status, drawn.refused.code, drawn.refused.sentence)
        return tuple(drawn.outcome)

    async def reveal(self, match: str) -> str:
        response = await unary(self._stub.RevealSeed, deck_pb2.RevealSeedRequest(match_id=match), DECK_SECONDS)
        return str(response.seed)


class MatchClient:
    """The rules service of one game."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub = match_pb2_grpc.MatchServiceStub(channel)

    async def open(
        self,
        match: str,
        game: str,
        seats: int,
        *,
        options_json: str = "{}",
        nonces: Sequence[str] = (),
        players: Sequence[str] = (),
        turn_ms: int = 0,
        bank_ms: int = 0,
        increment_ms: int = 0,
        on_timeout: str = "",
        deal: Deal | None = None,
        delay_ms: int = 0,
    ) -> Accepted | Duplicate:
        request = match_pb2.OpenMatchRequest(
            match_id=match, game=game, seats=seats, options_json=options_json,
            nonces=nonces, players=players, turn_ms=turn_ms,
            bank_ms=bank_ms, increment_ms=increment_ms, on_timeout=on_timeout, delay_ms=delay_ms,
            deal=None if deal is None else match_pb2.Deal(group=deal.group, tables=deal.tables),
        )  # fmt: skip
        response = await unary(self._stub.OpenMatch, request)
        return Duplicate(response.revision) if response.duplicate else Accepted(response.revision)

    async def act(
        self, match: str, command_id: str, seat: Seat, command_json: str, *, expected_revision: Revision = 0,
        timeout: float = CALL_SECONDS,
    ) -> Accepted | Duplicate:  # fmt: skip
        request = match_pb2.ActRequest(
            match_id=match, command_id=command_id, seat=seat, command_json=command_json,
            expected_revision=expected_revision,
        )  # fmt: skip
        response = await unary(self._stub.Act, request, timeout)
        return Duplicate(response.revision) if response.duplicate else Accepted(response.revision)

    async def direct(self, match: str, command_id: str, command_json: str) -> Accepted | Duplicate:
        """A command of the director: pause, resume, extend, call time, or a seat leaves."""
        request = match_pb2.DirectRequest(match_id=match, command_id=command_id, command_json=command_json)
        response = await unary(self._stub.Direct, request)
        return Duplicate(response.revision) if response.duplicate else Accepted(response.revision)

    async def choices(
        self, match: str, seat: Seat, path: Sequence[str], *, language: str = ""
    ) -> match_pb2.GetChoicesResponse:
        request = match_pb2.GetChoicesRequest(match_id=match, seat=seat, path=path, language=language)
        response: match_pb2.GetChoicesResponse = await unary(self._stub.GetChoices, request)
        return response


class SpectatorClient:
    """Facts, positions and exports."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub = spectator_pb2_grpc.SpectatorServiceStub(channel)
        self.watches: Final = Watches(self._stub.WatchMany)
        """For whoever would rather be called than read."""

    async def facts(
        self, match: str, viewer: Looker, *, after: Revision = 0, language: str = ""
    ) -> AsyncGenerator[Fact, None]:
        """From history to live; ends when the match is complete."""
        watch = spectator_pb2.Watch(match_id=match, viewer=looker_name(viewer), after=after, language=language)
        async with aclosing(read(self.watches, watch)) as facts:
            async for fact in facts:
                yield fact_of_message(fact)

    async def positions(
        self, match: str, viewer: Looker, *, language: str = ""
    ) -> AsyncGenerator[spectator_pb2.Position, None]:
        """The position now and after each change, without its view; ends when the match is complete."""
        request = spectator_pb2.WatchPositionsRequest(match_id=match, viewer=looker_name(viewer), language=language)
        async with aclosing(stream(self._stub.WatchPositions, request)) as responses:
            async for response in responses:
                yield response.position

    async def snapshot(
        self, match: str, viewer: Looker, *, revision: Revision = 0, language: str = ""
    ) -> spectator_pb2.Position:
        """The position at a revision, with its view; 0 is now."""
        request = spectator_pb2.GetSnapshotRequest(
            match_id=match, viewer=looker_name(viewer), revision=revision, language=language
        )
        response = await unary(self._stub.GetSnapshot, request)
        position: spectator_pb2.Position = response.position
        return position

    async def export(self, match: str) -> list[bytes]:
        """The lines of a complete match."""
        async with aclosing(self.export_pieces(match)) as pieces:
            return [line async for lines in pieces for line in lines]

    async def export_pieces(self, match: str) -> AsyncGenerator[Sequence[bytes], None]:
        """The same as they come, some lines at a time."""
        request = spectator_pb2.ExportMatchRequest(match_id=match)
        async with aclosing(stream(self._stub.ExportMatch, request, EXPORT_SECONDS)) as responses:
            async for response in responses:
                yield response.lines


class ScoringClient:
    """Matches and their scores."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub = scoring_pb2_grpc.ScoringServiceStub(channel)

    async def matches(
        self, *, status: scoring_pb2.Status.ValueType = scoring_pb2.STATUS_UNSPECIFIED, game: str = ""
    ) -> AsyncGenerator[scoring_pb2.Match, None]:
        """All of them, page by page, newest first."""
        token = ""
        while True:
            page = await self.page(status=status, game=game, page_size=500, page_token=token)
            for match in page.matches:
                yield match
            token = page.next_page_token
            if not token:
                return

    async def page(
        self,
        *,
        status: scoring_pb2.Status.ValueType = scoring_pb2.STATUS_UNSPECIFIED,
        game: str = "",
        page_size: int = 0,
        page_token: str = "",
    ) -> scoring_pb2.ListMatchesResponse:
        """Some of them, newest first, and the token of the page behind."""
        request = scoring_pb2.ListMatchesRequest(status=status, game=game, page_size=page_size, page_token=page_token)
        response: scoring_pb2.ListMatchesResponse = await unary(self._stub.ListMatches, request)
        return response

    async def match(self, match: str) -> scoring_pb2.Match:
        response = await unary(self._stub.GetMatch, scoring_pb2.GetMatchRequest(match_id=match))
        found: scoring_pb2.Match = response.match
        return found

    async def watch(self, game: str = "", *, milestones: bool = False) -> AsyncGenerator[scoring_pb2.Match, None]:
        """The running matches, then each that changes, or only those that are opened and that end."""
        request = scoring_pb2.WatchMatchesRequest(game=game, milestones=milestones)
        async with aclosing(stream(self._stub.WatchMatches, request)) as responses:
            async for response in responses:
                yield response.match


async def describe_house(channel: grpc.aio.Channel) -> Sequence[house_pb2.Place]:
    """What runs where, asked at the front door."""
    stub = house_pb2_grpc.HouseServiceStub(channel)
    response = await unary(stub.DescribeHouse, house_pb2.DescribeHouseRequest(), timeout=3.0)
    places: Sequence[house_pb2.Place] = response.services
    return places


def _draw(match: str, draw_id: str, asked: Roll | Draw, tag: int) -> deck_pb2.Draw:
    if isinstance(asked, Draw):
        cards = deck_pb2.Cards(remaining=asked.cards, count=asked.count)
        return deck_pb2.Draw(tag=tag, match_id=match, draw_id=draw_id, cards=cards)
    dice = deck_pb2.Dice(sides=asked.sides, count=asked.count)
    return deck_pb2.Draw(tag=tag, match_id=match, draw_id=draw_id, dice=dice)


def _draws(draws: Sequence[deck_pb2.Draw]) -> deck_pb2.DrawManyRequest:
    return deck_pb2.DrawManyRequest(draws=draws)


def _drawn(response: deck_pb2.DrawManyResponse) -> Iterable[tuple[int, deck_pb2.Drawn]]:
    return ((drawn.tag, drawn) for drawn in response.drawn)


def fact_of_message(message: spectator_pb2.Fact) -> Fact:
    return Fact(
        match=message.match_id,
        revision=message.revision,
        at=message.at,
        actor=message.actor,
        events=tuple(
            Recorded(event.type, event.version, msgspec.Raw(event.data_json.encode())) for event in message.events
        ),
        words=tuple(message.words),
    )


def message_of_fact(fact: Fact) -> spectator_pb2.Fact:
    return spectator_pb2.Fact(
        match_id=fact.match,
        revision=fact.revision,
        at=fact.at,
        actor=fact.actor,
        events=[
            spectator_pb2.Event(type=event.type, version=event.v, data_json=bytes(event.data).decode())
            for event in fact.events
        ],
        words=fact.words,
    )
