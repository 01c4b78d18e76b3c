"""Luck is a player: the game asks for a roll or a draw, the outcome is an event, replay needs no generator.

A pile is never stored in order. A ``Draw`` names the cards that remain, in canonical order, and the outcome samples
them; whoever reads a state can therefore not know what comes next.
"""

import hashlib
from typing import TypeAlias

import msgspec

from engine.kernel.limits import CARDS_MAX, SIDES_MAX
from engine.kernel.value import Value


def commitment(seed: bytes) -> bytes:
    """What binds the deck to a seed before anything is drawn: SHA-256 over ``tavolata-luck-1``, zero byte, seed."""
    return hashlib.sha256(b"tavolata-luck-1\x00" + seed).digest()


class Roll(Value, frozen=True):
    """``count`` dice with faces 1..``sides``."""

    sides: int
    count: int

    def __post_init__(self) -> None:
        if not (1 <= self.sides <= SIDES_MAX and 1 <= self.count <= CARDS_MAX):
            raise ValueError(f"a roll has 1 to {CARDS_MAX} dice with 1 to {SIDES_MAX} sides")


class Draw(Value, frozen=True):
    """``count`` of ``cards`` without replacement; equal cards may repeat. A shuffle draws them all."""

    cards: tuple[int, ...]
    count: int

    def __post_init__(self) -> None:
        if not 0 <= self.count <= len(self.cards) <= CARDS_MAX:
            raise ValueError(f"a draw takes 0 or more of at most {CARDS_MAX} cards, and no more than there are")


class Chance(Value, frozen=True):
    """The match waits for luck. Luck of different labels is independent: no draw of one disturbs another."""

    label: str
    spec: Roll | Draw


class Rolled(Value, frozen=True):
    """The faces of a ``Roll``, in order."""

    label: str
    faces: tuple[int, ...]


class Drawn(Value, frozen=True):
    """The cards of a ``Draw``, in the order drawn."""

    label: str
    cards: tuple[int, ...]


Outcome: TypeAlias = Rolled | Drawn


class Spec(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What was asked, as the log writes it: ``{"draw": {...}}`` or ``{"roll": {...}}``, exactly one."""

    draw: Draw | None = None
    roll: Roll | None = None

    def __post_init__(self) -> None:
        if (self.draw is None) == (self.roll is None):
            raise ValueError("a luck spec is either a draw or a roll")

    @property
    def asked(self) -> Roll | Draw:
        asked = self.draw or self.roll
        assert asked is not None
        return asked


def spec_of(asked: Roll | Draw) -> Spec:
    """The written form of what a game asks for."""
    return Spec(draw=asked) if isinstance(asked, Draw) else Spec(roll=asked)


def outcome_of(chance: Chance, values: tuple[int, ...]) -> Outcome:
    """The drawn cards or the faces as the outcome of ``chance``. Raises ``ValueError`` if they cannot be."""
    match chance.spec:
        case Roll(sides, count):
            if len(values) != count or not all(1 <= face <= sides for face in values):
                raise ValueError(f"{list(values)} is no roll of {count} dice with {sides} sides")
            return Rolled(chance.label, values)
        case Draw(cards, count):
            remaining = list(cards)
            if len(values) != count:
                raise ValueError(f"{len(values)} cards are no draw of {count}")
            for card in values:
                if card not in remaining:
                    raise ValueError(f"card {card} is not among those that remain")
                remaining.remove(card)
            return Drawn(chance.label, values)
