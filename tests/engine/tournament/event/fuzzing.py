"""How long a machine runs, and that it comes out the same on every machine."""

from unittest.mock import patch

from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from engine.tournament.formats import planned
from tests.engine.tournament.event.machine import EventMachine


def play(
    machine: type[EventMachine], *, events: int, steps: int, derandomize: bool = True, shrink: bool = True
) -> None:
    """So many events of so many steps. Raises what a law raises, after the shortest way to it has been found."""
    budget = settings(
        max_examples=events,
        stateful_step_count=steps,
        derandomize=derandomize,
        deadline=None,
        database=None,
        phases=(Phase.generate, Phase.shrink) if shrink else (Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    with patch.multiple(planned, STARTS=1, ATTEMPTS=200):  # whether a plan is good is asked elsewhere
        run_state_machine_as_test(machine, settings=budget)
