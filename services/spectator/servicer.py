"""protobuf in, protobuf out; and whether who asks may look as they ask to."""

from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from typing import assert_never

import grpc
from tavolata.spectator.v1 import spectator_pb2, spectator_pb2_grpc

from engine.kernel.catalogue import language_named
from engine.kernel.chance import Chance
from engine.kernel.game import Automatic, Over, Pending, Seats, SeatScore
from engine.kernel.value import Referee, SeatView, Spectator, Viewer
from services.kit.access.caller import caller
from services.kit.access.rights import may_look_as_referee, may_speak, may_watch
from services.kit.lookers import Caster, looker_named
from services.kit.wire.clients import message_of_fact
from services.kit.wire.errors import Context
from services.spectator.app import Gallery
from services.spectator.snapshot import Snapshot


class SpectatorServicer(spectator_pb2_grpc.SpectatorServiceServicer):
    def __init__(self, gallery: Gallery) -> None:
        self._gallery = gallery

    async def WatchFacts(
        self, request: spectator_pb2.WatchFactsRequest, context: Context
    ) -> AsyncIterator[spectator_pb2.WatchFactsResponse]:
        viewer, casts = await self._looking(request.match_id, request.viewer)
        language = language_named(request.language)
        several = self._gallery.several_facts(request.match_id, viewer, request.after, language, casts=casts)
        async with aclosing(several):
            async for facts in several:
                if request.several:
                    fact, *more = map(message_of_fact, facts)
                    yield spectator_pb2.WatchFactsResponse(fact=fact, more=more)
                else:
                    for each in facts:
                        yield spectator_pb2.WatchFactsResponse(fact=message_of_fact(each))

    async def WatchPositions(
        self, request: spectator_pb2.WatchPositionsRequest, context: Context
    ) -> AsyncIterator[spectator_pb2.WatchPositionsResponse]:
        viewer, casts = await self._looking(request.match_id, request.viewer)
        language = language_named(request.language)
        positions = self._gallery.positions(request.match_id, viewer, language, casts=casts)
        async with aclosing(positions):
            async for snapshot in positions:
                yield spectator_pb2.WatchPositionsResponse(position=message_of(snapshot, with_view=False))

    async def GetSnapshot(
        self, request: spectator_pb2.GetSnapshotRequest, context: Context
    ) -> spectator_pb2.GetSnapshotResponse:
        viewer, casts = await self._looking(request.match_id, request.viewer)
        language = language_named(request.language)
        snapshot = await self._gallery.snapshot(request.match_id, viewer, request.revision, language, casts=casts)
        return spectator_pb2.GetSnapshotResponse(position=message_of(snapshot, with_view=True))

    async def ExportMatch(
        self, request: spectator_pb2.ExportMatchRequest, context: Context
    ) -> AsyncIterator[spectator_pb2.ExportMatchResponse]:
        async for lines in self._gallery.export(request.match_id):
            yield spectator_pb2.ExportMatchResponse(lines=lines)

    async def _looking(self, match_id: str, viewer: str) -> tuple[Viewer, bool]:
        """Who looks, and whether it is a caster: the referee's eyes, behind the curtain. Raises ``Refusal``."""
        looking = looker_named(viewer)
        match looking:
            case Caster():
                may_look_as_referee(caller(), match_id, live=False)
                return Referee(), True
            case Spectator():
                may_watch(caller())
            case SeatView(seat):
                await may_speak(caller(), match_id, seat, self._gallery.player_at)
            case Referee():
                may_look_as_referee(caller(), match_id, live=True)
            case _:
                assert_never(looking)
        return looking, False


def register(server: grpc.aio.Server, gallery: Gallery) -> Sequence[str]:
    spectator_pb2_grpc.add_SpectatorServiceServicer_to_server(SpectatorServicer(gallery), server)
    return [spectator_pb2.DESCRIPTOR.services_by_name["SpectatorService"].full_name]


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
