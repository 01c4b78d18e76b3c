"""One burst of play at a house, and what it cost: the load runs in a process of its own."""

import subprocess
import sys
from collections.abc import Mapping
from typing import Final

import msgspec

from bench.kit.house import cpu_seconds, processes
from bench.kit.load import Asked, Measured
from engine.kernel.value import Value
from services.kit.config import child_environment
from tests.e2e.command import Up

ENDS_S: Final = 180.0


class Burst(Value, frozen=True):
    """What the load measured, and by process the microseconds of a core that each move has cost."""

    measured: Measured
    cost_us: Mapping[str, float]

    @property
    def told(self) -> str:
        """The costs that matter, the largest first."""
        costs = sorted(self.cost_us.items(), key=lambda cost: -cost[1])
        return "µs a move: " + ", ".join(f"{label} {cost:.0f}" for label, cost in costs if cost >= 5)


def burst(opened: Up, asked: Asked) -> Burst:
    """Raises ``AssertionError`` with the last words of a load that failed."""
    pids = processes(opened)
    before = cpu_seconds(pids)
    done = subprocess.run(
        [sys.executable, "-m", "bench.kit.load"], input=msgspec.json.encode(asked), env=child_environment({}),
        capture_output=True, timeout=ENDS_S, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"the load failed: {done.stderr.decode(errors='replace')[-2000:]}"
    measured = msgspec.json.decode(done.stdout, type=Measured)
    used = {label: after - before[label] for label, after in cpu_seconds(pids).items()}
    used["bots and spectators"] = measured.cpu_seconds
    return Burst(measured, {label: 1e6 * seconds / measured.moves for label, seconds in used.items()})
