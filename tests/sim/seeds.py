"""One seed from plan to verdict, and how a failure reads."""

from collections.abc import Callable

import msgspec

import tests.sim.clock_checkers  # noqa: F401 - its checkers enrol themselves
from tests.sim.checkers import CHECKERS, Finding, Violation, first_violation
from tests.sim.plan import plan_of
from tests.sim.world import Run, World, run_plan


class Verdict(msgspec.Struct, frozen=True):
    """``report`` is empty for a seed that holds."""

    seed: int
    report: str
    trace_hash: str
    matches: int
    commits: int
    virtual_s: float

    @property
    def holds(self) -> bool:
        return not self.report


def try_seed(seed: int, tell: Callable[[str], None] | None = None) -> Verdict:
    run = run_plan(plan_of(seed), world=World, tell=tell)
    violation = violation_of(run)
    lines = run.evidence.lines
    return Verdict(
        seed=seed,
        report="" if violation is None else report(run, violation),
        trace_hash=run.trace.hash,
        matches=len(lines),
        commits=sum(map(len, lines.values())),
        virtual_s=run.virtual_s,
    )


def violation_of(run: Run) -> Violation | None:
    """A house that got stuck has something that is not complete, or else the simulation itself is at fault."""
    violation = first_violation(run.evidence)
    if violation is None and run.stuck is not None:
        return Violation(CHECKERS["completes"], Finding("", 0, str(run.stuck)))
    return violation


def report(run: Run, violation: Violation) -> str:
    """Everything that whoever mends it needs: what, where, the way there, and how to go there again."""
    finding = violation.finding
    where = f"match {finding.match}" + (f", revision {finding.revision}" if finding.revision else "")
    stuck = f"  {type(run.stuck).__name__}: {run.stuck}\n" if run.stuck else ""
    return (
        f"seed {run.seed}: {violation.checker.name}\n"
        f"  must hold: {violation.checker.sentence}\n"
        f"  {where + ': ' if finding.match else ''}{finding.what}\n"
        f"{stuck}"
        f"  the last {len(run.trace.last)} of {run.trace.lines} steps (virtual seconds, who, what):\n"
        + "".join(f"    {line}\n" for line in run.trace.last)
        + f"  again: make sim SEED={run.seed}, or with every step: python -m tests.sim --seeds {run.seed} --trace\n"
    )
