"""A real PostgreSQL for tests: one server a session, one database a test.

It is the one of the machine, run as a user who is nobody, in a folder of its own and on a free port; or, where none is
installed, a container, if an engine answers and has the image; or the tests that need it are skipped and say why. Its
texts are put in order as Americans do (ICU) and not by bytes, so that whoever relies on the bytes fails here.

It tells the disk nothing, as nobody pulls its plug. It can be stopped, killed and started again on its port and data.
"""

import contextlib
import os
import pwd
import secrets
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, Protocol

import psycopg
import pytest

from services.kit.sockets import LOOPBACK, free_ports

USER: Final = "tavolata"
IMAGE: Final = "postgres:15-bookworm"
READY_S: Final = 30.0
POLL_S: Final = 0.02
ACCOUNTS: Final = ("postgres", "nobody")
"""Who runs the server when we are root, which it refuses."""

SETTINGS: Final = {
    "listen_addresses": LOOPBACK,
    "unix_socket_directories": "",
    "fsync": "off",
    "max_connections": "60",
    "shared_buffers": "16MB",
    "jit": "off",
}


class PostgresServer(Protocol):
    """What tests ask of a server, wherever it runs. Connections of ``USER`` prove themselves by ``password``."""

    password: str

    @property
    def port(self) -> int: ...

    def start(self) -> None:
        """Start, on the same port and data, unless it runs, and wait until it answers."""

    def stop(self) -> None:
        """SIGINT: connections are cut, what is committed is on disk."""

    def kill(self) -> None:
        """SIGKILL: it has to recover when it is started again."""

    def close(self) -> None:
        """Stopped, and all its data gone."""


class PostgresProcess:
    """The PostgreSQL that is installed in ``binaries``."""

    def __init__(self, binaries: Path) -> None:
        self.password = secrets.token_hex(16)
        self._binaries = binaries
        [self.port] = free_ports(1)
        # Not in pytest's own folder: that is root's alone, and the server is not root.
        self.folder = Path(tempfile.mkdtemp(prefix="tavolata-postgres-"))
        self._process: subprocess.Popen[bytes] | None = None
        self._as_nobody: tuple[str, ...] = ()
        if os.geteuid() == 0:
            account = next(entry for entry in map(_account, ACCOUNTS) if entry is not None)
            os.chown(self.folder, account.pw_uid, account.pw_gid)
            self._as_nobody = (f"--reuid={account.pw_uid}", f"--regid={account.pw_gid}", "--clear-groups")
        try:
            self._make()
        except BaseException:
            shutil.rmtree(self.folder)
            raise

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def start(self) -> None:
        if self._process is not None:
            return
        settings = [f"--{name}={value}" for name, value in SETTINGS.items()]
        with (self.folder / "log").open("ab") as log:
            # It dies with us, whatever becomes of us; to the system we are the thread that asks.
            assert threading.current_thread() is threading.main_thread()
            self._process = subprocess.Popen(
                self._nobody("postgres", f"-D{self.data}", f"-p{self.port}", *settings, until="--pdeathsig=KILL"),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                start_new_session=True,
            )
        _wait_until_it_answers(self, self._has_ended)

    def stop(self) -> None:
        self._end(signal.SIGINT)

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def close(self) -> None:
        self.stop()
        shutil.rmtree(self.folder)

    def _make(self) -> None:
        secret = self.folder / "password"
        secret.write_text(self.password)
        secret.chmod(0o644)  # in a folder that only the server's account and root may enter
        subprocess.run(
            self._nobody(
                "initdb",
                f"-D{self.data}",
                f"-U{USER}",
                f"--pwfile={secret}",
                "--auth=scram-sha-256",
                "--encoding=UTF8",
                "--no-sync",
                "--wal-segsize=1",
                "--locale=C.UTF-8",
                "--locale-provider=icu",
                "--icu-locale=en-US",
            ),
            check=True,
            capture_output=True,
            cwd=self.folder,
        )
        secret.unlink()

    def _nobody(self, program: str, *arguments: str, until: str = "--pdeathsig=clear") -> list[str]:
        """The command of a program of PostgreSQL's, run by whom we run it as."""
        return ["setpriv", *self._as_nobody, until, "--", str(self._binaries / program), *arguments]

    def _end(self, how: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is not None and process.poll() is None:
            process.send_signal(how)
            process.wait(READY_S)
        self._wait_for_the_rest()

    def _wait_for_the_rest(self) -> None:
        """A killed server's children notice, and go; the next one would not start before."""
        until = time.monotonic() + READY_S
        while self._is_held():
            assert time.monotonic() < until, f"processes still use {self.data}"
            time.sleep(POLL_S)

    def _is_held(self) -> bool:
        for entry in Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                if entry.name.isdigit() and (entry / "cwd").readlink() == self.data:
                    return True
        return False

    def _has_ended(self) -> str | None:
        if self._process is None or self._process.poll() is None:
            return None
        return (self.folder / "log").read_text(errors="replace")[-2000:]


class PostgresContainer:
    """The image of the deployment, where it has been built."""

    def __init__(self) -> None:
        from testcontainers.core.config import testcontainers_config
        from testcontainers.core.container import DockerContainer

        testcontainers_config.ryuk_disabled = True  # its image is not ours to have; ``close`` tidies up
        self.password = secrets.token_hex(16)
        [self.port] = free_ports(1)
        self._container: Any = DockerContainer(IMAGE)
        self._container.with_env("POSTGRES_USER", USER).with_env("POSTGRES_PASSWORD", self.password)
        ports: dict[str, Any] = self._container.ports
        ports["5432/tcp"] = (LOOPBACK, self.port)
        self._container.start()

    def start(self) -> None:
        self._inside.start()
        _wait_until_it_answers(self, lambda: None)

    def stop(self) -> None:
        self._inside.stop()

    def kill(self) -> None:
        self._inside.kill()

    def close(self) -> None:
        self._container.stop()

    @property
    def _inside(self) -> Any:
        return self._container.get_wrapped_container()


class PostgresDatabase:
    """An empty database of a server's, and where it is found."""

    def __init__(self, server: PostgresServer, folder: Path) -> None:
        self.server = server
        self.name = f"test_{secrets.token_hex(8)}"
        self.password_file = folder / "postgres-password"
        self.password_file.write_text(server.password + "\n")
        with connected(server) as connection:
            connection.execute(f'CREATE DATABASE "{self.name}"')

    @property
    def url(self) -> str:
        """Without the password."""
        return f"postgresql://{USER}@{LOOPBACK}:{self.server.port}/{self.name}"

    def drop(self) -> None:
        with connected(self.server) as connection:
            connection.execute(f'DROP DATABASE "{self.name}" WITH (FORCE)')

    def cut(self) -> None:
        """End every connection to the database, as a server does that goes away."""
        others = f"datname = '{self.name}' AND pid <> pg_backend_pid()"
        self.execute(f"SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE {others}")

    def fail(self, table: str, sqlstate: str, words: str) -> None:
        """From now on the table takes no row."""
        raising = f"RAISE EXCEPTION USING ERRCODE = '{sqlstate}', MESSAGE = '{words}', DETAIL = '{words}'"
        self.execute(
            f"CREATE FUNCTION fail_{table}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {raising}; END $$;"
            f"CREATE TRIGGER fail BEFORE INSERT OR UPDATE ON {table} FOR EACH ROW EXECUTE FUNCTION fail_{table}()"
        )

    def bytes_of(self, table: str) -> bytes:
        """The pages of a table and of its indexes, as they lie on the disk once all has been written there."""
        self.execute("CHECKPOINT")
        indexes = f"SELECT indexrelid::regclass FROM pg_index WHERE indrelid = '{table}'::regclass"
        read = f"SELECT pg_read_binary_file(pg_relation_filepath(relation)) FROM (SELECT '{table}'::regclass UNION ALL"
        return b"".join(row[0] for row in self.execute(f"{read} {indexes}) AS all_of_it (relation)"))

    def execute(self, statement: str) -> list[tuple[Any, ...]]:
        """An operator's statement, and the rows that it gives."""
        with connected(self.server, self.name) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []


@contextlib.contextmanager
def connected(server: PostgresServer, database: str = "postgres") -> Iterator["psycopg.Connection[tuple[Any, ...]]"]:
    with psycopg.connect(
        host=LOOPBACK,
        port=server.port,
        user=USER,
        password=server.password,
        dbname=database,
        connect_timeout=5,
        autocommit=True,
    ) as connection:
        yield connection


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """Skips where there is none to be had. Whoever stops it starts it again; ``postgres`` makes sure of that."""
    server = _server()
    try:
        server.start()
        yield server
    finally:
        server.close()


@pytest.fixture
def postgres(postgres_server: PostgresServer, tmp_path: Path) -> Iterator[PostgresDatabase]:
    database = PostgresDatabase(postgres_server, tmp_path)
    yield database
    postgres_server.start()
    database.drop()


def _server() -> PostgresServer:
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[-3]))
    if installed and (why_not := _cannot_run()) is None:
        return PostgresProcess(installed[-1].parent)
    reason = "no PostgreSQL is installed" if not installed else why_not
    if (lacking := _no_image()) is not None:
        pytest.skip(f"{reason}, and {lacking}")
    return PostgresContainer()


def _cannot_run() -> str | None:
    if shutil.which("setpriv") is None:
        return "setpriv, which lets PostgreSQL end with the tests, is missing"
    if os.geteuid() == 0 and not any(map(_account, ACCOUNTS)):
        return "there is no account that PostgreSQL could run as"
    return None


def _no_image() -> str | None:
    """Why no container can be had."""
    docker = shutil.which("docker")
    if docker is None:
        return "there is no docker"
    asked = subprocess.run([docker, "image", "inspect", IMAGE], capture_output=True, text=True, timeout=READY_S)
    return None if asked.returncode == 0 else f"docker has no image {IMAGE} ready"


def _account(name: str) -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(name)
    except KeyError:
        return None


def _wait_until_it_answers(server: PostgresServer, has_ended: Callable[[], str | None]) -> None:
    until = time.monotonic() + READY_S
    while True:
        with contextlib.suppress(psycopg.OperationalError), connected(server):
            return
        ended = has_ended()
        assert ended is None, f"PostgreSQL ended. Its log ends:\n{ended}"
        assert time.monotonic() < until, f"PostgreSQL does not answer on port {server.port}"
        time.sleep(POLL_S)
