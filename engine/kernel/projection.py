"""A projection turns the log into a read model that can be dropped and folded again.

It is a pure function of the match as it stands, so that applying a commit twice leaves the same rows, and the store can
write the rows and the position in one transaction.
"""

from typing import Protocol, TypeVar

from engine.kernel.history import AnyHistory

R_co = TypeVar("R_co", covariant=True)


class Projection(Protocol[R_co]):
    """``version`` counts changes of shape or meaning; a read model of another version is dropped and rebuilt."""

    name: str
    version: int

    def project(self, history: AnyHistory) -> R_co:
        """What the read model holds about the match after the last commit that ``history`` has taken in."""
        ...
