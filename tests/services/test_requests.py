"""A request that has been taken up runs to its end, whoever hangs up."""

import asyncio

import pytest

from engine.kernel.refusal import Refusal
from services.kit.requests import Requests


async def test_it_runs_on_when_its_caller_hangs_up_and_is_waited_for_at_the_end() -> None:
    requests, done = Requests(), asyncio.Event()
    may = asyncio.Event()

    async def work() -> None:
        await may.wait()
        done.set()

    caller = asyncio.create_task(requests.finish(work()))
    await asyncio.sleep(0)
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    may.set()
    await requests.close()
    assert done.is_set()


async def test_what_it_raises_comes_out() -> None:
    async def work() -> None:
        raise Refusal("unknown_match", "There is no such match.")

    with pytest.raises(Refusal, match="unknown_match"):
        await Requests().finish(work())
