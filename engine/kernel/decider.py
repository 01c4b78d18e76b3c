"""The heart of event sourcing, after J. Chassaing: decide asks the rules, evolve believes the facts.

``evolve`` is total and holds no rules; when it grows an ``if`` about rules, the rule belongs in ``decide``.
"""

from typing import Protocol, TypeVar

from engine.kernel.value import Seat

S = TypeVar("S")
C_contra = TypeVar("C_contra", contravariant=True)
E = TypeVar("E")


class Decider(Protocol[S, C_contra, E]):
    """Pure functions over immutable state: equal arguments, equal answers, on any machine."""

    def decide(self, command: C_contra, state: S, seat: Seat) -> tuple[E, ...]:
        """What happens if ``seat`` asks for ``command``. Raises ``Refusal`` where the rules forbid it."""
        ...

    def evolve(self, state: S, event: E) -> S:
        """The state after a fact. Never raises on an event that ``decide`` made."""
        ...
