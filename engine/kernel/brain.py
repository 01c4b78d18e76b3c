"""A way to play one seat, from what that seat is sent and nothing else.

A game may bring brains of its own (one that remembers, one that plans); ``bots`` has two that play any game. Chance
is lent as a ``Lot``, named by the bot and the move, so that the engine stays free of it and a bot that was restarted
goes on as if nothing had happened.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Generic, TypeAlias, TypeVar

from engine.kernel.value import Seat

S = TypeVar("S")
C = TypeVar("C")
E = TypeVar("E")

Lot: TypeAlias = Callable[[int], int]
"""``lot(n)`` is a number 0..n-1, each as likely as the next."""


class Brain(ABC, Generic[S, C, E]):
    """One seat of one match, for as long as it lasts."""

    def __init__(self, seat: Seat) -> None:
        self.seat = seat

    def see(self, event: E, view: S, lot: Lot) -> None:
        """Every event that the seat is sent, once, in order; ``view`` is the state after it."""

    @abstractmethod
    def choose(self, view: S, lot: Lot) -> C:
        """A legal command for the seat, which is pending in ``view``. The same for the same arguments and memory."""
