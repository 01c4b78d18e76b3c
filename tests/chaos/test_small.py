"""The small form of ``make chaos``: six tables, the faults that hurt most, and every service restarted in turn."""

import sys
from pathlib import Path

import pytest

from tests.chaos.event import ACT_S, Event
from tests.chaos.faults import LEADER, Fault, rolling
from tests.chaos.run import run

EVENT = Event(seed=7, game="just4fun", tables=6, pace_s=0.4)
SERVICES = ("rules-just4fun-1", "rules-just4fun-2", "deck", "scoring", "spectator", "tournament")
FAULTS = (
    Fault("kill", "rules-just4fun-1", 0.0),
    Fault("kill", LEADER, 0.5),
    Fault("pause", "rules-just4fun-2", 2.0),
    # Longer than a caller waits: who has moved asks the other replica, which finds the move in the log. At both, since
    # after what came before nobody knows at which of them the players are.
    Fault("drop_acks", "rules-just4fun-1", ACT_S + 1.0),
    Fault("drop_acks", "rules-just4fun-2", ACT_S + 1.0),
    *rolling(SERVICES),
)
MOVES_BETWEEN = 3


@pytest.mark.timeout(300)
async def test_a_round_goes_on_through_faults_and_restarts_as_if_nothing_had_happened(tmp_path: Path) -> None:
    ran = await run(
        tmp_path,
        EVENT,
        FAULTS,
        services=SERVICES,
        rest_moves=MOVES_BETWEEN,
        tell=lambda text: print(text, file=sys.stderr),
    )
    notes = ran.aftermath.notes
    assert ran.violations == ()
    assert [strike.fault for strike in notes.strikes] == list(FAULTS)
    assert any(each.repeat for each in notes.told), "no acknowledgement that was dropped was asked for again"
    assert notes.resumed >= EVENT.tables, "the watchers were cut off when their service was restarted"
    assert sum(map(len, ran.aftermath.matches.lines.values())) > len(notes.told) > 60 * EVENT.tables
