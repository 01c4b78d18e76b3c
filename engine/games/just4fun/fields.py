"""What the tokens on a field mean: who holds it, who may add to it, when it locks.

Seats that have left count like any other here: their tokens stay as they are (J-24).
"""

from functools import lru_cache

from engine.games.just4fun.lines import lines_through
from engine.games.just4fun.model import LOCK_LEAD, NOBODY, State
from engine.kernel.value import Seat

Stack = tuple[int, ...]
"""The tokens of each seat on one field."""

STACKS_REMEMBERED = 1 << 14


@lru_cache(STACKS_REMEMBERED)
def holder(stack: Stack) -> Seat:
    """The seat with strictly more tokens than every other; a tie on top is nobody's, one below it is no matter (J-17).

    A locked field needs no word of its own: its owner's tokens are the only ones left on it.
    """
    top = max(stack)
    return stack.index(top) if top and stack.count(top) == 1 else NOBODY


def locks(stack: Stack, seat: Seat) -> bool:
    """Whether ``seat`` leads each other seat by two."""
    return all(stack[seat] >= other + LOCK_LEAD for at, other in enumerate(stack) if at != seat)


def barred(stack: Stack, seat: Seat) -> bool:
    """Whether some other seat has two tokens more: compared one by one, never with their sum (J-06)."""
    return max(stack) >= stack[seat] + LOCK_LEAD


def is_open(state: State, field: int, seat: Seat) -> bool:
    """Whether ``seat`` may add a token to ``field``, cards aside (J-06, J-07)."""
    owner = state.locks[field - 1]
    if owner != NOBODY and not (owner == seat and state.options.owner_may_add_to_locked):
        return False
    return not barred(state.stacks[field - 1], seat)


def has_open_field(state: State, seat: Seat) -> bool:
    mine = state.options.owner_may_add_to_locked
    return any(
        max(stack) < stack[seat] + LOCK_LEAD and (owner == NOBODY or (mine and owner == seat))
        for stack, owner in zip(state.stacks, state.locks, strict=True)
    )


def held_fields(state: State, seat: Seat) -> tuple[int, ...]:
    """The fields where ``seat`` has the majority, in ascending order."""
    return tuple(field for field, stack in enumerate(state.stacks, 1) if holder(stack) == seat)


def lines_made(state: State, seat: Seat, field: int) -> tuple[tuple[int, ...], ...]:
    """The lines through ``field`` that ``seat`` holds whole, by their fields (J-10, J-11).

    Only the active seat's lines through the field just used can be new (J-10). A turn changes one field; there the
    active seat's count rises by one and the others' stay or fall to nothing, so whoever else has the majority
    afterwards had it before.
    """
    stacks = state.stacks
    if holder(stacks[field - 1]) != seat:
        return ()
    found = []
    for line in lines_through(state.layout)[field - 1]:
        for number in line:
            if holder(stacks[number - 1]) != seat:
                break
        else:
            found.append(line)
    return tuple(found)
