"""A peer's processes: started together, asked by a line of JSON and answered with one, ended together.

Each is told to stop when this process dies, and is killed by its own id at the end of its block; no answer is waited
for longer than its deadline. What a process complains of is shown when it fails.
"""

import json
import select
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final, Self

from services.local.nats_server import WITH_PARENT

READY_S: Final = 30.0
STOP_S: Final = 5.0
READ_BYTES: Final = 1 << 16
TICK_US: Final = 10_000
"""Of the clock in ``/proc/<pid>/stat``."""


class PeerFailed(Exception):
    """A peer that was there and did not do its work. The text ends with what it complained of."""


class Process:
    """A program that speaks JSON, a line each way. Its first line says that it is ready: ``ready``."""

    def __init__(
        self,
        command: Sequence[str],
        complaints: Path,
        *,
        env: Mapping[str, str] | None = None,
        ready_s: float = READY_S,
    ) -> None:
        self._complaints = complaints
        with complaints.open("wb") as told:
            self._process = subprocess.Popen(
                [*WITH_PARENT, *command],
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=told,
                env=env,
            )
        self._heard = b""
        try:
            self.ready: dict[str, Any] = self._answer(ready_s)
        except BaseException:
            self.end()
            raise

    @property
    def pid(self) -> int:
        return self._process.pid

    def ask(self, timeout: float, **asked: Any) -> dict[str, Any]:
        """Raises ``PeerFailed`` if there is no answer in time."""
        with suppress(BrokenPipeError):  # it has ended: what it has to say about that comes next
            _of(self._process.stdin).write(json.dumps(asked).encode() + b"\n")
        return self._answer(timeout)

    def end(self) -> None:
        """The end of its input tells it to go; who does not is killed."""
        _of(self._process.stdin).close()
        try:
            self._process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        _of(self._process.stdout).close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    def _answer(self, timeout: float) -> dict[str, Any]:
        out = _of(self._process.stdout)
        deadline = time.monotonic() + timeout
        while b"\n" not in self._heard:
            ready, _, _ = select.select([out], [], [], max(0.0, deadline - time.monotonic()))
            more = out.read(READ_BYTES) if ready else b""
            if not more:
                why = "did not answer in time" if not ready else "ended"
                raise PeerFailed(f"{self._process.args!r} {why}. It said:\n{self._tail()}")
            self._heard += more
        line, _, self._heard = self._heard.partition(b"\n")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _tail(self) -> str:
        return "\n".join(self._complaints.read_text(errors="replace").splitlines()[-20:])


def cpu_us(pid: int) -> int:
    """User and system time of all threads of a process so far, in steps of 10 ms."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * TICK_US


def _of(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None, "both ends were asked for"
    return pipe
