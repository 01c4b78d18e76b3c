"""Faults, one after the other, while an event is played.

Before each, some moves must be acknowledged: that the house goes on is what is being asked, fault by fault.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from tests.chaos.event import Play
from tests.chaos.faults import Fault, Ground, Strike, strike

STILL_S: Final = 60.0
"""No acknowledged move for so long after a fault is over: the house has not found itself again."""

Tell = Callable[[str], None]


async def storm(play: Play, ground: Ground, faults: Sequence[Fault], *, rest_moves: int, tell: Tell) -> None:
    """Plays the event to its end, with the faults on the way; ``rest_moves`` are acknowledged before each.

    Raises ``AssertionError`` if the house does not find itself again, or the event ends before the last fault.
    """
    playing = asyncio.create_task(play.run())
    striking = asyncio.create_task(_strike_all(play, ground, faults, rest_moves, tell))
    try:
        await asyncio.wait({playing, striking}, return_when=asyncio.FIRST_COMPLETED)
        if playing.done():
            await playing
            done = len(play.notes.strikes)
            assert striking.done() or done == len(faults), f"the event was over after {done} of {len(faults)} faults"
        await striking
        await playing
    finally:
        for task in (striking, playing):
            task.cancel()
        await asyncio.gather(striking, playing, return_exceptions=True)


async def _strike_all(play: Play, ground: Ground, faults: Sequence[Fault], rest_moves: int, tell: Tell) -> None:
    for number, fault in enumerate(faults, 1):
        await _moves_go_on(play, rest_moves, f"before fault {number}, {fault.kind} of {fault.target}")
        target = await ground.find(fault.target)
        tell(f"fault {number} of {len(faults)}: {fault.kind} {target} {fault.seconds or ''}")
        began = play.now
        await strike(ground, fault, target)
        play.notes.strikes.append(Strike(fault, target, began, play.now))
        play.weathered = number / (len(faults) + 1)
    await _moves_go_on(play, rest_moves, "after the last fault")
    play.hurry()


async def _moves_go_on(play: Play, moves: int, when: str) -> None:
    enough = len(play.notes.told) + moves
    deadline = play.now + STILL_S
    while (told := len(play.notes.told)) < enough:
        assert play.now < deadline, f"only {told - enough + moves} moves in {STILL_S} s {when}"
        await asyncio.sleep(0.02)
