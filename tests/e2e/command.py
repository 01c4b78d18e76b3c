"""The ``tavolata`` command as a process of its own, and a house that it has opened.

Nothing is assumed of the surroundings: settings are taken out of the environment, ports are the system's choice, and
every wait has an end.
"""

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Any, NamedTuple

COMMAND = (sys.executable, "-P", "-m", "cli")
ENDS_S = 60.0
"""For a command that ends by itself."""
OPENS_S = 60.0
"""For a house on a busy machine; two seconds on an idle one."""


class Ran(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document on stdout."""
        assert self.code == 0, self.err
        return json.loads(self.out)

    @property
    def documents(self) -> list[Any]:
        """One JSON document a line."""
        assert self.code == 0, self.err
        return [json.loads(line) for line in self.out.splitlines()]


def tavolata(*arguments: object, typed: str | None = None, settings: Mapping[str, str] | None = None) -> Ran:
    """Run a command to its end; ``typed`` is its stdin."""
    done = subprocess.run(
        [*COMMAND, *map(str, arguments)],
        input=typed,
        stdin=subprocess.DEVNULL if typed is None else None,
        capture_output=True,
        text=True,
        timeout=ENDS_S,
        env=environment(settings or {}),
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def environment(settings: Mapping[str, str]) -> dict[str, str]:
    """Ours without settings of whoever runs the tests; wide and plain, so that sentences stay on their line."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("TAVOLATA_")}
    return inherited | {"COLUMNS": "200", "NO_COLOR": "1", "PYTHONUNBUFFERED": "1"} | dict(settings)


class Up:
    """A house that ``tavolata up`` keeps open."""

    def __init__(self, data: Path, process: "subprocess.Popen[str]", opened: Mapping[str, Any]) -> None:
        self.data = data
        self.process = process
        self.url: str = opened["url"]
        self.web: str = opened["web"]
        self.services: Mapping[str, str] = opened["services"]

    def ask(self, *arguments: object, typed: str | None = None) -> Ran:
        """A client command at this house."""
        return tavolata(*arguments, "--server", self.url, typed=typed)

    def descendants(self) -> frozenset[tuple[int, str]]:
        """Every process that this house has started, as ``alive`` wants them."""
        return descendants(self.process.pid)

    def interrupt(self) -> int:
        """Ctrl-C; the exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(ENDS_S)


@contextmanager
def up(data: Path, *arguments: str, cwd: Path | None = None, settings: Mapping[str, str] | None = None) -> Iterator[Up]:
    """A house on ports that the system chose; gone when the context is left, with all it has started."""
    process = subprocess.Popen(
        [*COMMAND, "up", "--data", str(data), "--port-base", "0", "--json", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(settings or {}),
        cwd=cwd,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        readable, _, _ = select.select([process.stdout], [], [], OPENS_S)
        line = process.stdout.readline() if readable else ""
        assert line, f"the house did not open: {process.stderr.read() if process.poll() is not None else 'too slow'}"
        yield Up(data, process, json.loads(line))
    finally:
        started = descendants(process.pid)
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                process.wait(ENDS_S)
        process.kill()
        process.wait(ENDS_S)
        for pid, _ in alive(started):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.stdout.close()
        process.stderr.close()


def descendants(pid: int) -> frozenset[tuple[int, str]]:
    """Children and theirs: process id and start time, which together name a process for good."""
    parents = {child: (int(fields[1]), fields[19]) for child, fields in _processes()}
    found: set[int] = {pid}
    while more := {child for child, (parent, _) in parents.items() if parent in found} - found:
        found |= more
    return frozenset((child, parents[child][1]) for child in found - {pid})


def alive(processes: frozenset[tuple[int, str]]) -> frozenset[tuple[int, str]]:
    """Those that still run; what has ended and waits to be collected does not."""
    return frozenset((pid, fields[19]) for pid, fields in _processes() if fields[0] != "Z") & processes


def wait_until_gone(processes: frozenset[tuple[int, str]], seconds: float) -> None:
    deadline = monotonic() + seconds
    while left := alive(processes):
        assert monotonic() < deadline, f"still running after {seconds} s: {[_name(pid) for pid, _ in left]}"
        sleep(0.05)


def _processes() -> Iterator[tuple[int, list[str]]]:
    """Process id, and the fields of its ``/proc`` stat from the state on."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                yield int(entry.name), (entry / "stat").read_text().rpartition(")")[2].split()


def _name(pid: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    return str(pid)
