"""The configuration of an event as a file again: what differs from the defaults, as an organiser would write it.

It is what `config_of` reads: the configuration of the file is the one it was made from.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec.structs import fields

from engine.kernel.durations import duration_text
from engine.kernel.value import Value
from engine.tournament.config import Config
from engine.tournament.schemes import SCHEMES

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_MS = "_ms"


def toml_of(config: Config) -> str:
    tables = {
        field.name: _said(getattr(config, field.name))
        for field in fields(config)
        if isinstance(getattr(config, field.name), Value)
    }
    scheme = next((name for name, each in SCHEMES.items() if each == config.scoring.scheme), None)
    if scheme is not None and "scheme" in tables["scoring"]:
        tables["scoring"] = {"scheme": scheme} | {
            key: value for key, value in tables["scoring"].items() if key != "scheme"
        }
    plain: dict[str, Any] = {"name": config.name} | ({} if config.rated else {"rated": False})
    parts = [*_lines(plain)]
    for name, table in tables.items():
        if table:
            parts += ["", f"[{name}]", *_lines(table)]
    for stage in config.stages:
        parts += ["", "[[stages]]", *_lines(_said(stage))]
    return "\n".join(parts) + "\n"


def _said(value: Value) -> dict[str, Any]:
    """Fields that are not as they would be anyway; those of a stage's tables always, as everybody looks for them."""
    found: dict[str, Any] = {}
    for field in fields(value):
        given = getattr(value, field.name)
        default = field.default_factory() if callable(field.default_factory) else field.default
        if given != default or field.name in ("rounds", "smallest", "target", "largest"):
            found[field.name] = given
    if found.get("rounds") == 1 and "format" in found and found["format"] not in ("swiss", "planned", "heats"):
        del found["rounds"]  # such a stage ends when it ends
    return found


def _lines(table: Mapping[str, Any]) -> Iterator[str]:
    for key, value in table.items():
        if key.endswith(_MS):
            yield f"{key.removesuffix(_MS)} = {_text(duration_text(value))}"
        else:
            yield f"{_key(key)} = {_text(msgspec.to_builtins(value))}"


def _text(value: Any) -> str:
    """A basic TOML string is a JSON string but for the delete character, which no name has."""
    match value:
        case Mapping():
            return "{" + ", ".join(f"{_key(key)} = {_text(each)}" for key, each in value.items()) + "}"
        case list() | tuple():
            return f"[{', '.join(map(_text, value))}]"
        case bool() | str() | int():
            return json.dumps(value, ensure_ascii=False)
        case _:
            return str(value)


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _text(key)
