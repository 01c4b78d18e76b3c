"""protobuf in, protobuf out."""

from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing

import grpc
from tavolata.scoring.v1 import scoring_pb2, scoring_pb2_grpc

from services.kit.wire.errors import Context
from services.scoring.app import Scoring
from services.scoring.scoreboard import SeatStanding, Standing

_ENDED = {scoring_pb2.STATUS_RUNNING: False, scoring_pb2.STATUS_ENDED: True}


class ScoringServicer(scoring_pb2_grpc.ScoringServiceServicer):
    def __init__(self, scoring: Scoring) -> None:
        self._scoring = scoring

    async def ListMatches(
        self, request: scoring_pb2.ListMatchesRequest, context: Context
    ) -> scoring_pb2.ListMatchesResponse:
        page, token = await self._scoring.matches(
            ended=_ENDED.get(request.status),
            game=request.game,
            page_size=request.page_size,
            page_token=request.page_token,
        )
        return scoring_pb2.ListMatchesResponse(matches=map(_match, page), next_page_token=token)

    async def GetMatch(self, request: scoring_pb2.GetMatchRequest, context: Context) -> scoring_pb2.GetMatchResponse:
        return scoring_pb2.GetMatchResponse(match=_match(await self._scoring.match(request.match_id)))

    async def WatchMatches(
        self, request: scoring_pb2.WatchMatchesRequest, context: Context
    ) -> AsyncIterator[scoring_pb2.WatchMatchesResponse]:
        async with aclosing(self._scoring.watch(request.game, milestones=request.milestones)) as changes:
            async for standing in changes:
                yield scoring_pb2.WatchMatchesResponse(match=_match(standing))


def register(server: grpc.aio.Server, scoring: Scoring) -> Sequence[str]:
    scoring_pb2_grpc.add_ScoringServiceServicer_to_server(ScoringServicer(scoring), server)
    return [scoring_pb2.DESCRIPTOR.services_by_name["ScoringService"].full_name]


def _match(standing: Standing) -> scoring_pb2.Match:
    return scoring_pb2.Match(
        match_id=standing.match_id,
        game=standing.game,
        status=scoring_pb2.STATUS_ENDED if standing.ended else scoring_pb2.STATUS_RUNNING,
        revision=standing.revision,
        opened_at=standing.opened_at,
        changed_at=standing.changed_at,
        reason=standing.reason,
        seats=map(_seat, standing.seats),
    )


def _seat(seat: SeatStanding) -> scoring_pb2.SeatScore:
    return scoring_pb2.SeatScore(
        seat=seat.seat,
        player=seat.player,
        total=seat.total,
        rank=seat.rank,
        left=seat.left,
        lines=[scoring_pb2.ScoreLine(key=line.key, label=line.label, points=line.points) for line in seat.lines],
        objectives=[
            scoring_pb2.Objective(key=each.key, label=each.label, have=each.have, need=each.need, met=each.met)
            for each in seat.objectives
        ],
    )
