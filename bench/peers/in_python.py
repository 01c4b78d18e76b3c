"""Peers that are libraries of Python: each runs by itself in their virtual environment, and says its figures."""

import json
import subprocess
from typing import Final, Literal

from bench.kit.run import Run
from bench.peers.install import ROOT, peers_python
from bench.peers.processes import PeerFailed

Library = Literal["openspiel", "chess", "pettingzoo", "eventsourcing"]

PROGRAMS: Final[dict[Library, str]] = {
    "openspiel": "openspiel_tic_tac_toe",
    "chess": "chess_moves",
    "pettingzoo": "pettingzoo_connect_four",
    "eventsourcing": "eventsourcing_sqlite",
}
PATIENCE_S: Final = 60.0
"""Beyond the time that is measured: libraries are loaded, and a file may be filled."""


def python_peer(run: Run, library: Library, seconds: float = 2.0) -> dict[str, float]:
    """Raises ``PeerMissing`` where they cannot be installed.

    - ``openspiel``, ``chess``, ``pettingzoo``: ``per_second`` and ``per_cpu_second``, actions of random playouts by the
      list of legal ones. ``openspiel`` also: ``clone_us``, a copy of a state.
    - ``eventsourcing``, on an SQLite file that stays for the run: ``rebuild_ms`` and ``rebuild_cpu_ms`` of an aggregate
      of 300 events; ``rebuild_per_second`` and ``rebuild_per_cpu_second``, the same in events;
      ``projection_per_second`` and ``projection_per_cpu_second``, events folded in one pass over all aggregates.
    """
    python = peers_python(run)
    command = [str(python), "-m", f"bench.peers.in_venv.{PROGRAMS[library]}", str(seconds)]
    if library == "eventsourcing":
        command += [str(run.folder), str(run.size(100, 20))]
    try:
        ended = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=seconds + PATIENCE_S, check=False)
    except subprocess.TimeoutExpired as late:
        raise PeerFailed(f"{library} did not answer in time.") from late
    if ended.returncode:
        raise PeerFailed(f"{library} ended with status {ended.returncode}. It said:\n{ended.stderr.decode()[-2000:]}")
    figures: dict[str, float] = json.loads(ended.stdout.splitlines()[-1])
    return figures
