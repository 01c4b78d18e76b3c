"""Tokens for the people of an event, signed by this service, whose key makes tokens of players and of nobody else.

They speak for their seats in this event only: an organiser enters whom they like, and must not come to speak for them
elsewhere.
"""

from collections.abc import Sequence
from typing import Final

from engine.kernel.refusal import Kind, Refusal
from engine.tournament.state import EntrantState
from services.kit.access.grants import BOT_PREFIX, PlayerGrant
from services.kit.access.signing import SigningKey
from services.kit.access.tokens import issue

LIFE_SECONDS: Final = 12 * 3_600
"""A long day of play, unless the organiser says otherwise."""


def player_tokens(
    key: SigningKey | None, event: str, entrants: Sequence[EntrantState], entries: Sequence[int], life_s: int
) -> list[tuple[EntrantState, str]]:
    """Each person with a token; of ``entries``, or of all if there are none. Raises ``Refusal``."""
    if key is None:
        raise Refusal("open_house", "This house asks nobody who they are, so there are no tokens to give.")
    for entry in entries:
        if not 1 <= entry <= len(entrants):
            raise Refusal("unknown_entrant", f"The event has no entrant {entry}.", Kind.MISSING)
    asked = [entrants[entry - 1] for entry in sorted(set(entries))] if entries else list(entrants)
    people = [each for each in asked if not each.player.startswith(BOT_PREFIX)]
    return [(each, issue(key, PlayerGrant(each.player, event), life_s or LIFE_SECONDS)) for each in people]
