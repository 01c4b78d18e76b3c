"""protobuf in, protobuf out."""

from collections.abc import AsyncIterator, Sequence

import grpc
import msgspec
from tavolata.spectator.v1 import spectator_pb2, spectator_pb2_grpc

from engine.kernel.catalogue import language_named
from engine.kernel.chance import Chance
from engine.kernel.game import Automatic, Over, Pending, Seats, SeatScore
from engine.kernel.value import viewer_named
from services.kit.wire.clients import message_of_fact
from services.kit.wire.errors import Context
from services.spectator.app import Gallery


class SpectatorServicer(spectator_pb2_grpc.SpectatorServiceServicer):
    def __init__(self, gallery: Gallery) -> None:
        self._gallery = gallery

    async def WatchFacts(
        self, request: spectator_pb2.WatchFactsRequest, context: Context
    ) -> AsyncIterator[spectator_pb2.WatchFactsResponse]:
        language = language_named(request.language)
        facts = self._gallery.facts(request.match_id, viewer_named(request.viewer), request.after, language)
        async for fact in facts:
            yield spectator_pb2.WatchFactsResponse(fact=message_of_fact(fact))

    async def WatchBoards(
        self, request: spectator_pb2.WatchBoardsRequest, context: Context
    ) -> AsyncIterator[spectator_pb2.WatchBoardsResponse]:
        language = language_named(request.language)
        boards = self._gallery.boards(request.match_id, viewer_named(request.viewer), language)
        async for revision, svg in boards:
            yield spectator_pb2.WatchBoardsResponse(revision=revision, svg=svg)

    async def GetSnapshot(
        self, request: spectator_pb2.GetSnapshotRequest, context: Context
    ) -> spectator_pb2.GetSnapshotResponse:
        language = language_named(request.language)
        viewer = viewer_named(request.viewer)
        snapshot = await self._gallery.snapshot(request.match_id, viewer, request.revision, language)
        waiting, seats = _waiting(snapshot.pending)
        return spectator_pb2.GetSnapshotResponse(
            match_id=snapshot.match_id,
            game=snapshot.game,
            revision=snapshot.revision,
            newest=snapshot.newest,
            at=snapshot.at,
            waiting=waiting,
            pending_seats=seats,
            view_json=snapshot.view.decode(),
            svg=snapshot.svg,
            scores=map(_score, snapshot.scores),
            words=snapshot.words,
        )

    async def ExportMatch(
        self, request: spectator_pb2.ExportMatchRequest, context: Context
    ) -> AsyncIterator[spectator_pb2.ExportMatchResponse]:
        async for lines in self._gallery.export(request.match_id):
            yield spectator_pb2.ExportMatchResponse(lines=lines)


def register(server: grpc.aio.Server, gallery: Gallery) -> Sequence[str]:
    spectator_pb2_grpc.add_SpectatorServiceServicer_to_server(SpectatorServicer(gallery), server)
    return [spectator_pb2.DESCRIPTOR.services_by_name["SpectatorService"].full_name]


def _waiting(pending: Pending) -> tuple[spectator_pb2.Waiting.ValueType, Sequence[int]]:
    match pending:
        case Seats(seats):
            return spectator_pb2.WAITING_SEATS, seats
        case Chance() | Automatic():
            return spectator_pb2.WAITING_HOUSE, ()
        case Over():
            return spectator_pb2.WAITING_OVER, ()


def _score(score: SeatScore) -> spectator_pb2.SeatScore:
    return spectator_pb2.SeatScore(
        seat=score.seat,
        total=score.total,
        lines_json=msgspec.json.encode(score.lines).decode(),
        objectives_json=msgspec.json.encode(score.objectives).decode(),
    )
