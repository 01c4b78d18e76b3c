"""Settings come from the environment once, and what cannot be is refused by the name of its variable."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.kernel.refusal import Refusal
from services.kit.config import GRPC, Settings, child_environment, rules_by_game, settings
from services.kit.sockets import free_ports, is_free
from tests.tidy.tree import ROOT


def test_without_any_variable_there_are_defaults() -> None:
    assert settings({"PATH": "/bin", "HOME": "/"}) == Settings()
    assert rules_by_game(Settings().rules_addresses) == {}


def test_every_setting_can_be_given() -> None:
    given = {
        "TAVOLATA_NATS_URL": "nats://log:4222,nats://log2:4222",
        "TAVOLATA_NATS_SEED_FILE": "secrets/deck.seed",
        "TAVOLATA_PARTITIONS": "16",
        "TAVOLATA_REPLICAS": "3",
        "TAVOLATA_BIND": "[::]:7402",
        "TAVOLATA_METRICS_HOST": "0.0.0.0",
        "TAVOLATA_METRICS_PORT": "9100",
        "TAVOLATA_OTLP_ENDPOINT": "http://collector:4317",
        "TAVOLATA_TLS_CA_FILE": "secrets/ca.pem",
        "TAVOLATA_TLS_CERT_FILE": "secrets/deck.pem",
        "TAVOLATA_TLS_KEY_FILE": "secrets/deck.key",
        "TAVOLATA_TRUST_FILE": "secrets/trust.json",
        "TAVOLATA_SIGNING_KEY_FILE": "secrets/signing.json",
        "TAVOLATA_TOKEN": "head.body.signature",
        "TAVOLATA_DECK_ADDRESS": "dns:///deck:7402",
        "TAVOLATA_SCORING_ADDRESS": "scoring:7403",
        "TAVOLATA_SPECTATOR_ADDRESS": "spectator:7404",
        "TAVOLATA_TOURNAMENT_ADDRESS": "tournament:7405",
        "TAVOLATA_KEY_FILE": "secrets/master.key",
        "TAVOLATA_MASTER_KEY": '{"keys": []}',
        "TAVOLATA_DATABASE_URL": "postgresql://db/tavolata",
        "TAVOLATA_DATABASE_PASSWORD_FILE": "secrets/database",
        "TAVOLATA_PEOPLE_URL": "postgresql://db/people",
        "TAVOLATA_RULES_ADDRESSES": "just4fun=dns:///j4f:7406,welcome_to=[::1]:7407",
        "TAVOLATA_DURABILITY": "fast",
        "TAVOLATA_LOG_LEVEL": "debug",
        "TAVOLATA_GRACE_S": "30",
        "TAVOLATA_URL": "house:7400",
        "TAVOLATA_LANGUAGE": "ko",
        "TAVOLATA_EXHIBITION": "True",
        "TAVOLATA_HOSTS": "tavolata.example,localhost",
        "TAVOLATA_ORIGINS": "https://club.example,http://localhost:8080",
        "TAVOLATA_PROXIES": "10.0.0.0/8,::1",
    }
    assert {f"TAVOLATA_{field.upper()}" for field in Settings.__struct_fields__} == given.keys()
    found = settings(given)
    assert found.partitions == 16
    assert found.key_file == Path("secrets/master.key")
    assert rules_by_game(found.rules_addresses) == {"just4fun": "dns:///j4f:7406", "welcome_to": "[::1]:7407"}
    assert settings(child_environment({field: getattr(found, field) for field in Settings.__struct_fields__})) == found


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("PARTITIONS", "0"),
        ("PARTITIONS", "101"),
        ("PARTITIONS", "many"),
        ("PARTITIONS", ""),
        ("BIND", "7402"),
        ("BIND", "host:"),
        ("BIND", "ho st:1"),
        ("DECK_ADDRESS", "deck"),
        ("METRICS_PORT", "-1"),
        ("METRICS_PORT", "70000"),
        ("RULES_ADDRESSES", "just4fun"),
        ("RULES_ADDRESSES", "just4fun=house"),
        ("RULES_ADDRESSES", "just4fun=house:1;memcel=house:2"),
        ("DURABILITY", "STRICT"),
        ("LOG_LEVEL", "loud"),
        ("GRACE_S", "1.5"),
        ("REPLICAS", "2"),
        ("OTLP_ENDPOINT", "collector:4317"),
        ("ORIGINS", "*"),
        ("PROXIES", "the proxy"),
    ],
)
def test_a_value_that_cannot_be_is_refused_by_name(variable: str, value: str) -> None:
    with pytest.raises(Refusal) as refused:
        settings({f"TAVOLATA_{variable}": value})
    assert refused.value.code == "bad_setting"
    assert f"TAVOLATA_{variable}" in refused.value.sentence


@pytest.mark.parametrize("variable", ["TAVOLATA_X", "TAVOLATA_", "TAVOLATA_nats_url"])
def test_a_variable_that_is_no_setting_is_refused(variable: str) -> None:
    with pytest.raises(Refusal, match=f"unknown_setting: {variable} "):
        settings({variable: "1"})


def test_a_child_inherits_no_setting_but_those_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAVOLATA_PARTITIONS", "3")
    monkeypatch.setenv("UNRELATED", "kept")
    child = child_environment({"grace_s": 1})
    assert {name for name in child if name.startswith("TAVOLATA_")} == {"TAVOLATA_GRACE_S"}
    assert child["UNRELATED"] == os.environ["UNRELATED"]


def test_what_is_said_to_grpc_is_said_in_the_image_too_unless_the_operator_says_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("GRPC_EXPERIMENTS", raising=False)
    monkeypatch.setenv("GRPC_VERBOSITY", "DEBUG")
    child = child_environment({})
    assert child["GRPC_VERBOSITY"] == "DEBUG"
    assert child["GRPC_EXPERIMENTS"] == GRPC["GRPC_EXPERIMENTS"]
    image = (ROOT / "deploy" / "Dockerfile").read_text()
    assert all(f"{name}={value}" in image for name, value in GRPC.items())


def test_grpc_knows_what_it_is_told() -> None:
    """It is told by names that its next version may have dropped; then it says so, and does what it wants."""
    done = subprocess.run(
        [sys.executable, "-c", "import grpc; grpc.insecure_channel('127.0.0.1:1').close(); print('done')"],
        env={**os.environ, **GRPC, "GRPC_VERBOSITY": "INFO"},
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    assert done.stdout == "done\n"
    assert "xperiment" not in done.stderr, done.stderr


def test_what_is_never_shown_is_in_no_log() -> None:
    secret = "eyJ.very.secret"
    told = settings({"TAVOLATA_TOKEN": secret, "TAVOLATA_MASTER_KEY": secret})
    assert secret not in repr(told) + str(told) + repr(told.__rich_repr__())
    assert "token='...'" in repr(told)


def test_free_ports_are_different_and_free() -> None:
    ports = free_ports(20)
    assert len(set(ports)) == 20
    assert all(is_free("127.0.0.1", port) for port in ports)
    assert is_free("0.0.0.0", ports[0])
