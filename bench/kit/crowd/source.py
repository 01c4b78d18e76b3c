"""Who tells the crowd's match: the spectator service of a gateway, as far as it needs one, and the feed of the others.

The revisions come when the bench says so, and not when a move is made: what is measured is who passes them on.
"""

import asyncio
from collections.abc import AsyncIterator
from typing import Final

import grpc
from tavolata.spectator.v1 import spectator_pb2 as pb
from tavolata.spectator.v1 import spectator_pb2_grpc

from bench.kit.crowd.match import WatchedMatch
from engine.kernel.value import Revision
from services.kit.pulse import Pulse
from services.kit.sockets import LOOPBACK
from services.kit.wire.errors import Context

BEGUN: Final = 100
"""The revision at which readers come."""


class Source(spectator_pb2_grpc.SpectatorServiceServicer):
    """One match, at ``revision``; ``go`` is a move. Whoever follows is told each revision and each position."""

    def __init__(self, match: WatchedMatch) -> None:
        self.match = match
        self.revision: Revision = BEGUN
        self._pulse = Pulse()

    def go(self) -> None:
        self.revision += 1
        self._pulse.beat()

    async def WatchFacts(self, request: pb.WatchFactsRequest, context: Context) -> AsyncIterator[pb.WatchFactsResponse]:
        if request.match_id:  # a gateway watches many
            await context.abort(grpc.StatusCode.UNIMPLEMENTED)
        yield pb.WatchFactsResponse()

    async def WatchMany(
        self, request_iterator: AsyncIterator[pb.WatchManyRequest], context: Context
    ) -> AsyncIterator[pb.WatchManyResponse]:
        """One watch a call."""
        (watch,) = (await anext(request_iterator)).begin
        after = watch.after
        while True:
            while after < self.revision:
                after += 1
                yield pb.WatchManyResponse(told=[pb.Told(tag=watch.tag, facts=[self.match.fact(after)])])
            await self._pulse.wait()

    async def WatchPositions(
        self, request: pb.WatchPositionsRequest, context: Context
    ) -> AsyncIterator[pb.WatchPositionsResponse]:
        shown = 0
        while True:
            while shown < self.revision:
                shown = max(shown + 1, BEGUN)
                yield pb.WatchPositionsResponse(position=self.match.position(shown))
            await self._pulse.wait()

    async def GetSnapshot(self, request: pb.GetSnapshotRequest, context: Context) -> pb.GetSnapshotResponse:
        return pb.GetSnapshotResponse(position=self.match.position(request.revision or self.revision))

    async def ExportMatch(
        self, request: pb.ExportMatchRequest, context: Context
    ) -> AsyncIterator[pb.ExportMatchResponse]:
        if request.match_id:  # it goes on for ever
            await context.abort(grpc.StatusCode.FAILED_PRECONDITION)
        yield pb.ExportMatchResponse()


class GatewaySource:
    """A source that a gateway can reach at ``address``."""

    def __init__(self, source: Source) -> None:
        self._server = grpc.aio.server()
        spectator_pb2_grpc.add_SpectatorServiceServicer_to_server(source, self._server)
        self.address = f"{LOOPBACK}:{self._server.add_insecure_port(f'{LOOPBACK}:0')}"

    async def start(self) -> None:
        await self._server.start()

    async def stop(self) -> None:
        await self._server.stop(0)


class BareSource:
    """A source that tells a bare responder what a gateway would send: bytes, each lot with its length before it."""

    def __init__(self, match: WatchedMatch) -> None:
        self._match = match
        self._line: asyncio.StreamWriter | None = None
        self._server: asyncio.Server | None = None
        self.revision: Revision = BEGUN
        self.address = ""

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, LOOPBACK, 0)
        port = self._server.sockets[0].getsockname()[1]
        self.address = f"{LOOPBACK}:{port}"

    def go(self) -> None:
        self.revision += 1
        self._tell(self._match.frame(self.revision))

    async def stop(self) -> None:
        if self._line is not None:
            self._line.close()
        if self._server is not None:
            self._server.close()

    def _tell(self, told: bytes) -> None:
        assert self._line is not None, "the responder has not come"
        self._line.write(b"%08x%s" % (len(told), told))

    async def _serve(self, _: asyncio.StreamReader, line: asyncio.StreamWriter) -> None:
        self._line = line
        self._tell(self._match.first(self.revision).sse)
