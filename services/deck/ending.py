"""Whether a match has ended, from the last line that the log has of it."""

from typing import Final

from engine.kernel.commit import Commit
from engine.kernel.official import MatchEnded, SeedRevealed

LAST_WORDS: Final = frozenset({MatchEnded.name, SeedRevealed.name})


def says_the_end(last: Commit) -> bool:
    """Behind the commit that ends a match there is none but the one that reveals its seed."""
    return any(event.type in LAST_WORDS for event in last.events)
