"""A match as a spectator is told of it, for ever: one that was played, shown forwards and backwards in turn."""

import random
from typing import Final

from tavolata.spectator.v1 import spectator_pb2

from engine.games import find_game
from engine.kernel.commit import Commit
from engine.kernel.facts import fact_of
from engine.kernel.value import Revision, Spectator
from services.gateway.streams.frames import Frame, fact_frame
from services.gateway.streams.positions import patch_frame, position_frame
from services.kit.wire.clients import fact_of_message, message_of_fact
from services.spectator.servicer import message_of
from services.spectator.snapshot import snapshot_of
from tests.kit.table import Table, pick

MATCH: Final = "watched"
GAME: Final = "just4fun"
SEATS: Final = 4
PLAYED: Final = 60
"""Revisions that are played."""


class WatchedMatch:
    """``fact`` and ``position`` are what the spectator service tells; ``frame`` is what a gateway makes of both."""

    def __init__(self) -> None:
        game = find_game(GAME)
        table = Table(game, MATCH).open(SEATS).settle()
        lots = random.Random(MATCH)
        self._facts: list[spectator_pb2.Fact] = []
        self._positions: list[spectator_pb2.Position] = []
        while len(self._facts) < PLAYED:
            seat = table.pending.seats[0]  # type: ignore[union-attr]  # settled, and far from its end
            commit = table.move(seat, pick(game, table.state.game, seat, lots))
            assert isinstance(commit, Commit), "every move is another one"
            state, viewer = table.state, Spectator()
            snapshot = snapshot_of(
                table.match, state, commit, viewer, "en", newest=commit.revision, present=state, now=table.now
            )
            self._facts.append(message_of_fact(fact_of(table.match, commit, viewer)))
            self._positions.append(message_of(snapshot, with_view=False))
            table.settle()

    def fact(self, revision: Revision) -> spectator_pb2.Fact:
        told = spectator_pb2.Fact()
        told.CopyFrom(self._facts[_place(revision)])
        told.revision = revision
        return told

    def position(self, revision: Revision) -> spectator_pb2.Position:
        told = spectator_pb2.Position()
        told.CopyFrom(self._positions[_place(revision)])
        told.revision = told.newest = revision
        return told

    def first(self, revision: Revision) -> Frame:
        """What a reader is told when it comes."""
        return position_frame(self.position(revision))

    def frame(self, revision: Revision) -> bytes:
        """What a reader is told of a move."""
        before, now = self.position(revision - 1), self.position(revision)
        shown = patch_frame(before, now) or position_frame(now)
        return fact_frame(fact_of_message(self.fact(revision))).sse + shown.sse


def _place(revision: Revision) -> int:
    """0, 1 ... last, last - 1 ... 1, 0, 1 ..."""
    at = revision % (2 * (PLAYED - 1))
    return min(at, 2 * (PLAYED - 1) - at)
