"""Matches, snapshots and facts as a person or a program reads them."""

import textwrap
from collections.abc import Iterable
from typing import Any

import msgspec
from tavolata.scoring.v1 import scoring_pb2
from tavolata.spectator.v1 import spectator_pb2

from cli.output import console, print_table
from engine.kernel.facts import Fact

_MARGIN = " " * 7

_WAITING = {
    spectator_pb2.WAITING_SEATS: "seats",
    spectator_pb2.WAITING_HOUSE: "house",
    spectator_pb2.WAITING_OVER: "over",
}


def match_status(match: scoring_pb2.Match) -> str:
    return "ended" if match.status == scoring_pb2.STATUS_ENDED else "running"


def seat_standing(seat: scoring_pb2.SeatScore) -> str:
    """``1. seat 2 (105)``, without a rank while the match is running."""
    place = f"{seat.rank}. " if seat.rank else ""
    return f"{place}seat {seat.seat} ({seat.total}){' left' if seat.left else ''}"


def match_fields(match: scoring_pb2.Match) -> dict[str, Any]:
    return {
        "match": match.match_id,
        "game": match.game,
        "status": match_status(match),
        "revision": match.revision,
        "opened_at": match.opened_at,
        "changed_at": match.changed_at,
        "reason": match.reason,
        "seats": [
            {
                "seat": seat.seat,
                "player": seat.player,
                "total": seat.total,
                "rank": seat.rank,
                "left": seat.left,
                "lines": _lines(seat.lines),
                "objectives": _objectives(seat.objectives),
            }
            for seat in match.seats
        ],
    }


def snapshot_fields(snapshot: spectator_pb2.Position) -> dict[str, Any]:
    return {
        "revision": snapshot.revision,
        "newest": snapshot.newest,
        "at": snapshot.at,
        "waiting": _WAITING.get(snapshot.waiting, ""),
        "pending": list(snapshot.pending_seats),
        "words": list(snapshot.words),
        "view": msgspec.json.decode(snapshot.view_json),
        "scores": [
            {
                "seat": score.seat,
                "total": score.total,
                "lines": _lines(score.lines),
                "objectives": _objectives(score.objectives),
            }
            for score in snapshot.scores
        ],
    }


def print_snapshot(snapshot: spectator_pb2.Position) -> None:
    waiting = {
        "seats": f"waits for {_seats(list(snapshot.pending_seats))}",
        "house": "waits for the house",
        "over": "is over",
    }[_WAITING[snapshot.waiting]]
    newest = "" if snapshot.revision == snapshot.newest else f" of {snapshot.newest}"
    console.print(
        f"{snapshot.match_id} ({snapshot.game}), revision {snapshot.revision}{newest}: {waiting}.", markup=False
    )
    for sentence in snapshot.words:
        console.print(f"  {sentence}", markup=False)
    rows = [
        (
            f"seat {score.seat}",
            score.total,
            "\n".join(f"{line.label}: {line.points}" for line in score.lines),
            "\n".join(map(_objective, score.objectives)),
        )
        for score in snapshot.scores
    ]
    print_table("", ["seat", "points", "of these", "objectives"], rows)


def fact_fields(fact: Fact) -> dict[str, Any]:
    return {
        "match": fact.match,
        "revision": fact.revision,
        "at": fact.at,
        "actor": fact.actor,
        "events": [
            {"type": event.type, "v": event.v, "data": msgspec.json.decode(event.data)} for event in fact.events
        ],
        "words": list(fact.words),
    }


def print_fact(fact: Fact) -> None:
    """The sentences of a revision, wrapped beside its number; a revision without any stays silent."""
    width = max(20, console.width - len(_MARGIN))
    for number, sentence in enumerate(fact.words):
        place = f"{fact.revision:>5}  " if number == 0 else _MARGIN
        for line in textwrap.wrap(sentence, width):
            console.print(f"[dim]{place}[/]", end="")
            console.print(line, markup=False)
            place = _MARGIN


def _objective(objective: spectator_pb2.Objective) -> str:
    mark = "✓" if objective.met else " "
    return f"{mark} {objective.label} {objective.have}/{objective.need}"


def _lines(lines: Iterable[scoring_pb2.ScoreLine | spectator_pb2.ScoreLine]) -> list[dict[str, Any]]:
    return [{"key": line.key, "label": line.label, "points": line.points} for line in lines]


def _objectives(objectives: Iterable[scoring_pb2.Objective | spectator_pb2.Objective]) -> list[dict[str, Any]]:
    return [
        {"key": each.key, "label": each.label, "have": each.have, "need": each.need, "met": each.met}
        for each in objectives
    ]


def _seats(seats: list[int]) -> str:
    return ("seat " if len(seats) == 1 else "seats ") + ", ".join(map(str, seats))
