"""Three containers of the image that the log is kept by, with the configuration of the deployment, are one cluster, and
what every log keeps to holds on it.

Each test has an account of its own there, which is a log of its own: a cluster takes seconds to start.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Final, Literal

import pytest
from testcontainers.core.container import DockerContainer
from testcontainers.core.network import Network

from services.kit.family import MATCHES, Family
from services.kit.sockets import free_ports
from tests.kit.containers import NATS, hardened, publish, run, wait_for
from tests.kit.logs import NatsPlace
from tests.services.test_log_contract import *  # noqa: F403 - every test of the contract, and what it takes
from tests.tidy.tree import ROOT

pytestmark = pytest.mark.docker

NODES: Final = (1, 2, 3)
ACCOUNTS: Final = 100
"""At least as many as there are tests of a log."""
CONFIGURATION: Final = ROOT / "deploy" / "nats" / "nats.conf"
HEALTH: Final = "http://127.0.0.1:8222/healthz"


class ContainerPlace(NatsPlace):
    """An account on three containers."""

    def __init__(self, ports: tuple[int, ...], name: str) -> None:
        super().__init__((), f"{name}:{name}@")
        self._ports = ports

    @property
    def replicas(self) -> Literal[1, 3]:
        return 3

    @property
    def url(self) -> str:
        return ",".join(self.url_of(port) for port in self._ports)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[DockerContainer, ...]]:
    users = tmp_path_factory.mktemp("nats") / "auth.conf"
    lines = (f"  T{n} {{ jetstream: enabled, users: [{{ user: T{n}, password: T{n} }}] }}" for n in range(ACCOUNTS))
    users.write_text("\n".join(["accounts {", *lines, "}"]) + "\n")
    with ExitStack() as stack:
        network = stack.enter_context(Network())
        nodes = tuple(_node(number, users).with_network(network) for number in NODES)
        for node in nodes:
            stack.enter_context(node)
        wait_for(lambda: all(run(node, "wget", "-q", "-O", "-", HEALTH)[0] == 0 for node in nodes), "all are healthy")
        yield nodes


def _node(number: int, users: Path) -> DockerContainer:
    """In memory: what becomes of a line when the power goes is not what these tests are about."""
    node = hardened(NATS, "nats-server", "--config", "/etc/nats/nats.conf", writable=["/data"])
    node.with_env("NODE", f"nats-{number}").with_env("ROUTE", f"node-{number}:6222")
    node.with_network_aliases(f"nats-{number}", f"node-{number}")
    node.with_volume_mapping(str(CONFIGURATION), "/etc/nats/nats.conf", "ro")
    node.with_volume_mapping(str(users), "/etc/nats/auth.conf", "ro")
    [port] = free_ports(1)
    return publish(node, 4222, port)


@pytest.fixture(scope="module")
def accounts() -> Iterator[int]:
    return iter(range(ACCOUNTS))


@pytest.fixture
def servers_and_family(cluster: tuple[DockerContainer, ...], accounts: Iterator[int]) -> tuple[NatsPlace, Family]:
    ports = tuple(node.get_exposed_port(4222) for node in cluster)
    return ContainerPlace(ports, f"T{next(accounts)}"), MATCHES


async def test_each_node_follows_the_two_others(cluster: tuple[DockerContainer, ...]) -> None:
    for node in cluster:
        code, page = run(node, "wget", "-q", "-O", "-", "http://127.0.0.1:8222/routez")
        assert code == 0
        assert {name for name in ("nats-1", "nats-2", "nats-3") if f'"remote_name": "{name}"' in page} == {
            f"nats-{number}" for number in NODES
        } - {node.env["NODE"]}
