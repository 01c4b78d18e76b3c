"""Time that leaps, and the three ways to hang."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from tests.sim import virtual_loop
from tests.sim.virtual_loop import DAWN, Deadlock, OutOfTime, Spinning, VirtualClock, VirtualLoop
from tests.sim.world import _abandon

DAY_S = 86_400.0


def run(work: Coroutine[Any, Any, Any], ends_s: float = 10 * DAY_S) -> float:
    """The virtual time that the work took."""
    loop = VirtualLoop(ends_s)
    try:
        loop.run_until_complete(work)
        return loop.now_s
    finally:
        _abandon(loop)
        loop.close()


def test_a_day_is_over_at_once() -> None:
    assert run(asyncio.sleep(DAY_S)) == DAY_S


def test_timers_ring_in_their_order() -> None:
    rung = []

    async def ring(after_s: float) -> None:
        await asyncio.sleep(after_s)
        rung.append(after_s)

    async def work() -> None:
        await asyncio.gather(*(ring(after_s) for after_s in (3.0, 1.0, 2.0)))

    run(work())
    assert rung == [1.0, 2.0, 3.0]


def test_the_clock_follows_the_loop() -> None:
    async def work() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        clock = VirtualClock(loop)
        await clock.sleep_until(DAWN + 5_000_000)
        assert clock.now() >= DAWN + 5_000_000
        assert clock.now() != clock.now()

    assert run(work()) == pytest.approx(5, abs=0.001)


def test_nobody_who_could_go_on_is_a_deadlock() -> None:
    async def work() -> None:
        await asyncio.get_running_loop().create_future()

    with pytest.raises(Deadlock):
        run(work())


def test_a_house_that_does_not_come_to_rest_runs_out_of_time() -> None:
    async def work() -> None:
        while True:  # noqa: ASYNC110 - never ending is the point
            await asyncio.sleep(60)

    with pytest.raises(OutOfTime):
        run(work())


def test_a_busy_instant_that_never_ends_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(virtual_loop, "STEPS_AT_ONCE_MAX", 1000)
    turns = iter(range(5000))

    async def work() -> None:
        while next(turns, None) is not None:  # noqa: ASYNC110 - so is turning without end
            await asyncio.sleep(0)

    with pytest.raises(Spinning):
        run(work())
