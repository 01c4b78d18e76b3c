"""What programs read and write, as JSON Schema 2020-12: made from the engine's own types, so that no copy can lag.

``docs/api/schemas`` holds one file for each game that is found, named by its key, one for tournaments, and two for what
all games share: ``commit.json`` is a line of the log, with the kernel's own commands and events, and ``fact.json`` a
commit as one viewer may know it. ``python -m tests.kit.schemas --write`` makes all of them anew; without ``--write`` it
names those that have changed.

A file's root is a line of the log. Its ``$defs`` have every command and every event under its stored name, as it is
stored (``{"type", "v", "data"}``, of the newest version), and the values they are made of under the names of their
classes. Files refer to each other by their names, so a copy of the folder is complete wherever it lies.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import jsonschema  # type: ignore[import-untyped]  # it has no types
import msgspec
from referencing import Registry, Resource

from engine.games import all_games
from engine.kernel import official
from engine.kernel.codec import Codec, Named, Recorded
from engine.kernel.commit import CLOCK, HOST, HOUSE, LUCK, Commit
from engine.kernel.facts import Fact
from engine.kernel.game import AnyGame
from engine.kernel.limits import ID_LENGTH_MAX, SEATS_MAX
from engine.kernel.official import MatchOpened, OpenMatch
from engine.tournament.commands import COMMANDS
from engine.tournament.decider import RULES
from engine.tournament.events import EVENTS
from services.kit.described import texts_below_fields
from tests.tidy.tree import ROOT

Json: TypeAlias = dict[str, Any]

FOLDER = ROOT / "docs" / "api" / "schemas"
DIALECT = "https://json-schema.org/draft/2020-12/schema"
COMMIT, FACT, TOURNAMENT = "commit.json", "fact.json", "tournament.json"

ID = {"type": "string", "pattern": f"^[A-Za-z0-9_-]{{1,{ID_LENGTH_MAX}}}$"}
INSTANT = {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$"}
REVISION = {"type": "integer", "minimum": 1}
MATCH_ACTOR = f"seat:(0|[1-9][0-9]{{0,{len(str(SEATS_MAX)) - 1}}})|{HOST}|{HOUSE}|{LUCK}|{CLOCK}"
"""Who acts in a match. An event has actors of its own, so a line of any log has any text here."""

ENVELOPE: Json = {
    "match": ID,
    "revision": REVISION,
    "id": {"type": "string", "minLength": 1},
    "at": INSTANT,
    "rules": {"type": "string", "pattern": "^[a-z0-9_]+/[1-9][0-9]*$"},
    "prev": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
}
"""What the kernel checks beside the types of a line's fields."""


def schemas() -> dict[str, Json]:
    """Every file by its name."""
    games = {f"{key}.json": _of_game(game) for key, game in all_games().items()}
    shared = {COMMIT: _of_commit(), FACT: _of_fact(), TOURNAMENT: _of_tournaments()}
    assert not games.keys() & shared.keys(), "a game has the name of a file that is all games'"
    return games | shared


def text_of(schema: Json) -> str:
    return msgspec.json.format(msgspec.json.encode(schema), indent=2).decode() + "\n"


def _of_commit() -> Json:
    commands, events, defs = _records(official.COMMANDS, official.EVENTS)
    line, parts = _struct(Commit)
    line["properties"] |= {name: line["properties"][name] | more for name, more in ENVELOPE.items()}
    return (
        {"$schema": DIALECT, "title": "A line of the log"}
        | {key: line[key] for key in line if key != "title"}
        | {"$defs": {"command": commands, "event": events} | defs | parts}
    )


def _of_fact() -> Json:
    fact, parts = _struct(Fact)
    of_line = {name: fact["properties"][name] | ENVELOPE[name] for name in ("match", "revision", "at")}
    fact["properties"] |= of_line | {"actor": {"type": "string", "pattern": f"^({MATCH_ACTOR})$"}}
    return (
        {"$schema": DIALECT, "title": "A commit as one viewer may know it"}
        | {key: fact[key] for key in fact if key != "title"}
        | {"$defs": parts}
    )


def _of_game(game: AnyGame) -> Json:
    """A game's own commands and events, its options, and lines and facts of its matches as a whole."""
    commands, events, defs = _records(game.commands, game.events, game.options)
    any_command = {"anyOf": [_ref("command"), _opening(OpenMatch.name, "command")]}
    any_event = {"anyOf": [_ref("event"), _opening(MatchOpened.name, "event")]}
    return {
        "$schema": DIALECT,
        "title": game.title,
        "description": f"A line of the log of a match of {game.title}.",
        "allOf": [{"$ref": COMMIT}],
        "properties": {
            "rules": {"const": game.rules},
            "actor": {"pattern": f"^({MATCH_ACTOR})$"},
            "command": any_command,
            "events": {"items": any_event},
        },
        "$defs": {
            "options": _ref(game.options.__name__),
            "command": commands | {"description": "What a pending seat may ask for."},
            "event": events,
            "fact": {
                "description": f"A fact of a match of {game.title}. A hole has the shape of what it hides.",
                "allOf": [{"$ref": FACT}],
                "properties": {"events": {"items": any_event}},
            },
        }
        | defs,
    }


def _of_tournaments() -> Json:
    commands, events, defs = _records(COMMANDS, EVENTS)
    return {
        "$schema": DIALECT,
        "title": "Tournaments",
        "description": "A line of the log of a tournament. Its field match holds the id of the tournament.",
        "allOf": [{"$ref": COMMIT}],
        "properties": {"rules": {"const": RULES}, "command": _ref("command"), "events": {"items": _ref("event")}},
        "$defs": {"command": commands, "event": events} | defs,
    }


def _records(commands: Codec[Any], events: Codec[Any], *more: type) -> tuple[Json, Json, Json]:
    """Any command, any event, and what they refer to."""
    kinds: list[Any] = [*commands.types.values(), *events.types.values(), *more]
    data, components = msgspec.json.schema_components(kinds, ref_template="#/$defs/{name}")
    _describe(components, kinds)
    records = {kind.name: _record(kind, body) for kind, body in zip(kinds, data, strict=True) if kind not in more}
    any_command, any_event = ({"oneOf": [_ref(name) for name in codec.types]} for codec in (commands, events))
    return any_command, any_event, records | components


def _record(kind: type[Named], body: Json) -> Json:
    """A command or an event as it is stored."""
    properties = {"type": {"const": kind.name}, "v": {"const": kind.v}, "data": body}
    return {
        "title": kind.name,
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _opening(name: str, family: str) -> Json:
    """A command or event of the kernel's; the one that opens a match has options of this game."""
    opens = {"properties": {"type": {"const": name}}}
    options = {"properties": {"data": {"properties": {"options": _ref("options")}}}}
    return {"$ref": f"{COMMIT}#/$defs/{family}", "if": opens, "then": options}


def _struct(kind: type) -> tuple[Json, Json]:
    """The schema of one struct, and the parts it refers to. What is recorded has a name, a version and an object."""
    _, components = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
    _describe(components, [kind, Recorded])
    recorded = components[Recorded.__name__]["properties"]
    recorded |= {"v": recorded["v"] | {"minimum": 1}, "data": {"type": "object"}}
    return components.pop(kind.__name__), components


def _ref(name: str) -> Json:
    return {"$ref": f"#/$defs/{name}"}


# -- what the source says of a field -----------------------------------------------------------------------------------


def _describe(components: Json, kinds: Sequence[type]) -> None:
    """Put the docstrings of classes and of fields where a reader of the schema looks for them."""
    for name, kind in _structs(kinds).items():
        component = components.get(name)
        if component is None:
            continue
        if "description" in component:
            component["description"] = _flowing(component["description"])
        told = texts_below_fields(kind)
        for field, schema in component.get("properties", {}).items():
            if field in told:
                schema["description"] = told[field]


def _structs(kinds: Sequence[type]) -> dict[str, type]:
    """Every struct that these are made of, by the name of its class."""
    found: dict[str, type] = {}

    def walk(info: msgspec.inspect.Type) -> None:
        if isinstance(info, msgspec.inspect.StructType):
            if info.cls.__name__ in found:
                return
            found[info.cls.__name__] = info.cls
        for part in _parts(info):
            walk(part)

    for kind in kinds:
        walk(msgspec.inspect.type_info(kind))
    return found


def _parts(info: msgspec.inspect.Type) -> Iterator[msgspec.inspect.Type]:
    match info:
        case msgspec.inspect.StructType():
            yield from (field.type for field in info.fields)
        case msgspec.inspect.UnionType():
            yield from info.types
        case msgspec.inspect.TupleType():
            yield from info.item_types
        case msgspec.inspect.CollectionType():
            yield info.item_type
        case msgspec.inspect.DictType():
            yield from (info.key_type, info.value_type)
        case msgspec.inspect.Metadata():
            yield info.type
        case _:
            return


def _flowing(text: str) -> str:
    """Paragraphs without the line breaks of a source file."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.strip().split("\n\n"))


def changed() -> dict[str, str]:
    """The files that are missing or say something else, with what they should say; "" for one that should not be."""
    wanted = {name: text_of(schema) for name, schema in schemas().items()}
    kept = {path.name: path.read_text("utf-8") for path in FOLDER.glob("*.json")}
    return {name: wanted.get(name, "") for name in sorted({*wanted, *kept}) if wanted.get(name) != kept.get(name)}


def registry(made: Mapping[str, Json] | None = None) -> "Registry[Any]":
    """The files that are kept, or those ``made``, as they refer to each other."""
    files = made or {path.name: msgspec.json.decode(path.read_bytes()) for path in FOLDER.glob("*.json")}
    return Registry().with_resources((name, Resource.from_contents(schema)) for name, schema in files.items())


def validator(reference: str, made: Mapping[str, Json] | None = None) -> Any:
    """A ``jsonschema`` validator of ``just4fun.json#/$defs/fact`` and the like."""
    return jsonschema.Draft202012Validator({"$schema": DIALECT, "$ref": reference}, registry=registry(made))


def main() -> int:
    differing = changed()
    for name, text in differing.items():
        print(name)
        if "--write" in sys.argv:
            FOLDER.mkdir(parents=True, exist_ok=True)
            (FOLDER / name).write_text(text, "utf-8") if text else (FOLDER / name).unlink()
    return 1 if differing and "--write" not in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
