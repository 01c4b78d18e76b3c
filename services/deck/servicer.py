"""protobuf in, protobuf out; and whether the match is one of the game whose rules ask."""

from collections.abc import Sequence
from typing import Protocol

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
from services.kit.wire.errors import Context

DRAW_ID_LENGTH_MAX = 64


class Dealer(Luck, Protocol):
    """Luck that knows to whom it deals."""

    async def game_of(self, match: str) -> str:
        """The key of the game that an open match is a match of. Raises ``Refusal`` (``match_not_open``)."""
        ...


class DeckServicer(deck_pb2_grpc.DeckServiceServicer):
    def __init__(self, deck: Dealer) -> None:
        self._deck = deck

    async def GetCommitment(
        self, request: deck_pb2.GetCommitmentRequest, context: Context
    ) -> deck_pb2.GetCommitmentResponse:
        match = check_id("match id", request.match_id)
        deal = deal_named(request.deal_id) if request.deal_id else None
        return deck_pb2.GetCommitmentResponse(commitment=await self._deck.commitment(match, deal))

    async def Draw(self, request: deck_pb2.DrawRequest, context: Context) -> deck_pb2.DrawResponse:
        match = check_id("match id", request.match_id)
        if not 1 <= len(request.draw_id) <= DRAW_ID_LENGTH_MAX:
            raise Refusal("bad_draw_id", f"A draw id has 1 to {DRAW_ID_LENGTH_MAX} characters.", Kind.INVALID)
        await may_draw(caller(), match, self._deck.game_of)
        return deck_pb2.DrawResponse(outcome=await self._deck.draw(match, request.draw_id, _asked(request)))

    async def RevealSeed(self, request: deck_pb2.RevealSeedRequest, context: Context) -> deck_pb2.RevealSeedResponse:
        match = check_id("match id", request.match_id)
        await may_draw(caller(), match, self._deck.game_of)
        return deck_pb2.RevealSeedResponse(seed=await self._deck.reveal(match))


def register(server: grpc.aio.Server, deck: Dealer) -> Sequence[str]:
    deck_pb2_grpc.add_DeckServiceServicer_to_server(DeckServicer(deck), server)
    return [deck_pb2.DESCRIPTOR.services_by_name["DeckService"].full_name]


def _asked(request: deck_pb2.DrawRequest) -> Roll | Draw:
    match request.WhichOneof("spec"):
        case "cards" if request.cards.count <= len(request.cards.remaining) <= CARDS_MAX:
            return Draw(tuple(request.cards.remaining), request.cards.count)
        case "dice" if 1 <= request.dice.sides <= SIDES_MAX and 1 <= request.dice.count <= CARDS_MAX:
            return Roll(request.dice.sides, request.dice.count)
        case _:
            raise Refusal(
                "bad_spec", f"A draw asks for cards that remain or for dice, at most {CARDS_MAX} of them.", Kind.INVALID
            )
