"""The configuration of the log is one that its server takes, with the files that a node finds beside it."""

import datetime
import shutil
import subprocess
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from deploy.k8s import check
from tests.deploy.cluster import environment, of_kind

USER = "UA5WUJ54Z23KILLCUOUNAKTPBVZWKMQVO4O6EQ5GHLAERIMLLHNCTYM5"
"""The public key of the seed of 32 zero bytes."""
AUTH = f'authorization {{ users: [ {{ nkey: {USER}, permissions: {{ publish: {{deny: ">"}} }} }} ] }}\n'


@pytest.fixture(scope="module")
def certificate() -> tuple[bytes, bytes]:
    """A certificate that signs itself, and its key."""
    key = generate_private_key(SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "nats-1")])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC))
        .not_valid_after(datetime.datetime(2120, 1, 1, tzinfo=datetime.UTC))
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return made.public_bytes(Encoding.PEM), private


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
def test_a_node_takes_its_configuration(overlay: str, tmp_path: Path, certificate: tuple[bytes, bytes]) -> None:
    for name, content in (("ca.pem", certificate[0]), ("nats-1.pem", certificate[0]), ("nats-1.key", certificate[1])):
        (tmp_path / name).write_bytes(content)
    (tmp_path / "auth.conf").write_text(AUTH)
    done = _checked(overlay, tmp_path, _conf(overlay))
    assert done.returncode == 0, done.stderr
    # Users and certificates are not an afterthought: without them it does not start.
    (tmp_path / "auth.conf").unlink()
    assert _checked(overlay, tmp_path, _conf(overlay)).returncode != 0


@pytest.mark.parametrize("overlay", check.OVERLAYS)
def test_acknowledged_is_on_disk(overlay: str) -> None:
    assert "\n  sync_interval: always\n" in _conf(overlay)


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
