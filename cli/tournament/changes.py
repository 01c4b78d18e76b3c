"""Every published number that is another one now, as a person or a program reads it.

Whoever was told the old numbers is told the new ones; so people are named, and where they stand comes first.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tavolata.tournament.v1 import tournament_pb2 as pb

from cli.output import print_table
from cli.tournament.present import names_of, who
from services.kit.paper.figures import figure
from services.kit.wire.house import HouseClients

PLACE = "place"
"""What a change is of when it is no figure."""


async def names_for(clients: HouseClients, event: str, changes: Sequence[pb.Change]) -> dict[int, str]:
    """Names by number; nobody is asked where nothing has changed."""
    return names_of((await clients.tournament.tournament(event)).entrants) if changes else {}


def change_fields(change: pb.Change, names: Mapping[int, str]) -> dict[str, Any]:
    return {
        "round": change.round,
        "entry": change.entry,
        "name": names.get(change.entry, ""),
        "what": change.what,
        "before": change.before,
        "after": change.after,
    }


def print_changes(changes: Sequence[pb.Change], names: Mapping[int, str]) -> None:
    """Places first, then the figures that they follow from. Nothing if nothing has changed."""
    if changes:
        print_table("Published, and now", ["after round", "who", "what", "published", "now"], rows_of(changes, names))


def rows_of(changes: Sequence[pb.Change], names: Mapping[int, str]) -> list[tuple[int, str, str, str, str]]:
    ordered = sorted(changes, key=lambda each: each.what != PLACE)
    return [
        (each.round, who(each.entry, names), each.what, figure(each.before) or "-", figure(each.after) or "-")
        for each in ordered
    ]
