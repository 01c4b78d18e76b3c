"""Events, rounds and standings as a person reads them on a screen."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from rich.table import Table
from tavolata.tournament.v1 import tournament_pb2 as pb

from cli.output import console, print_table, table_of
from cli.tournament.times import here_and_now, local_time, span
from engine.tournament.formats.chances import Chance
from services.kit.paper.figures import by_name, fields_of, figure, figures_shown, keys_shown, quality_text, stages_shown

ALIVE = Chance.ALIVE.value
PEOPLE_OF_A_TABLE = "  "
"""Between two people in one cell."""


def event_fields(event: pb.Tournament) -> dict[str, Any]:
    return fields_of(event)


def entrant_fields(entrant: pb.Entrant) -> dict[str, Any]:
    return fields_of(entrant)


def movement(places: int) -> str:
    if not places:
        return ""
    return f"▲{places}" if places > 0 else f"▼{-places}"


def who(entry: int, names: Mapping[int, str]) -> str:
    """``Ana (7)``."""
    name = names.get(entry, "")
    return f"{name} ({entry})" if name else f"entrant {entry}"


def names_of(entrants: Sequence[pb.Entrant]) -> dict[int, str]:
    return {each.entry: each.name or each.player for each in entrants}


def place_text(place: pb.Place) -> str:
    """``1. Ana (7) 61 → 5`` once there is a result; ``Ana (7)`` before."""
    text = f"{place.name or place.player} ({place.entry})"
    if place.no_show:
        return f"{text} did not come"
    if not place.place:
        return text
    points = f" → {figure(place.points)}" if place.points else ""
    return f"{place.place}. {text} {place.score}{points}"


def table_state(table: pb.Table) -> str:
    marks = [
        table.phase,
        *(["disputed"] if table.disputed else []),
        *(["adjudicated"] if table.adjudicated else []),
        *(["time called"] if table.time_called else []),
    ]
    return ", ".join(marks)


def print_round(found: pb.GetRoundResponse, *, names_too: bool = True) -> None:
    """By table, and by name for those who look for themselves."""
    state = "a draft" if found.phase == "draft" else found.phase
    console.print(
        f"Round {found.round} ({found.game}) is {state}.{clock_text(found, here_and_now())}",
        markup=False,
        soft_wrap=True,
    )
    rows = [
        (each.number, table_state(each), PEOPLE_OF_A_TABLE.join(map(place_text, each.places))) for each in found.tables
    ]
    print_table("By table", ["table", "is", "in seat order"], rows)
    if names_too:
        print_table("By name", ["name", "table", "seat"], by_name(found))
    for label, people in (("Bye", found.byes), ("Absent", found.absent)):
        if people:
            names = ", ".join(f"{each.name or each.player} ({each.entry})" for each in people)
            console.print(f"{label}: {names}", markup=False)
    console.print(quality_text(found.quality), markup=False)
    console.print(f"engine {found.engine}, seed {found.seed}", markup=False, style="dim", soft_wrap=True)


def standings_table(found: pb.GetStandingsResponse, title: str) -> Table:
    """Columns that would be empty all the way down are left out."""
    keys = keys_shown(found)
    figures = [figures_shown(line, found.keys) for line in found.lines]
    reckoned: list[tuple[str, list[object]]] = [(key, [each[key] for each in figures]) for key in keys]
    columns: list[tuple[str, list[object]]] = [
        ("place", [line.place or "-" for line in found.lines]),
        ("", [movement(line.movement) for line in found.lines]),
        ("name", [line.name for line in found.lines]),
        ("no.", [line.entry for line in found.lines]),
        ("stage", stages_shown(found)),
        *reckoned,
        ("decided by", [line.decided_by for line in found.lines]),
        ("chance", ["" if line.chance == ALIVE else line.chance for line in found.lines]),
        ("", ["" if line.standing == "in" else line.standing for line in found.lines]),
    ]
    filled = [(name, cells) for name, cells in columns if name in keys or any(cell != "" for cell in cells)]
    rows = list(zip(*(cells for _, cells in filled), strict=True))
    return table_of(title, [name for name, _ in filled], rows)


def clock_text(found: pb.GetRoundResponse, now: datetime) -> str:
    """`` Its clock ends 04:42.``, in the time of the reader; empty where none runs."""
    if found.ends_at and found.phase in ("published", "running"):
        return f" Its clock ends {local_time(found.ends_at, now)}."
    return f" Its clock is paused, {span(found.left_ms)} left." if found.left_ms else ""
