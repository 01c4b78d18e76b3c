"""protobuf in, protobuf out; and whether the match is one of the game whose rules ask."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from functools import partial
from typing import Any, Protocol

import grpc
from tavolata.deck.v1 import deck_pb2, deck_pb2_grpc

from engine.kernel.chance import Draw, Roll
from engine.kernel.deal import deal_named
from engine.kernel.limits import CARDS_MAX, SIDES_MAX
from engine.kernel.ports import Luck
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import check_id
from services.kit.access.caller import caller
from services.kit.access.rights import may_draw
from services.kit.wire.errors import Context, reason_of, status_of
from services.kit.wire.exchange import Tell, exchanged

DRAW_ID_LENGTH_MAX = 64

UNDER_WAY_MAX = 1_000
"""Draws of one call that are under way; a rules host has one for each match that somebody moves in just now."""


class Dealer(Luck, Protocol):
    """Luck that knows to whom it deals."""

    async def game_of(self, match: str) -> str:
        """The key of the game that an open match is a match of. Raises ``Refusal`` (``match_not_open``)."""
        ...

    def is_at_hand(self, match: str) -> bool:
        """Whether to draw for this match needs nothing from the log."""
        ...


class DeckServicer(deck_pb2_grpc.DeckServiceServicer):
    def __init__(self, deck: Dealer) -> None:
        self._deck = deck
        self._reading: set[asyncio.Task[Any]] = set()

    async def GetCommitment(
        self, request: deck_pb2.GetCommitmentRequest, context: Context
    ) -> deck_pb2.GetCommitmentResponse:
        match = check_id("match id", request.match_id)
        deal = deal_named(request.deal_id) if request.deal_id else None
        return deck_pb2.GetCommitmentResponse(commitment=await self._deck.commitment(match, deal))

    async def DrawMany(
        self, request_iterator: AsyncIterator[deck_pb2.DrawManyRequest], context: Context
    ) -> AsyncIterator[deck_pb2.DrawManyResponse]:
        async with aclosing(exchanged(request_iterator, self._draw_each, under_way_max=UNDER_WAY_MAX)) as answers:
            async for drawn in answers:
                yield deck_pb2.DrawManyResponse(drawn=drawn)

    async def _draw_each(self, request: deck_pb2.DrawManyRequest, tell: Tell[deck_pb2.Drawn]) -> int:
        """What is known is drawn here and now; a match that has to be read first keeps nobody waiting."""
        for draw in request.draws:
            if self._deck.is_at_hand(draw.match_id):
                tell(await self._drawn(draw))
            else:
                task = asyncio.create_task(self._drawn(draw))
                self._reading.add(task)
                task.add_done_callback(partial(self._tell, tell))
        return len(request.draws)

    def _tell(self, tell: Tell[deck_pb2.Drawn], task: "asyncio.Task[deck_pb2.Drawn]") -> None:
        self._reading.discard(task)
        if not task.cancelled():
            tell(task.result())

    async def _drawn(self, draw: deck_pb2.Draw) -> deck_pb2.Drawn:
        try:
            return deck_pb2.Drawn(tag=draw.tag, outcome=await self._draw(draw))
        except Exception as error:  # of one draw: the others are answered
            status = status_of(error)
            refused = deck_pb2.NotDrawn(status=status.code, code=reason_of(status), sentence=status.message)
            return deck_pb2.Drawn(tag=draw.tag, refused=refused)

    async def _draw(self, draw: deck_pb2.Draw) -> tuple[int, ...]:
        match = check_id("match id", draw.match_id)
        if not 1 <= len(draw.draw_id) <= DRAW_ID_LENGTH_MAX:
            raise Refusal("bad_draw_id", f"A draw id has 1 to {DRAW_ID_LENGTH_MAX} characters.", Kind.INVALID)
        await may_draw(caller(), match, self._deck.game_of)
        return await self._deck.draw(match, draw.draw_id, _asked(draw))

    async def RevealSeed(self, request: deck_pb2.RevealSeedRequest, context: Context) -> deck_pb2.RevealSeedResponse:
        match = check_id("match id", request.match_id)
        await may_draw(caller(), match, self._deck.game_of)
        return deck_pb2.RevealSeedResponse(seed=await self._deck.reveal(match))


def register(server: grpc.aio.Server, deck: Dealer) -> Sequence[str]:
    deck_pb2_grpc.add_DeckServiceServicer_to_server(DeckServicer(deck), server)
    return [deck_pb2.DESCRIPTOR.services_by_name["DeckService"].full_name]


def _asked(draw: deck_pb2.Draw) -> Roll | Draw:
    match draw.WhichOneof("spec"):
        case "cards" if draw.cards.count <= len(draw.cards.remaining) <= CARDS_MAX:
            return Draw(tuple(draw.cards.remaining), draw.cards.count)
        case "dice" if 1 <= draw.dice.sides <= SIDES_MAX and 1 <= draw.dice.count <= CARDS_MAX:
            return Roll(draw.dice.sides, draw.dice.count)
        case _:
            raise Refusal(
                "bad_spec", f"A draw asks for cards that remain or for dice, at most {CARDS_MAX} of them.", Kind.INVALID
            )
