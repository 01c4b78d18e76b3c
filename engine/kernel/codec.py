"""Stored types are literals of ours with a version, never class paths; an unknown one raises.

``Codec`` turns a union of structs into ``{"type": "just4fun.token_placed", "v": 1, "data": {...}}`` and back. A stored
type whose shape changes gets version 2, and an upcaster from 1 that lives as long as the log does. Decoding is strict:
a record with a missing or an unknown field is refused, so nothing is silently dropped from history.
"""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar, get_args

import msgspec

from engine.kernel.value import Value, clip


class Named(Value, frozen=True):
    """A struct with a stored name: the base of every command and every event."""

    name: ClassVar[str]
    """``<game>.<what>``, lower case; the kernel's own start with ``tavolata.`` and ``luck.``."""
    v: ClassVar[int] = 1


class Recorded(Value, frozen=True):
    """A command or an event as it stands in a line of the log."""

    type: str
    v: int
    data: msgspec.Raw

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Recorded):
            return NotImplemented
        return (self.type, self.v, bytes(self.data)) == (other.type, other.v, bytes(other.data))

    def __hash__(self) -> int:
        return hash((self.type, self.v, bytes(self.data)))


class Undecodable(Exception):
    """Stored or sent bytes that are no value of this codec; the text says which field, and never a secret value."""


T = TypeVar("T", bound=Named)
Json: TypeAlias = dict[str, Any]
Upcaster: TypeAlias = Callable[[Json], Json]
"""Data of version *n* → data of version *n + 1*."""


class Codec(Generic[T]):
    """The stored form of one family of types."""

    def __init__(self, *types: type[T], upcasters: Mapping[tuple[str, int], Upcaster] | None = None) -> None:
        self.types: dict[str, type[T]] = {kind.name: kind for kind in types}
        self._upcasters = dict(upcasters or {})
        self._decoders = {kind.name: msgspec.json.Decoder(kind) for kind in types}
        self._encoder = msgspec.json.Encoder()
        assert len(self.types) == len(types), "two types share a stored name"
        for kind in types:
            missing = [old for old in range(1, kind.v) if (kind.name, old) not in self._upcasters]
            assert not missing, f"{kind.name} has no upcaster from version {missing}"

    @classmethod
    def of(cls, union: Any, upcasters: Mapping[tuple[str, int], Upcaster] | None = None) -> "Codec[T]":
        """The codec of a union of types, in its order, or of a single type; so that a family is listed once."""
        return cls(*(get_args(union) or (union,)), upcasters=upcasters)

    def encode(self, value: T) -> Recorded:
        assert self.types.get(value.name) is type(value), f"{type(value).__name__} is not of this codec"
        return Recorded(value.name, value.v, msgspec.Raw(self._encoder.encode(value)))

    def decode(self, recorded: Recorded) -> T:
        """The value, upcast to the newest version. Raises ``Undecodable``."""
        kind = self.types.get(recorded.type)
        if kind is None:
            raise Undecodable(f"{clip(recorded.type, 80)} is no known type")
        if not 1 <= recorded.v <= kind.v:
            raise Undecodable(f"{recorded.type} has versions 1 to {kind.v}, not {recorded.v}")
        data: bytes | msgspec.Raw = recorded.data
        try:
            if recorded.v < kind.v:
                fields = msgspec.json.decode(data)
                for version in range(recorded.v, kind.v):
                    fields = self._upcasters[recorded.type, version](fields)
                data = self._encoder.encode(fields)
            return self._decoders[recorded.type].decode(data)
        except (LookupError, AttributeError) as error:
            raise Undecodable(f"{recorded.type}: version {recorded.v} lacks {error}") from error
        except (msgspec.MsgspecError, ValueError, TypeError, RecursionError) as error:
            raise Undecodable(f"{recorded.type}: {error}") from error

    def schema(self) -> Json:
        """JSON Schema 2020-12 of every type, by stored name, as it stands in a line."""
        schemas, components = msgspec.json.schema_components(self.types.values(), ref_template="#/$defs/{name}")
        records = [
            {
                "type": "object",
                "title": name,
                "properties": {"type": {"const": name}, "v": {"const": self.types[name].v}, "data": data},
                "required": ["type", "v", "data"],
                "additionalProperties": False,
            }
            for name, data in zip(self.types, schemas, strict=True)
        ]
        return {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "oneOf": records,
            "$defs": components,
        }
