"""What is told of moves that were played, whoever plays them: the peers and the bare way are asked for the same."""

from collections.abc import Mapping

from engine.kernel.value import Value


class MovesFigure(Value, frozen=True, kw_only=True):
    """``cpu_us`` is that of the servers a move, all of them together, and ``cpu_us_of`` that of each by name;
    ``load_cpu_us`` is that of the load client. ``p50_ms`` and ``p99_ms`` are from the move to its spectator.
    """

    per_second: float
    cpu_us: float
    cpu_us_of: Mapping[str, float]
    load_cpu_us: float
    p50_ms: float
    p99_ms: float
