"""protobuf in, protobuf out."""

from collections.abc import AsyncIterator, Sequence

import grpc
from tavolata.match.v1 import match_pb2, match_pb2_grpc

from engine.kernel.catalogue import language_named
from engine.kernel.deal import deal_of
from engine.kernel.history import BrokenLog
from engine.kernel.official import DEFAULT
from engine.kernel.ports import Conflict, Unavailable
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import clip
from services.kit.access.caller import caller
from services.kit.access.rights import may_speak
from services.kit.wire.errors import Context, refusal_fields
from services.rules.app import MatchHost, Receipt


class MatchServicer(match_pb2_grpc.MatchServiceServicer):
    def __init__(self, host: MatchHost, game: str) -> None:
        self._host = host
        self._game = game

    async def OpenMatch(self, request: match_pb2.OpenMatchRequest, context: Context) -> match_pb2.OpenMatchResponse:
        if request.game != self._game:
            raise Refusal("other_game", f"This service plays {self._game}, not {clip(request.game)}.", Kind.INVALID)
        receipt = await self._host.open(
            request.match_id,
            seats=request.seats,
            options_json=request.options_json,
            nonces=request.nonces,
            players=request.players,
            turn_ms=request.turn_ms,
            bank_ms=request.bank_ms,
            increment_ms=request.increment_ms,
            on_timeout=request.on_timeout or DEFAULT,
            deal=deal_of(request.deal.group, request.deal.tables) if request.HasField("deal") else None,
            delay_ms=request.delay_ms,
        )
        return match_pb2.OpenMatchResponse(duplicate=receipt.duplicate, revision=receipt.revision)

    async def Act(self, request: match_pb2.ActRequest, context: Context) -> match_pb2.ActResponse:
        return _response(await self._act(request))

    async def Play(
        self, request_iterator: AsyncIterator[match_pb2.PlayRequest], context: Context
    ) -> AsyncIterator[match_pb2.PlayResponse]:
        async for request in request_iterator:
            try:
                accepted = _response(await self._act(request.act))
                yield match_pb2.PlayResponse(tag=request.tag, accepted=accepted)
            except (Refusal, Unavailable, Conflict, BrokenLog) as error:
                code, sentence, retry = refusal_fields(error)
                refused = match_pb2.Refused(code=code, sentence=sentence, retry=retry)
                yield match_pb2.PlayResponse(tag=request.tag, refused=refused)

    async def Direct(self, request: match_pb2.DirectRequest, context: Context) -> match_pb2.DirectResponse:
        receipt = await self._host.direct(request.match_id, request.command_id, request.command_json)
        return match_pb2.DirectResponse(duplicate=receipt.duplicate, revision=receipt.revision)

    async def GetChoices(self, request: match_pb2.GetChoicesRequest, context: Context) -> match_pb2.GetChoicesResponse:
        await may_speak(caller(), request.match_id, request.seat, self._host.player_at)
        language = language_named(request.language)
        revision, menu = await self._host.choices(request.match_id, request.seat, request.path, language)
        return match_pb2.GetChoicesResponse(
            revision=revision,
            prompt=menu.prompt,
            choices=[match_pb2.Choice(key=each.key, label=each.label, place=each.place) for each in menu.choices],
            command_json="" if menu.command is None else bytes(menu.command).decode(),
        )

    async def _act(self, request: match_pb2.ActRequest) -> Receipt:
        await may_speak(caller(), request.match_id, request.seat, self._host.player_at)
        return await self._host.act(
            request.match_id,
            request.command_id,
            request.seat,
            request.command_json,
            expected_revision=request.expected_revision,
        )


def register(server: grpc.aio.Server, host: MatchHost, game: str) -> Sequence[str]:
    match_pb2_grpc.add_MatchServiceServicer_to_server(MatchServicer(host, game), server)
    return [match_pb2.DESCRIPTOR.services_by_name["MatchService"].full_name]


def _response(receipt: Receipt) -> match_pb2.ActResponse:
    return match_pb2.ActResponse(duplicate=receipt.duplicate, revision=receipt.revision)
