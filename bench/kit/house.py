"""A house of processes to measure, and what each of its processes has used."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from bench.kit.scripts import give_key
from services.local.folder import check_folder
from services.local.nats_server import Durability
from tests.e2e.command import Up, up

TICKS: Final = os.sysconf("SC_CLK_TCK")
"""Of ``/proc/<pid>/stat`` a second."""


@contextmanager
def house(data: Path, durability: Durability) -> Iterator[Up]:
    """Open on ``data``, which is made; its deck draws what ``bench.kit.scripts`` expects."""
    check_folder(data)
    give_key(data)
    with up(data, settings={"TAVOLATA_DURABILITY": durability}) as opened:
        yield opened


def processes(opened: Up) -> dict[str, int]:
    """Label (``nats``, ``deck``, ``rules-just4fun`` ...) → process id."""
    found: dict[str, int] = {}
    for pid, _ in opened.descendants():
        label = _label(pid)
        if label:
            found[label] = pid
    return found


def cpu_seconds(pids: Mapping[str, int]) -> dict[str, float]:
    """What each process has used of all cores since it began."""
    return {label: _cpu(pid) for label, pid in pids.items()}


def memory_mib(pid: int) -> float:
    """Resident now."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def _cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def _label(pid: int) -> str:
    """Empty for what is no service: a guard between us and one of them."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
    except OSError:
        return ""
    if words[0].endswith("nats-server"):
        return "nats"
    if "-m" not in words:
        return ""
    service, *game = [word for word in words[words.index("-m") + 1 :] if word not in ("", "cli", "serve", "--game")]
    return "-".join([service, *game[-1:]])
