"""Events, rounds and standings as a person or a program reads them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from rich.table import Table
from tavolata.tournament.v1 import tournament_pb2 as pb

from cli.output import console, print_table, table_of
from cli.tournament.alphabet import alphabetical
from cli.tournament.times import here_and_now, local_time, span
from engine.tournament.exact import exact_of, shown
from engine.tournament.formats.chances import Chance

LOT = "LOT"
LOT_DIGITS = 6
ALIVE = Chance.ALIVE.value
PEOPLE_OF_A_TABLE = "  "
"""Between two people in one cell."""


def fields_of(message: Any) -> dict[str, Any]:
    """Every field under its name in the contract, integers as integers; null where a message is not there."""
    return {
        field.name: None if _is_unset(message, field) else _value(field, getattr(message, field.name))
        for field in message.DESCRIPTOR.fields
    }


def _is_unset(message: Any, field: Any) -> bool:
    return field.has_presence and not message.HasField(field.name)


def _value(field: Any, value: Any) -> Any:
    if field.message_type is None:
        return list(value) if field.is_repeated else value
    return [fields_of(each) for each in value] if field.is_repeated else fields_of(value)


def event_fields(event: pb.Tournament) -> dict[str, Any]:
    return fields_of(event)


def entrant_fields(entrant: pb.Entrant) -> dict[str, Any]:
    return fields_of(entrant)


def round_fields(found: pb.GetRoundResponse) -> dict[str, Any]:
    return fields_of(found)


def standings_fields(found: pb.GetStandingsResponse) -> dict[str, Any]:
    """Values by their key, so that no program has to count columns."""
    return {
        "stage": found.stage,
        "after_round": found.after_round,
        "final": found.final,
        "cut": found.cut,
        "keys": list(found.keys),
        "lines": [line_fields(line, found.keys) for line in found.lines],
    }


def line_fields(line: pb.Line, keys: Sequence[str]) -> dict[str, Any]:
    return {
        "place": line.place,
        "entry": line.entry,
        "name": line.name,
        "values": dict(zip(keys, values_of(line, keys), strict=True)),
        "decided_by": line.decided_by,
        "movement": line.movement,
        "standing": line.standing,
        "stage": line.stage,
        "chance": line.chance,
    }


def values_of(line: pb.Line, keys: Sequence[str]) -> Sequence[str]:
    """One text a key, exact and for people: ``12.5``, ``3 1/3``; empty ones for who has no line in any points table."""
    return line.values or [""] * len(keys)


def figure(text: str) -> str:
    """An exact value for people: ``12.5``, ``3 1/3``; anything else as it is."""
    try:
        return shown(exact_of(text))
    except ValueError:
        return text


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


def by_name(found: pb.GetRoundResponse) -> list[tuple[str, str, str]]:
    """Name, table and seat of everybody, in the order of names: what hangs on the wall. Two of one name have their
    numbers behind it.
    """
    rows = [
        (place.name or place.player, place.entry, str(table.number), str(seat))
        for table in found.tables
        for seat, place in enumerate(table.places)
    ]
    rows.extend((each.name or each.player, each.entry, "bye", "") for each in found.byes)
    rows.sort(key=lambda row: (alphabetical(row[0]), row[1]))
    same = Counter(name for name, _, _, _ in rows)
    return [(f"{name} ({entry})" if same[name] > 1 else name, table, seat) for name, entry, table, seat in rows]


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


def quality_text(quality: pb.Quality) -> str:
    """``2 repeated meetings (2 at least), spread 14 (12 if nobody minded meeting again)``."""
    parts = [
        f"{quality.repeats} repeated meetings ({quality.repeats_bound} at least)",
        f"spread {figure(quality.spread)} ({figure(quality.spread_bound)} if nobody minded meeting again)",
    ]
    if quality.broken:
        parts.append(f"{quality.broken} pairs meet that were to be kept apart")
    if quality.misplaced:
        parts.append(f"{quality.misplaced} are not at the table that they always have")
    return ", ".join(parts)


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


def stages_shown(found: pb.GetStandingsResponse) -> list[object]:
    """The stage that each line's figures are of, from 1; nothing where they are all of one."""
    several = len({line.stage for line in found.lines}) > 1
    return [line.stage + 1 if several else "" for line in found.lines]


def keys_shown(found: pb.GetStandingsResponse) -> list[str]:
    """The columns that people are shown: a lot only where it has decided something."""
    decided = {line.decided_by for line in found.lines}
    return [key for key in found.keys if key != LOT or LOT in decided]


def figures_shown(line: pb.Line, keys: Sequence[str]) -> dict[str, str]:
    """The figures of a line by key; of a lot, which has forty digits, the first ones."""
    figures = dict(zip(keys, values_of(line, keys), strict=True))
    lot = figures.get(LOT, "")
    return figures | ({LOT: f"{lot[:LOT_DIGITS]}…"} if len(lot) > LOT_DIGITS else {})


def standings_title(found: pb.GetStandingsResponse) -> str:
    if found.final:
        return "Final standings"
    return f"Standings after round {found.after_round}" if found.after_round else "Standings before the first round"


def clock_text(found: pb.GetRoundResponse, now: datetime) -> str:
    """`` Its clock ends 04:42.``, in the time of the reader; empty where none runs."""
    if found.ends_at and found.phase in ("published", "running"):
        return f" Its clock ends {local_time(found.ends_at, now)}."
    return f" Its clock is paused, {span(found.left_ms)} left." if found.left_ms else ""
