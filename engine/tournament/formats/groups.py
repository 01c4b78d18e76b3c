"""Groups in which everybody meets everybody: once where a plan for it is known, else as equally often as can be."""

from collections.abc import Sequence
from itertools import chain, combinations, zip_longest

from engine.kernel.refusal import Kind, Refusal
from engine.tournament.formats.designs import design, exists
from engine.tournament.formats.planned import planned
from engine.tournament.formats.pods import Round, Sizes, snake
from engine.tournament.played import Entry

MORE_ROUNDS = 4
"""Rounds above the fewest that could do, before a group makes do with some who never meet."""


def round_robin(count: int, size: int) -> tuple[Round, ...]:
    """Rounds of positions 1..``count`` at tables of ``size``; every pair meets exactly once.

    Pairs go by the circle method; with an odd count one sits out each round, everybody once. Larger tables need a
    resolvable design (``designs.py``). Raises ``Refusal`` (``no_such_design``) where none is known: ask
    ``planned`` for a plan that is as equal as possible.
    """
    if count < size or size < 2:
        raise Refusal("bad_format", f"{count} entrants make no group with tables of {size}.", Kind.INVALID)
    if size == 2:
        return _circle(count)
    rounds = design(count, size)
    if rounds is None:
        why = "is not among those built in" if exists(count, size) else "does not exist"
        raise Refusal(
            "no_such_design",
            f"A plan in which {count} entrants meet exactly once each at tables of {size} {why}.",
        )
    return rounds


def group_stage(order: Sequence[Entry], groups: int, size: int, sizes: Sizes, seed: bytes) -> tuple[Round, ...]:
    """Several groups at once: entrants, best seed first, are dealt to the groups by the snake, and each group plays by
    itself. A smaller group may be done some rounds earlier.

    A group is a round robin at tables of ``size``. Where no plan for that is known, its tables are ``sizes`` of its
    number, and everybody meets everybody at least once and as equally often as the search finds, in the fewest rounds
    in which it finds that. Raises ``Refusal`` as ``snake`` and ``sizes`` do.
    """
    plans = []
    for group in snake(order, groups):
        plan = _of_one(len(group), size, sizes, seed)
        plans.append([tuple(tuple(group[place - 1] for place in pod) for pod in pods) for pods in plan])
    return tuple(tuple(chain.from_iterable(together)) for together in zip_longest(*plans, fillvalue=()))


def rounds_to_meet(count: int, tables: Sequence[int]) -> int:
    """The fewest rounds in which every pair could meet once."""
    meetings = sum(seats * (seats - 1) for seats in tables)
    return -(-count * (count - 1) // meetings)


def _of_one(count: int, size: int, sizes: Sizes, seed: bytes) -> tuple[Round, ...]:
    if size == 2 or (count >= size and design(count, size) is not None):
        return round_robin(count, size)
    tables = sizes(count)
    least = rounds_to_meet(count, tables)
    for rounds in range(least, least + MORE_ROUNDS):
        plan = planned(count, tables, rounds, seed)
        if _all_meet(plan, count):
            return plan
    return plan


def _all_meet(plan: Sequence[Round], count: int) -> bool:
    met = {pair for pods in plan for pod in pods for pair in combinations(sorted(pod), 2)}
    return len(met) == count * (count - 1) // 2


def _circle(count: int) -> tuple[Round, ...]:
    """The last stands still, the others walk round; whoever meets the empty chair of an odd count sits out."""
    last = count + count % 2
    walking = last - 1
    rounds = []
    for start in range(walking):
        pairs = [(start + 1, last)]
        pairs += [((start + k) % walking + 1, (start - k) % walking + 1) for k in range(1, last // 2)]
        rounds.append(tuple(sorted((min(pair), max(pair)) for pair in pairs if max(pair) <= count)))
    return tuple(rounds)
