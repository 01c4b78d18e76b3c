"""The image of the house: who it runs as, what it may do, when it is healthy, how it stops, and what is not in it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from testcontainers.core.container import DockerContainer

from services.kit.access.making import write_signing_keys, write_trust
from tests.kit.containers import HOUSE, SECOND, hardened, health, run, wait_for

pytestmark = pytest.mark.docker

SERVICES = ("deck", "door", "gateway", "rules --game just4fun", "scoring", "spectator", "tournament")


@pytest.fixture(scope="module")
def trust(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("keys")
    write_signing_keys(folder)
    return write_trust(folder)


def door(trust: Path) -> DockerContainer:
    """The service that needs nobody else."""
    container = hardened(HOUSE, "tavolata", "serve", "door", healthcheck={"interval": SECOND})
    container.with_volume_mapping(str(trust), "/etc/tavolata/trust.json", "ro")
    return container.with_env("TAVOLATA_TRUST_FILE", "/etc/tavolata/trust.json")


@pytest.fixture(scope="module")
def healthy_door(trust: Path) -> Iterator[DockerContainer]:
    with door(trust) as container:
        wait_for(lambda: health(container) == "healthy", "the door is healthy")
        yield container


def test_a_service_is_nobody_and_cannot_become_anybody(healthy_door: DockerContainer) -> None:
    _, ids = run(healthy_door, "id")
    assert "uid=10001" in ids
    assert "gid=10001" in ids
    _, status = run(healthy_door, "cat", "/proc/1/status")
    lines = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    assert int(lines["CapEff"], 16) == int(lines["CapBnd"], 16) == 0
    assert lines["NoNewPrivs"] == "1"


@pytest.mark.parametrize("path", ["/written", "/opt/tavolata/ours/written", "/exports/written"])
def test_it_writes_nothing_but_what_goes_with_it(healthy_door: DockerContainer, path: str) -> None:
    code, said = run(healthy_door, "touch", path)
    assert code != 0
    assert "Read-only file system" in said
    assert run(healthy_door, "touch", "/tmp/written")[0] == 0


def test_what_only_building_needs_is_not_in_it(healthy_door: DockerContainer) -> None:
    for program in ("pip", "npm", "node", "gcc", "nats-server"):
        code, _ = run(healthy_door, "sh", "-c", f"command -v {program}")
        assert code != 0, f"{program} is in the image"
    assert run(healthy_door, "ls", "/usr/local/share/ca-certificates")[1].strip() == ""
    found = run(
        healthy_door, "find", "/opt/tavolata", "-name", "*.seed", "-o", "-name", "master.key", "-o", "-name", ".git"
    )
    assert found == (0, "")


def test_it_stops_in_order_when_it_is_asked_to(trust: Path) -> None:
    with door(trust) as container:
        wait_for(lambda: health(container) == "healthy", "the door is healthy")
        wrapped = container.get_wrapped_container()
        wrapped.stop(timeout=20)
        assert wrapped.wait()["StatusCode"] == 0
        assert '"event": "stopped"' in wrapped.logs().decode()


def test_a_container_whose_service_does_not_answer_is_unhealthy() -> None:
    check = {"interval": SECOND, "start_period": SECOND, "retries": 1}
    with hardened(HOUSE, "sleep", "60", healthcheck=check) as container:
        wait_for(lambda: health(container) == "unhealthy", "a container without a service is unhealthy")


def test_no_service_is_open_to_the_world_without_keys() -> None:
    script = "; ".join(f"tavolata serve {service}; echo exit $?" for service in SERVICES)
    with hardened(HOUSE, "sh", "-c", script) as container:
        wrapped = container.get_wrapped_container()
        assert wrapped.wait(timeout=110)["StatusCode"] == 0
        said = wrapped.logs(stdout=True, stderr=True).decode()
    assert said.count("open_to_the_world") == len(SERVICES)
    assert said.count("exit 1") == len(SERVICES)
