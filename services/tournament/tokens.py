"""Tokens for the people of an event, signed by this service, whose key makes those of players and seats and no other.

They speak for their seats in this event only: an organiser enters whom they like, and must not come to speak for them
elsewhere. A match knows for ever with whom it was opened; who has sat down since gets a token of the seat.
"""

from collections.abc import Sequence
from typing import Final

from engine.kernel.refusal import Kind, Refusal
from engine.tournament.state import EntrantState, RoundPhase, TablePhase, Tournament, match_id
from services.kit.access.grants import BOT_PREFIX, PlayerGrant, SeatGrant
from services.kit.access.signing import SigningKey
from services.kit.access.tokens import issue

LIFE_SECONDS: Final = 12 * 3_600
"""A long day of play, unless the organiser says otherwise."""


def player_tokens(
    key: SigningKey | None, event: str, entrants: Sequence[EntrantState], entries: Sequence[int], life_s: int
) -> list[tuple[EntrantState, str]]:
    """Each person with a token; of ``entries``, or of all if there are none. Raises ``Refusal``."""
    if key is None:
        raise _open_house()
    for entry in entries:
        if not 1 <= entry <= len(entrants):
            raise Refusal("unknown_entrant", f"The event has no entrant {entry}.", Kind.MISSING)
    asked = [entrants[entry - 1] for entry in sorted(set(entries))] if entries else list(entrants)
    people = [each for each in asked if not each.player.startswith(BOT_PREFIX)]
    return [(each, issue(key, PlayerGrant(each.player, event), life_s or LIFE_SECONDS)) for each in people]


def seat_tokens(
    key: SigningKey | None, state: Tournament, round_number: int, number: int, entries: Sequence[int], life_s: int
) -> list[tuple[EntrantState, str]]:
    """Those who sit at a table now, each with a token of their seat; of ``entries``, or of all if there are none.

    Raises ``Refusal``.
    """
    if key is None:
        raise _open_house()
    if not 1 <= round_number <= len(state.rounds):
        raise Refusal("unknown_round", f"There is no round {round_number}.", Kind.MISSING)
    now = state.rounds[round_number - 1]
    place = now.place_of(number)
    if place < 0:
        raise Refusal("unknown_table", f"Round {round_number} has no table {number}.", Kind.MISSING)
    table = now.tables[place]
    if now.phase is RoundPhase.CANCELLED or table.phase not in (TablePhase.WAITING, TablePhase.OPEN):
        raise Refusal("has_result", f"Table {number} is not playing.", Kind.EXISTS)
    sitting = {entry: seat for seat, entry in enumerate(table.entries) if entry not in table.no_shows}
    for entry in entries:
        if entry not in sitting:
            raise Refusal("not_at_table", f"Entrant {entry} does not sit at table {number}.")
    match = match_id(state.id, now.number, table.index, table.attempt)
    people = [state.entrants[entry - 1] for entry in sorted(set(entries) or sitting)]
    return [
        (each, issue(key, SeatGrant(match, sitting[each.entry]), life_s or LIFE_SECONDS))
        for each in people
        if not each.player.startswith(BOT_PREFIX)
    ]


def _open_house() -> Refusal:
    return Refusal("open_house", "This house asks nobody who they are, so there are no tokens to give.")
