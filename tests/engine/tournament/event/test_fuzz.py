"""Events that nobody thought of keep the laws.

For longer: ``python -m tests.engine.tournament.event --steps 200000``.
"""

import pytest

from tests.engine.tournament.event.fuzzing import play
from tests.engine.tournament.event.machine import machine
from tests.engine.tournament.event.worlds import FORMATS

EVENTS = 16
STEPS = 30


@pytest.mark.parametrize("name", FORMATS)
def test_whatever_is_asked_the_laws_hold(name: str) -> None:
    kind = machine(name)
    play(kind, events=EVENTS, steps=STEPS)
    assert kind.seen["tournament.round_closed"] >= 5, "the fuzzer does not come far"
    assert kind.seen["tournament.finished"]
