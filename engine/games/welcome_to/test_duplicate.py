"""Duplicate play: with one seed the same cards come, turn by turn, whatever is done with them."""

from collections.abc import Callable

import pytest

from engine.games.welcome_to import GAME
from engine.games.welcome_to.model import CombinationsShown, DeckReshuffled, PlanDealt
from engine.games.welcome_to.testing import BRAINS
from engine.kernel.codec import Named
from engine.kernel.commit import decode_line
from engine.kernel.game import Over, Seats
from engine.kernel.value import SeatView
from tests.kit.table import Table

SEED = bytes(range(32))


def cards_of(brains: tuple[str, ...], lots: int) -> list[Named]:
    """What lies on the table, round by round, to the end or to a granted reshuffle."""
    table = Table(GAME, f"m-{'-'.join(brains)}-{lots}", SEED).open(len(brains))
    players = [BRAINS[level](seat) for seat, level in enumerate(brains)]
    lot = _lots(lots)
    while not isinstance(pending := table.settle().pending, Over):
        assert isinstance(pending, Seats)
        seat = pending.seats[0]
        table.move(seat, players[seat].choose(GAME.view(table.state.game, SeatView(seat)), lot))
    return _shown(table)


@pytest.mark.parametrize("others", [("greedy", "greedy"), ("random", "random"), ("greedy", "random", "random")])
def test_the_same_cards_come_whatever_the_players_do(others: tuple[str, ...]) -> None:
    one, other = cards_of(("random", "greedy"), 1), cards_of(others, 2)
    rounds = min(len(one), len(other))
    assert rounds > 10, "they were together for some rounds"
    assert one[:rounds] == other[:rounds]


def _shown(table: Table) -> list[Named]:
    shown: list[Named] = []
    for line in table.lines:
        for recorded in decode_line(line).events:
            event = table.match.event_of(recorded)
            if isinstance(event, DeckReshuffled) and event.asked:
                return shown
            if isinstance(event, PlanDealt | CombinationsShown):
                shown.append(event)
    return shown


def _lots(number: int) -> Callable[[int], int]:
    """Numbers that differ from player to player and from match to match, without chance."""
    drawn = number

    def lot(n: int) -> int:
        nonlocal drawn
        drawn = (drawn * 48_271) % 2_147_483_647
        return drawn % n

    return lot
