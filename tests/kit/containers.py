"""A Docker engine for tests, where one answers and the images are there.

Containers are hardened as in ``docker-compose.yml``, publish on loopback, and are gone when the tests are, even those
of a test that was cut off: they carry the label of this run.
"""

import os
import subprocess
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

# Read when testcontainers is imported. Its reaper is an image of its own, which no test here can count on; and a
# machine that is a container itself still has its published ports on loopback.
os.environ.setdefault("TESTCONTAINERS_RYUK_DISABLED", "true")
os.environ.setdefault("TESTCONTAINERS_CONNECTION_MODE", "docker_host")

from testcontainers.core.container import DockerContainer
from testcontainers.core.labels import SESSION_ID

from services.kit.sockets import LOOPBACK

HOUSE: Final = "tavolata:latest"
NATS: Final = "nats:2.15.1-alpine"
POSTGRES: Final = "postgres:15-bookworm"
USER: Final = "10001:10001"

READY_S: Final = 60.0
"""For a container on a machine that does other things, too; two seconds on one that does not."""
POLL_S: Final = 0.1
ANSWER_S: Final = 30.0
SECOND: Final = 1_000_000_000
"""In the engine's nanoseconds."""


def docker(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["docker", *arguments], capture_output=True, text=True, timeout=ANSWER_S)


def why_not() -> str:
    """Why no container can be had; empty if one can."""
    try:
        answers = docker("info").returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        answers = False
    if not answers:
        return "no Docker engine answers; `deploy/engine` starts one where it can, or says why not"
    lacking = [image for image in (HOUSE, NATS, POSTGRES) if docker("image", "inspect", image).returncode != 0]
    return f"there is no image {' and no '.join(lacking)}; `make images` builds them" if lacking else ""


def hardened(image: str, *command: str, writable: Sequence[str] = (), **more: Any) -> DockerContainer:
    """A container that has not been started, with the rights of those in ``docker-compose.yml``. What is ``writable``
    beside /tmp is in memory. ``more`` is what docker-py's ``create`` takes.
    """
    container = DockerContainer(image)
    for path in ("/tmp", *writable):
        container.with_tmpfs_mount(path, "mode=1777")
    if command:
        container.with_command(list(command))
    return container.with_kwargs(
        user=USER,
        read_only=True,
        cap_drop=["ALL"],
        security_opt=["no-new-privileges:true"],
        pids_limit=256,
        mem_limit="512m",
        **more,
    )


def publish(container: DockerContainer, inside: int, outside: int) -> DockerContainer:
    """On loopback only, and on a port that stays over a restart."""
    ports: dict[str, Any] = container.ports
    ports[f"{inside}/tcp"] = (LOOPBACK, outside)
    return container


def wait_for(condition: Callable[[], bool], what: str) -> None:
    until = time.monotonic() + READY_S
    while not condition():
        assert time.monotonic() < until, f"still waiting until {what}"
        time.sleep(POLL_S)


def health(container: DockerContainer) -> str:
    """``starting``, ``healthy`` or ``unhealthy``."""
    wrapped = container.get_wrapped_container()
    wrapped.reload()
    return str(wrapped.attrs["State"]["Health"]["Status"])


def run(container: DockerContainer, *command: str) -> tuple[int, str]:
    """A command in a running container: its exit code and what it said."""
    code, output = container.get_wrapped_container().exec_run(list(command))
    return code, output.decode()


def remove_leftovers() -> None:
    """Whatever carries the label of this run."""
    left = docker("ps", "--all", "--quiet", "--filter", f"label=org.testcontainers.session-id={SESSION_ID}")
    if ids := left.stdout.split():
        docker("rm", "--force", "--volumes", *ids)
