"""A position as the API tells it: a plain JSON object, the same on every path."""

from typing import Any

from tavolata.spectator.v1 import spectator_pb2

from services.gateway.streams.frames import Frame, frame, waiting_name
from services.gateway.streams.patches import patch


def position_frame(position: spectator_pb2.Position) -> Frame:
    return frame("position", position.revision, position_body(position))


def patch_frame(before: spectator_pb2.Position, position: spectator_pb2.Position) -> Frame | None:
    """The position for whoever has the one before it; ``None`` where its whole picture is as good."""
    edits = patch(before.svg, position.svg)
    if edits is None:
        return None
    body = position_body(position, with_board=False)
    return frame("patch", position.revision, body | {"before": before.revision, "edits": edits})


def position_body(position: spectator_pb2.Position, *, with_board: bool = True) -> dict[str, Any]:
    clock = position.clock
    body: dict[str, Any] = {
        "match": position.match_id,
        "game": position.game,
        "revision": position.revision,
        "newest": position.newest,
        "at": position.at,
        "waiting": waiting_name(position.waiting),
        "pending_seats": list(position.pending_seats),
        "players": list(position.players),
        "left": list(position.left),
        "scores": [score_body(score) for score in position.scores],
        "words": list(position.words),
        "ranks": list(position.ranks),
        "reason": position.reason,
        "complete": position.complete,
        "past_is_open": position.past_is_open,
        "clock": {
            "paused": clock.paused,
            "called": clock.called,
            "deadline": clock.deadline,
            "left_ms": list(clock.left_ms),
            "now": clock.now,
        }
        if clock.has_clock or clock.called or clock.paused
        else None,
    }
    return body | {"svg": position.svg} if with_board else body


def score_body(score: spectator_pb2.SeatScore) -> dict[str, Any]:
    return {
        "seat": score.seat,
        "total": score.total,
        "lines": [{"key": line.key, "label": line.label, "points": line.points} for line in score.lines],
        "objectives": [
            {"key": each.key, "label": each.label, "have": each.have, "need": each.need, "met": each.met}
            for each in score.objectives
        ],
    }
