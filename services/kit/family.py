"""The families of the log: matches and tournaments lie in streams of their own, under subjects of their own.

What a family holds is told apart by kind, the port's ``game``: what stands before the slash in the ``rules`` of its
commits. For a match that is the key of its game; every tournament so far is a ``tournament``. An id is given once in
a family, whatever the kind.

    MATCHES_00      match.00.<game>.<match id>              live.match.00.<game>.<match id>
    TOURNAMENTS_00  tournament.00.tournament.<id>           live.tournament.00.tournament.<id>
"""

from typing import Final, NamedTuple


class Family(NamedTuple):
    """``stream`` begins the names of its streams. ``noun`` begins their subjects and stands in sentences."""

    stream: str
    noun: str


MATCHES: Final = Family("MATCHES", "match")
TOURNAMENTS: Final = Family("TOURNAMENTS", "tournament")
