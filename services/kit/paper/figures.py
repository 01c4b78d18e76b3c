"""Events, rounds and standings as fields and texts: what every page, sheet and screen says in the same words."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from tavolata.tournament.v1 import tournament_pb2 as pb

from engine.tournament.exact import exact_of, shown
from services.kit.paper.alphabet import alphabetical

LOT = "LOT"
LOT_DIGITS = 6


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
