"""The house of ``docker-compose.yml`` for a test: a project, ports, keys and volumes of its own, so that it never meets
a house that somebody keeps.
"""

import json
import os
import secrets
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from services.kit.sockets import LOOPBACK, free_ports
from tests.kit.containers import HOUSE
from tests.tidy.tree import ROOT

COMPOSE_S: Final = 240
"""For all of it to be healthy: half a minute, or minutes on a machine that does other things, too."""
ASK_S: Final = 20


class ComposeHouse:
    """A house that is up."""

    def __init__(self, keys: Path) -> None:
        self.keys = keys
        self.project = f"tavolata-test-{secrets.token_hex(4)}"
        [port] = free_ports(1)
        self.url = f"http://{LOOPBACK}:{port}"
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("TAVOLATA_")},
            "IMAGE": HOUSE,
            "KEYS": str(keys),
            "WEB_PORT": str(port),
            "COMPOSE_PROFILES": "",
        }

    def compose(self, *arguments: str) -> str:
        """What the command said on stdout."""
        command = ["docker", "compose", "--project-name", self.project, "--progress", "quiet", *arguments]
        done = subprocess.run(
            command, cwd=ROOT, env=self.environment, capture_output=True, text=True, timeout=COMPOSE_S
        )
        assert done.returncode == 0, f"{' '.join(command)}: {done.stderr[-2000:]}"
        return done.stdout

    def up(self, *arguments: str) -> None:
        self.compose("up", "--detach", "--wait", *arguments)

    def containers(self, service: str) -> list[str]:
        return self.compose("ps", "--quiet", service).split()

    def running(self) -> list[dict[str, Any]]:
        """What ``docker compose ps`` knows of each container."""
        return [json.loads(line) for line in self.compose("ps", "--format", "json").splitlines()]

    def networks(self) -> dict[str, set[str]]:
        """Which services are on each."""
        found: dict[str, set[str]] = {}
        for container in self.running():
            for network in container["Networks"].split(","):
                found.setdefault(network.removeprefix(f"{self.project}_"), set()).add(container["Service"])
        return found

    def inside(self, service: str, *command: str) -> str:
        """What a command says in the first container of a service."""
        return self.compose("exec", "--no-TTY", service, *command)

    def token(self, *grant: str) -> str:
        return self.compose("run", "--rm", "--no-TTY", "tokens", *grant).strip()

    def ask(self, path: str, body: object = None, token: str = "") -> bytes:
        """An answer of the gateway's."""
        headers = {"Content-Type": "application/json", "Idempotency-Key": secrets.token_hex(8)}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}{path}", data, headers)
        with urllib.request.urlopen(request, timeout=ASK_S) as answer:
            content: bytes = answer.read()
        return content

    def get(self, path: str, body: object = None, token: str = "") -> Any:
        return json.loads(self.ask(path, body, token))


@contextmanager
def compose_house(keys: Path) -> Iterator[ComposeHouse]:
    """With keys of its own in ``keys``. Nothing is left of it at the end."""
    house = ComposeHouse(keys)
    making = [str(ROOT / "deploy" / "keys"), str(keys)]
    subprocess.run(making, check=True, env=os.environ | {"IMAGE": HOUSE}, timeout=COMPOSE_S)
    try:
        house.up()
        yield house
    finally:
        house.compose("down", "--volumes", "--remove-orphans", "--timeout", "5")
