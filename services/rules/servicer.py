"""protobuf in, protobuf out."""

from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing

import grpc
from tavolata.match.v1 import match_pb2, match_pb2_grpc

from engine.kernel.catalogue import language_named
from engine.kernel.deal import deal_of
from engine.kernel.official import DEFAULT
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import clip
from services.kit.access.caller import caller
from services.kit.access.rights import may_speak
from services.kit.wire.errors import Context, refusal_fields
from services.kit.wire.exchange import Tell, exchanged
from services.rules.app import MatchHost

UNDER_WAY_MAX = 1_000
"""Commands of one call that have been read and not answered; beyond it the next ones are left in the transport."""


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
        return await self._host.requests.finish(_act(self._host, request))

    async def Play(
        self, request_iterator: AsyncIterator[match_pb2.PlayRequest], context: Context
    ) -> AsyncIterator[match_pb2.PlayResponse]:
        play = _Play(self._host)
        async with aclosing(play.answers(request_iterator)) as answers:
            async for ready in answers:
                yield match_pb2.PlayResponse(answers=ready)

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


class _Play:
    """One long call. A match that somebody moves in on it has a row of commands, of which the first is under way."""

    def __init__(self, host: MatchHost) -> None:
        self._host = host
        self._rows: dict[str, deque[match_pb2.PlayCommand]] = {}
        self._is_over = False

    async def answers(
        self, requests: AsyncIterator[match_pb2.PlayRequest]
    ) -> AsyncGenerator[list[match_pb2.PlayAnswer], None]:
        try:
            async with aclosing(exchanged(requests, self._begin, under_way_max=UNDER_WAY_MAX)) as answers:
                async for ready in answers:
                    yield ready
        finally:
            self._is_over = True

    async def _begin(self, request: match_pb2.PlayRequest, tell: Tell[match_pb2.PlayAnswer]) -> int:
        for command in request.commands:
            match_id = command.act.match_id
            row = self._rows.get(match_id)
            if row is None:
                row = self._rows[match_id] = deque()
                self._host.requests.start(self._take_up(match_id, row, tell))
            row.append(command)
        return len(request.commands)

    async def _take_up(
        self, match_id: str, row: deque[match_pb2.PlayCommand], tell: Tell[match_pb2.PlayAnswer]
    ) -> None:
        while row and not self._is_over:
            tell(await self._answer(row.popleft()))
        del self._rows[match_id]

    async def _answer(self, command: match_pb2.PlayCommand) -> match_pb2.PlayAnswer:
        try:
            return match_pb2.PlayAnswer(tag=command.tag, accepted=await _act(self._host, command.act))
        except Exception as error:  # of one command: the others are answered
            code, sentence, retry = refusal_fields(error)
            refused = match_pb2.Refused(code=code, sentence=sentence, retry=retry)
            return match_pb2.PlayAnswer(tag=command.tag, refused=refused)


def register(server: grpc.aio.Server, host: MatchHost, game: str) -> Sequence[str]:
    match_pb2_grpc.add_MatchServiceServicer_to_server(MatchServicer(host, game), server)
    return [match_pb2.DESCRIPTOR.services_by_name["MatchService"].full_name]


async def _act(host: MatchHost, request: match_pb2.ActRequest) -> match_pb2.ActResponse:
    """To be run to its end."""
    await may_speak(caller(), request.match_id, request.seat, host.player_at)
    receipt = await host.perform(
        request.match_id,
        request.command_id,
        request.seat,
        request.command_json,
        expected_revision=request.expected_revision,
    )
    return match_pb2.ActResponse(duplicate=receipt.duplicate, revision=receipt.revision)
