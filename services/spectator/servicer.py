"""protobuf in, protobuf out; and whether who asks may look as they ask to."""

from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from typing import Any

import grpc
from tavolata.spectator.v1 import spectator_pb2, spectator_pb2_grpc

from engine.kernel.catalogue import language_named
from engine.kernel.chance import Chance
from engine.kernel.game import Automatic, Over, Pending, Seats, SeatScore
from services.kit.wire.encoded import message_field
from services.kit.wire.errors import Context
from services.spectator.app import Gallery
from services.spectator.servicer_watching import FACT, Watching, looking, wire_of
from services.spectator.snapshot import Snapshot


class SpectatorServicer(spectator_pb2_grpc.SpectatorServiceServicer):
    def __init__(self, gallery: Gallery) -> None:
        self._gallery = gallery

    async def WatchFacts(self, request: spectator_pb2.WatchFactsRequest, context: Context) -> AsyncIterator[Any]:
        """Encoded: facts are shared by all who are shown the same."""
        viewer, casts = await looking(self._gallery, request.match_id, request.viewer)
        language = language_named(request.language)
        async with self._gallery.reader(request.match_id, viewer, request.after, language, casts=casts) as reader:
            while not reader.is_over:
                for shown in reader.next():
                    yield message_field(FACT, wire_of(shown))
                if not reader.has_more and not reader.is_over:
                    await reader.news()

    async def WatchMany(
        self, request_iterator: AsyncIterator[spectator_pb2.WatchManyRequest], context: Context
    ) -> AsyncIterator[Any]:
        """Encoded, too."""
        async with aclosing(Watching(self._gallery).responses(request_iterator)) as responses:
            async for response in responses:
                yield response

    async def WatchPositions(
        self, request: spectator_pb2.WatchPositionsRequest, context: Context
    ) -> AsyncIterator[spectator_pb2.WatchPositionsResponse]:
        viewer, casts = await looking(self._gallery, request.match_id, request.viewer)
        language = language_named(request.language)
        positions = self._gallery.positions(request.match_id, viewer, language, casts=casts)
        async with aclosing(positions):
            async for snapshot in positions:
                yield spectator_pb2.WatchPositionsResponse(position=message_of(snapshot, with_view=False))

    async def GetSnapshot(
        self, request: spectator_pb2.GetSnapshotRequest, context: Context
    ) -> spectator_pb2.GetSnapshotResponse:
        viewer, casts = await looking(self._gallery, request.match_id, request.viewer)
        language = language_named(request.language)
        snapshot = await self._gallery.snapshot(request.match_id, viewer, request.revision, language, casts=casts)
        return spectator_pb2.GetSnapshotResponse(position=message_of(snapshot, with_view=True))

    async def ExportMatch(
        self, request: spectator_pb2.ExportMatchRequest, context: Context
    ) -> AsyncIterator[spectator_pb2.ExportMatchResponse]:
        async for lines in self._gallery.export(request.match_id):
            yield spectator_pb2.ExportMatchResponse(lines=lines)


def register(server: grpc.aio.Server, gallery: Gallery) -> Sequence[str]:
    servicer = SpectatorServicer(gallery)
    name = spectator_pb2.DESCRIPTOR.services_by_name["SpectatorService"].full_name
    spectator_pb2_grpc.add_SpectatorServiceServicer_to_server(servicer, server)
    server.add_registered_method_handlers(name, _encoded(servicer))
    return [name]


def _encoded(servicer: SpectatorServicer) -> dict[str, Any]:
    """The methods whose answers are encoded already."""
    facts, many = spectator_pb2.WatchFactsRequest, spectator_pb2.WatchManyRequest
    return {
        "WatchFacts": grpc.unary_stream_rpc_method_handler(servicer.WatchFacts, facts.FromString, bytes),
        "WatchMany": grpc.stream_stream_rpc_method_handler(servicer.WatchMany, many.FromString, bytes),
    }


def message_of(snapshot: Snapshot, *, with_view: bool) -> spectator_pb2.Position:
    """A snapshot as it is sent."""
    clock = snapshot.clock
    waiting, seats = _waiting(snapshot.pending)
    over = snapshot.pending if isinstance(snapshot.pending, Over) else None
    return spectator_pb2.Position(
        match_id=snapshot.match_id,
        game=snapshot.game,
        revision=snapshot.revision,
        newest=snapshot.newest,
        at=snapshot.at,
        waiting=waiting,
        pending_seats=seats,
        view_json=snapshot.view.decode() if with_view else "",
        svg=snapshot.svg,
        scores=map(_score, snapshot.scores),
        words=snapshot.words,
        ranks=() if over is None else over.ranks,
        reason="" if over is None else over.reason,
        complete=snapshot.complete,
        past_is_open=snapshot.past_is_open,
        players=snapshot.players,
        left=snapshot.left,
        clock=spectator_pb2.Clock(
            has_clock=clock.has_clock,
            paused=clock.paused,
            called=clock.called,
            deadline=clock.deadline,
            left_ms=clock.left_ms,
            now=clock.now,
        ),
    )


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
        lines=[spectator_pb2.ScoreLine(key=line.key, label=line.label, points=line.points) for line in score.lines],
        objectives=[
            spectator_pb2.Objective(key=each.key, label=each.label, have=each.have, need=each.need, met=each.met)
            for each in score.objectives
        ],
    )
