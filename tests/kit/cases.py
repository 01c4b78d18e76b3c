"""What every game is played with: its numbers of seats and its options, found by looking at the game.

Option sets are read off the type: the defaults, and each field in turn at each other value that its type lists (both
sides of a bool, all of a ``Literal``, the bounds of a bounded number). What a type cannot say, a layout of its own for
instance, a game may add as a JSON list of option objects in ``data/law_options.json``.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import inspect

import engine.games
from engine.kernel.game import AnyGame, Setup
from engine.kernel.opening import options_of
from engine.kernel.refusal import Refusal

ORDINARY_SEATS = 5
"""A larger table is for ``largest_table``."""


class Case(msgspec.Struct, frozen=True):
    """One table as it is set up."""

    game: AnyGame
    seats: int
    options: dict[str, Any]

    def __str__(self) -> str:
        options = ",".join(f"{name}={str(value)[:16]}" for name, value in self.options.items())
        return f"{self.game.key}-{self.seats}" + (f"-{options}" if options else "")


def cases_of(game: AnyGame) -> list[Case]:
    """The defaults at the fewest, the most and some seats between; then every other option set, seats in rotation.

    The most are as many as sit at an ordinary table: every law looks with every seat's eyes.
    """
    first, last = game.seats[0], min(game.seats[-1], max(game.seats[0], ORDINARY_SEATS))
    counts = sorted({first, min(first + 1, last), (first + last) // 2, last})
    cases = [Case(game, seats, {}) for seats in counts]
    for turn, options in enumerate(_option_sets(game)):
        cases.append(Case(game, counts[turn % len(counts)], options))
    return [case for case in cases if _goes_together(case)]


def largest_table(game: AnyGame) -> Case:
    """As many seats as the game takes."""
    return Case(game, game.seats[-1], {})


def games_folder() -> Path:
    return Path(engine.games.__path__[0])


def _goes_together(case: Case) -> bool:
    try:
        case.game.initial(Setup(case.seats, options_of(case.game, case.options)))
    except Refusal:
        return False
    return True


def _option_sets(game: AnyGame) -> Iterator[dict[str, Any]]:
    kind = inspect.type_info(game.options)
    assert isinstance(kind, inspect.StructType)
    for field in kind.fields:
        for value in _values(field.type):
            if value != field.default:
                yield {field.encode_name: value}
    more = games_folder() / game.key / "data" / "law_options.json"
    if more.exists():
        yield from msgspec.json.decode(more.read_bytes(), type=list[dict[str, Any]])


def _values(kind: inspect.Type) -> Iterator[Any]:
    match kind:
        case inspect.BoolType():
            yield from (False, True)
        case inspect.LiteralType(values):
            yield from values
        case inspect.EnumType(enum):
            yield from (member.value for member in enum)
        case inspect.IntType():
            if kind.ge is not None:
                yield kind.ge
            if kind.le is not None:
                yield kind.le
        case inspect.UnionType(types):
            for one in types:
                yield from _values(one)
        case _:
            return
