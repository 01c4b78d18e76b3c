"""The configuration of the log is one that its server takes, with the files that a node finds beside it."""

import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from deploy.k8s import check
from services.kit.access.making import write_tls
from services.local.keys import make_keys
from tests.deploy.cluster import bytes_of, container, environment, labels, of_kind, replicas


def _conf(overlay: str) -> str:
    (conf,) = [each["data"]["nats.conf"] for n, each in of_kind(overlay, "ConfigMap").items() if "nats-config" in n]
    assert isinstance(conf, str)
    return conf


def _checked(overlay: str, folder: Path, conf: str) -> subprocess.CompletedProcess[str]:
    (folder / "nats.conf").write_text(conf)
    seen = environment(overlay, of_kind(overlay, "StatefulSet")["nats"]) | {"SERVER_NAME": "nats-1"}
    moved = {
        name: value.replace("$(SERVER_NAME)", "nats-1").replace("/etc/nats", str(folder))
        for name, value in seen.items()
    }
    server = shutil.which("nats-server") or str(check.BIN / "nats-server")
    return subprocess.run(
        [server, "-t", "-c", folder / "nats.conf"], env=moved, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("overlay", check.OVERLAYS)
def test_a_node_takes_its_configuration(overlay: str, tmp_path: Path) -> None:
    make_keys(tmp_path / "keys", partitions=1)
    write_tls(tmp_path / "keys", ["nats-1"])
    beside = tmp_path / "etc"
    beside.mkdir()
    for made in ("nats/auth.conf", "tls/ca.pem", "tls/nats-1.pem", "tls/nats-1.key"):
        shutil.copy(tmp_path / "keys" / made, beside)
    done = _checked(overlay, beside, _conf(overlay))
    assert done.returncode == 0, done.stderr
    # Users and certificates are not an afterthought: without them it does not start.
    for needed in ("auth.conf", "nats-1.key"):
        (beside / needed).rename(tmp_path / needed)
        assert _checked(overlay, beside, _conf(overlay)).returncode != 0
        (tmp_path / needed).rename(beside / needed)


@pytest.mark.parametrize("overlay", check.OVERLAYS)
def test_acknowledged_is_on_disk(overlay: str) -> None:
    assert "\n  sync_interval: always\n" in _conf(overlay)


def test_the_values_for_the_chart_make_the_same_log() -> None:
    values = yaml.safe_load((check.HERE / "nats-values.yaml").read_text("utf-8"))
    nats = of_kind("cluster", "StatefulSet")["nats"]
    (claim,) = nats["spec"]["volumeClaimTemplates"]
    jetstream, image = values["config"]["jetstream"], values["container"]["image"]
    assert jetstream["merge"] == {"sync_interval": "always"}
    assert jetstream["fileStore"]["pvc"]["size"] == claim["spec"]["resources"]["requests"]["storage"]
    assert bytes_of(jetstream["fileStore"]["maxSize"]) == bytes_of("18GB")
    assert "max_file_store: 18GB" in _conf("cluster")
    assert values["config"]["cluster"]["replicas"] == replicas("cluster", "nats")
    assert f"{image['repository']}:{image['tag']}" == container(nats)["image"]
    assert values["container"]["env"]["GOMEMLIMIT"] == environment("cluster", nats)["GOMEMLIMIT"]
    assert values["container"]["merge"]["resources"] == container(nats)["resources"]
    assert values["container"]["merge"]["securityContext"] == container(nats)["securityContext"]
    worn = values["podTemplate"]["merge"]["metadata"]["labels"]
    assert worn.items() <= labels(nats).items()


def test_the_nodes_of_a_cluster_know_each_other() -> None:
    for number in (1, 2, 3):
        assert f"tls://nats-{number}:6222" in _conf("cluster")
    assert "cluster" not in _conf("single")


def test_the_log_of_one_node_and_of_three_differ_in_the_cluster_alone() -> None:
    single = _conf("single").splitlines()
    cluster = _conf("cluster")
    before, _, rest = cluster.partition("cluster {")
    without = (before + rest.partition("\n}\n\n")[2]).splitlines()
    assert _said(single) == _said(without)


def _said(lines: list[str]) -> list[str]:
    return [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
