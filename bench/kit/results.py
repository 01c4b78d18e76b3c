"""``bench/results.json``: the machine, and every figure of a run by round, for whoever wants to compute with them."""

import json
import os
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.kit.figures import Finding, Skipped, spread


def write_results(path: Path, found: Sequence[Finding | Skipped], *, quick: bool, rounds: int, seconds: float) -> None:
    document = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "quick": quick,
        "rounds": rounds,
        "seconds": round(seconds, 1),
        "machine": machine(),
        "findings": [fields(line) for line in found],
    }
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n")


def machine() -> dict[str, Any]:
    """What the figures depend on most."""
    models = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    return {
        "cores": os.cpu_count(),
        "processor": models[0].partition(":")[2].strip() if models else platform.processor(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
    }


def fields(line: Finding | Skipped) -> dict[str, Any]:
    if isinstance(line, Skipped):
        return {"row": line.row, "what": line.what, "skipped": line.reason}
    told: dict[str, Any] = {"row": line.row, "what": line.what, "unit": line.unit, "ours": _spread(line.ours)}
    if line.theirs:
        told |= {"against": line.against, "theirs": _spread(line.theirs), "ratio": _spread(line.compared)}
    if line.wanted is not None:
        told |= {"wanted": str(line.wanted), "outcome": line.outcome.value}
    return told | ({"note": line.note} if line.note else {})


def _spread(figures: Sequence[float]) -> dict[str, Any]:
    middle, least, most = spread(figures)
    return {"median": middle, "min": least, "max": most, "runs": list(figures)}
