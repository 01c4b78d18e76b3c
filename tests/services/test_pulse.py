"""A beat wakes whoever waits now, and nobody else."""

import asyncio

import pytest

from services.kit.pulse import Pulse


async def _waiting(pulse: Pulse) -> asyncio.Task[None]:
    task = asyncio.create_task(pulse.wait())
    await asyncio.sleep(0)
    return task


async def test_a_beat_wakes_all_that_wait() -> None:
    pulse = Pulse()
    waiting = [await _waiting(pulse) for _ in range(3)]
    pulse.beat()
    await asyncio.wait_for(asyncio.gather(*waiting), 1)


async def test_who_waits_after_a_beat_waits_for_the_next() -> None:
    pulse = Pulse()
    pulse.beat()
    late = await _waiting(pulse)
    await asyncio.sleep(0)
    assert not late.done()
    pulse.beat()
    await asyncio.wait_for(late, 1)


async def test_one_that_gives_up_takes_no_other_with_it() -> None:
    pulse = Pulse()
    one, other = await _waiting(pulse), await _waiting(pulse)
    one.cancel()
    pulse.beat()
    await asyncio.wait_for(other, 1)
    with pytest.raises(asyncio.CancelledError):
        await one
