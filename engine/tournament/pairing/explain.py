"""Why somebody sits where he sits: what his table costs, and what it would have cost to put him elsewhere.

For one who sits out: who stood lower and why it was not his turn.
"""

from typing import Literal

from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Value
from engine.tournament.pairing.field import in_order
from engine.tournament.pairing.problem import Contender, Pairing, Pod, PodProblem
from engine.tournament.pairing.quality import Ledger, Terms
from engine.tournament.played import Entry

ALTERNATIVES_MAX = 3


class PairedBy(Value, frozen=True):
    """The keys that gave an entrant his place in the order. Nothing else has a say: no tie-break, no rating."""

    points: int
    then: Literal["lots", "seed"]
    place: int
    """1 for the first in the order of this round."""


class Meeting(Value, frozen=True):
    """One other at the table, and what the pair costs."""

    entry: Entry
    times: int
    """How often the two had met before."""
    terms: Terms


class Alternative(Value, frozen=True):
    """A change of places with one other, and what the round would have cost more; less, if it is negative."""

    entry: Entry
    table: int
    """Where the other sits; 0 if he sits out."""
    change: Terms


class PassedOver(Value, frozen=True):
    """One who stands no higher and has no bye. ``because``: ``had_more_byes``; or ``pods_cost_more``, for one who was
    as good a candidate: then ``change`` is what the round costs more with him out and the other in his place.
    """

    entry: Entry
    because: Literal["had_more_byes", "pods_cost_more"]
    change: Terms = Terms()


class Explanation(Value, frozen=True):
    """The answer for one entrant. Figures are in ``1/unit`` points."""

    entry: Entry
    table: int
    """0 for a bye."""
    paired_by: PairedBy
    meetings: tuple[Meeting, ...]
    total: Terms
    """The whole table, with what a short one adds."""
    alternatives: tuple[Alternative, ...]
    """The best, the cheapest first."""
    passed_over: tuple[PassedOver, ...]
    """Only for a bye."""
    unit: int
    """What one point is in all these figures."""


def explain(problem: PodProblem, pairing: Pairing, entry: Entry) -> Explanation:
    """Why ``entry`` is where it is. Raises ``Refusal``: ``no_such_entrant``."""
    return _Explainer(problem, pairing).of(entry)


class _Explainer:
    def __init__(self, problem: PodProblem, pairing: Pairing) -> None:
        self.problem, self.pairing = problem, pairing
        self.ledger = Ledger(problem)
        self.order = [contender.entry for contender in in_order(problem)]
        self.pod_of = {entry: pod for pod in pairing.pods for entry in pod.entries}
        self.size = max((len(pod.entries) for pod in pairing.pods), default=0)

    def of(self, entry: Entry) -> Explanation:
        if entry not in self.ledger.contenders or not (entry in self.pod_of or entry in self.pairing.byes):
            raise Refusal("no_such_entrant", f"Entrant {entry} does not take part in this round.", Kind.MISSING)
        one, pod = self.ledger.contenders[entry], self.pod_of.get(entry)
        return Explanation(
            entry=entry,
            table=pod.table if pod else 0,
            paired_by=PairedBy(one.points, self.problem.order, self.order.index(entry) + 1),
            meetings=self._meetings(entry, pod) if pod else (),
            total=self.ledger.pod(pod.entries, self.size) if pod else Terms(),
            alternatives=self._alternatives(entry, pod) if pod else (),
            passed_over=() if pod else self._passed_over(one),
            unit=self.problem.unit,
        )

    def _meetings(self, entry: Entry, pod: Pod) -> tuple[Meeting, ...]:
        return tuple(
            Meeting(
                other, self.ledger.met.get((min(entry, other), max(entry, other)), 0), self.ledger.pair(entry, other)
            )
            for other in pod.entries
            if other != entry
        )

    def _alternatives(self, entry: Entry, pod: Pod) -> tuple[Alternative, ...]:
        mine = self.ledger.pod(pod.entries, self.size)
        found = []
        for theirs in self.pairing.pods:
            if theirs.table == pod.table:
                continue
            before = mine.plus(self.ledger.pod(theirs.entries, self.size))
            for other in theirs.entries:
                after = self._with(pod, entry, other).plus(self._with(theirs, other, entry))
                found.append(Alternative(other, theirs.table, after.plus(before, -1)))
        found.sort(key=lambda alternative: (alternative.change.total, alternative.entry))
        return tuple(found[:ALTERNATIVES_MAX])

    def _with(self, pod: Pod, leaves: Entry, comes: Entry) -> Terms:
        """What ``pod`` costs after one change."""
        return self.ledger.pod([comes if member == leaves else member for member in pod.entries], self.size)

    def _passed_over(self, out: Contender) -> tuple[PassedOver, ...]:
        found = []
        for entry in reversed(self.order):
            one, pod = self.ledger.contenders[entry], self.pod_of.get(entry)
            if pod is None or one.points > out.points:
                continue
            if one.byes > out.byes:
                found.append(PassedOver(entry, "had_more_byes"))
            elif (one.byes, one.points) == (out.byes, out.points):
                change = self._with(pod, entry, out.entry).plus(self.ledger.pod(pod.entries, self.size), -1)
                found.append(PassedOver(entry, "pods_cost_more", change))
        return tuple(found)
