"""Rounds that are all drawn before the first one: everybody meets everybody as equally often as possible.

The problem of the social golfers. Where a design has enough rounds it is the plan. Otherwise the search is late
acceptance: two people of one round change tables if that is no worse than now, or no worse than ``MEMORY`` attempts
ago. The cost is the sum of squares of the meetings of each pair, so two pairs with one meeting are better than one with
two; a little is added for those who sit at a smaller table again and again. The budget counts attempts, never time, so
a seed gives the same plan on every machine.
"""

from collections.abc import Sequence
from functools import lru_cache

from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Value
from engine.tournament.formats.designs import design, transversal
from engine.tournament.formats.lots import numbers, shuffled
from engine.tournament.formats.pods import Round

ATTEMPTS = 300
"""Attempts of one start, for each person and round. Six rounds of 32 at tables of 4 need a third of them for a plan
without a repeat.
"""
ATTEMPTS_MAX = 40_000
"""Attempts of one start at the most."""
STARTS = 16
"""Starts, unless one of them ends with a plan that cannot be better."""
MEMORY = 20
"""How many attempts ago the cost is remembered. Measured: 20 to 50 are alike, 1000 is far worse within the budget."""
MEETING = 4
"""Weight of meetings against the 1 of small tables: meetings come first."""
PLANNED_MAX = 1_000
"""People in one plan: the table of meetings has the square of it."""


class Quality(Value, frozen=True):
    """What a plan is worth."""

    repeats: int
    """Meetings of pairs that had met before."""
    most: int
    """Meetings of the pair that meets most often."""
    small_tables: int
    """Visits to smaller tables of whoever has most."""


def planned(count: int, sizes: Sequence[int], rounds: int, seed: bytes) -> tuple[Round, ...]:
    """``rounds`` rounds of positions 1..``count``, each with tables of ``sizes`` in that order.

    Raises ``Refusal``: ``sizes_do_not_fit`` unless the sizes add up to ``count``, ``bad_format`` for fewer than one
    round, or more than ``PLANNED_MAX`` people.
    """
    return _made(count, tuple(sizes), rounds, seed)


@lru_cache(maxsize=64)
def _made(count: int, sizes: tuple[int, ...], rounds: int, seed: bytes) -> tuple[Round, ...]:
    """Searched for once, and not again for every round of a stage."""
    if sum(sizes) != count or not sizes or min(sizes) < 2:
        raise Refusal("sizes_do_not_fit", f"Tables of {list(sizes)} do not seat {count} entrants.", Kind.INVALID)
    if rounds < 1 or count > PLANNED_MAX:
        raise Refusal("bad_format", f"A plan has at least one round and at most {PLANNED_MAX} people.", Kind.INVALID)
    known = _known(count, sizes, seed)
    if rounds <= len(known):
        return known[:rounds]
    best: _Plan | None = None
    for start in range(STARTS):
        plan = _Plan(count, sizes, rounds, seed, start, () if start else known)
        plan.improve()
        if best is None or plan.cost < best.cost:
            best = plan
        if best.is_perfect or len(sizes) == 1:
            break
    assert best is not None
    return tuple(tuple(tuple(sorted(who + 1 for who in pod)) for pod in pods) for pods in best.rounds)


def _known(count: int, sizes: Sequence[int], seed: bytes) -> tuple[Round, ...]:
    """Rounds without a repeat that need no search, people in them by lot; none if there is no such construction."""
    if len(set(sizes)) > 1:
        return ()
    names = shuffled(range(1, count + 1), seed, "planned.names")
    rounds = design(count, sizes[0]) or transversal(len(sizes), sizes[0])
    return tuple(tuple(tuple(sorted(names[who - 1] for who in pod)) for pod in pods) for pods in rounds)


def quality(plan: Sequence[Round]) -> Quality:
    """Counts over any rounds, planned or not."""
    met: dict[tuple[int, int], int] = {}
    small: dict[int, int] = {}
    for pods in plan:
        largest = max(map(len, pods))
        for pod in pods:
            for who in pod:
                small[who] = small.get(who, 0) + (len(pod) < largest)
                for other in pod:
                    if who < other:
                        met[who, other] = met.get((who, other), 0) + 1
    return Quality(sum(times - 1 for times in met.values()), max(met.values()), max(small.values()))


class _Plan:
    """One start: ``known`` rounds, random ones after them, and the attempts to better all. People are 0..count-1."""

    def __init__(
        self, count: int, sizes: Sequence[int], rounds: int, seed: bytes, start: int, known: tuple[Round, ...]
    ) -> None:
        self.count, self.sizes, self.largest = count, sizes, max(sizes)
        self.met = [[0] * count for _ in range(count)]
        self.small = [0] * count
        self._lots = numbers(seed, f"planned.{start}")
        self._chairs = [(table, chair) for table, size in enumerate(sizes) for chair in range(size)]
        self.rounds = [[[who - 1 for who in pod] for pod in pods] for pods in known]
        for number in range(len(known), rounds):
            order = iter(shuffled(range(count), seed, f"planned.{start}.{number}"))
            self.rounds.append([[next(order) for _ in range(size)] for size in sizes])
        for pods in self.rounds:
            for pod in pods:
                for who in pod:
                    self.small[who] += len(pod) < self.largest
                    for other in pod:
                        self.met[who][other] += who != other
        self.cost = MEETING * sum(m * m for row in self.met for m in row) // 2 + sum(s * s for s in self.small)
        meetings = rounds * sum(size * (size - 1) // 2 for size in sizes)
        visits = rounds * sum(size for size in sizes if size < self.largest)
        self._perfect = MEETING * _squares(meetings, count * (count - 1) // 2) + _squares(visits, count)

    @property
    def is_perfect(self) -> bool:
        """No plan can cost less, because all is as equal as whole numbers allow."""
        return self.cost == self._perfect

    def improve(self) -> None:
        chairs, count, rounds = self._chairs, self.count, self.rounds
        remembered = [self.cost] * MEMORY
        for attempt in range(min(ATTEMPTS_MAX, ATTEMPTS * count * len(rounds))):
            if self.is_perfect:
                return
            rest, first = divmod(next(self._lots), count)
            rest, second = divmod(rest, count)
            pods = rounds[rest % len(rounds)]
            here, there = chairs[first], chairs[second]
            slot = attempt % MEMORY
            if here[0] != there[0]:
                change = self._change(pods, here, there)
                if change <= 0 or self.cost + change <= remembered[slot]:
                    self._exchange(pods, here, there)
                    self.cost += change
            remembered[slot] = min(remembered[slot], self.cost)

    def _change(self, pods: list[list[int]], here: tuple[int, int], there: tuple[int, int]) -> int:
        """What the cost would grow by. (m+1)² - m² = 2m+1, and (m-1)² - m² = 1-2m."""
        one, two = pods[here[0]], pods[there[0]]
        a, b = one[here[1]], two[there[1]]
        met_a, met_b = self.met[a], self.met[b]
        meetings = 0
        for other in one:
            if other != a:
                meetings += met_b[other] - met_a[other] + 1
        for other in two:
            if other != b:
                meetings += met_a[other] - met_b[other] + 1
        change = 2 * MEETING * meetings
        if len(one) != len(two):
            grows, shrinks = (a, b) if len(two) < len(one) else (b, a)
            if len(one) == self.largest or len(two) == self.largest:
                change += 2 * (self.small[grows] - self.small[shrinks] + 1)
        return change

    def _exchange(self, pods: list[list[int]], here: tuple[int, int], there: tuple[int, int]) -> None:
        one, two = pods[here[0]], pods[there[0]]
        a, b = one[here[1]], two[there[1]]
        for who, left, joined in ((a, one, two), (b, two, one)):
            for other in left:
                if other != who:
                    self._meet(who, other, -1)
            for other in joined:
                if other not in (a, b):
                    self._meet(who, other, 1)
            self.small[who] += (len(joined) < self.largest) - (len(left) < self.largest)
        one[here[1]], two[there[1]] = b, a

    def _meet(self, who: int, other: int, times: int) -> None:
        self.met[who][other] += times
        self.met[other][who] += times


def _squares(total: int, among: int) -> int:
    """The least sum of squares of ``among`` whole numbers that add up to ``total``."""
    each, over = divmod(total, among)
    return over * (each + 1) ** 2 + (among - over) * each**2
