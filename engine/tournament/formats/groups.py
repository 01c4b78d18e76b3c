"""Groups in which everybody meets everybody exactly once."""

from collections.abc import Sequence
from itertools import chain, zip_longest

from engine.kernel.refusal import Kind, Refusal
from engine.tournament.formats.designs import design, exists
from engine.tournament.formats.pods import Round, snake
from engine.tournament.played import Entry


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


def group_stage(order: Sequence[Entry], groups: int, size: int) -> tuple[Round, ...]:
    """Several groups at once: entrants, best seed first, are dealt to the groups by the snake, and each group is a
    round robin. A smaller group may be done some rounds earlier. Raises ``Refusal`` as ``snake`` and ``round_robin``.
    """
    plans = []
    for group in snake(order, groups):
        rounds = round_robin(len(group), size)
        plans.append([tuple(tuple(group[place - 1] for place in pod) for pod in pods) for pods in rounds])
    return tuple(tuple(chain.from_iterable(together)) for together in zip_longest(*plans, fillvalue=()))


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
