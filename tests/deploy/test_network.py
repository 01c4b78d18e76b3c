"""Who may speak to whom: the call tree of the house is the law, and the policies are exactly that."""

from collections.abc import Iterator
from typing import Any

import pytest

from deploy.k8s import check
from tests.deploy.cluster import Manifest, container, labels, of_kind

RULES = ("rules-just4fun", "rules-memcel", "rules-welcome-to")
GRPC, HTTP, NATS, ROUTES, POSTGRES, ADMIN, OTLP = 7400, 8080, 4222, 6222, 5432, 9090, 4317

LAW: set[tuple[str, str, int]] = {
    ("ingress", "gateway", HTTP),
    *(("gateway", each, GRPC) for each in RULES),
    ("gateway", "scoring", GRPC),
    ("gateway", "spectator", GRPC),
    ("gateway", "tournament", GRPC),
    ("bots", "door", GRPC),
    *(("bots", each, GRPC) for each in RULES),
    ("bots", "scoring", GRPC),
    ("bots", "spectator", GRPC),
    ("bots", "tournament", GRPC),  # who sits at a table of an event, the tournament service says
    *(("tournament", each, GRPC) for each in RULES),
    *((each, "deck", GRPC) for each in RULES),
    ("deck", "nats", NATS),
    *((each, "nats", NATS) for each in RULES),
    ("scoring", "nats", NATS),
    ("spectator", "nats", NATS),
    ("tournament", "nats", NATS),
    ("log-make", "nats", NATS),
    ("scoring", "postgres", POSTGRES),
    ("spectator", "postgres", POSTGRES),
    ("tournament", "postgres", POSTGRES),
}
"""From, to, port. The gateway and the bots are outside of the log: they know what they are told."""

OF_SEVERAL_NODES = {("nats", "nats", ROUTES)}

PODS = {"single": LAW, "cluster": LAW | OF_SEVERAL_NODES}
both = pytest.mark.parametrize("overlay", check.OVERLAYS)


def _pods(overlay: str) -> dict[str, dict[str, str]]:
    return {name: labels(each) for name, each in of_kind(overlay, "Deployment", "StatefulSet", "Job").items()}


def _fits(selector: dict[str, Any], worn: dict[str, str]) -> bool:
    assert selector.keys() <= {"matchLabels", "matchExpressions"}
    for expression in selector.get("matchExpressions", ()):
        assert expression["operator"] in ("In", "NotIn")
        if (worn.get(expression["key"]) in expression["values"]) != (expression["operator"] == "In"):
            return False
    return bool(selector.get("matchLabels", {}).items() <= worn.items())


def _peers(peer: dict[str, Any], pods: dict[str, dict[str, str]]) -> list[str]:
    """Who is meant: pods of ours by name, others by what they are."""
    if "ipBlock" in peer:
        assert peer["ipBlock"] == {"cidr": "169.254.20.10/32"}
        return ["dns"]
    space = peer.get("namespaceSelector", {}).get("matchLabels")
    match space:
        case None:
            return [name for name, worn in pods.items() if _fits(peer["podSelector"], worn)]
        case {"kubernetes.io/metadata.name": "kube-system"}:
            assert peer["podSelector"] == {"matchLabels": {"k8s-app": "kube-dns"}}
            return ["dns"]
        case {"tavolata.monitoring": "yes"}:
            return ["monitoring"]
        case {"tavolata.ingress": "yes"}:
            return ["ingress"]
        case _:
            raise AssertionError(f"nobody knows who is in {space}")


def _allowed(overlay: str, way: str) -> Iterator[tuple[str, str, int]]:
    """Every pair that a policy of this way, ``ingress`` or ``egress``, lets speak."""
    pods = _pods(overlay)
    for policy in of_kind(overlay, "NetworkPolicy").values():
        spec: Manifest = policy["spec"]
        assert {each.lower() for each in spec["policyTypes"]} >= spec.keys() & {"ingress", "egress"}
        for rule in spec.get(way, ()):
            others = [
                name for peer in rule.get("from" if way == "ingress" else "to", ()) for name in _peers(peer, pods)
            ]
            for port in rule["ports"]:
                assert "endPort" not in port
                anywhere = ["postgres"] if way == "egress" and "to" not in rule else []
                for own in (name for name, worn in pods.items() if _fits(spec["podSelector"], worn)):
                    for other in [*others, *anywhere]:
                        yield (other, own, port["port"]) if way == "ingress" else (own, other, port["port"])


@both
def test_nobody_speaks_unless_a_policy_lets_them(overlay: str) -> None:
    assert of_kind(overlay, "NetworkPolicy")["nobody"]["spec"] == {
        "podSelector": {},
        "policyTypes": ["Ingress", "Egress"],
    }


@both
def test_whoever_may_ask_is_whoever_asks(overlay: str) -> None:
    asked = {edge for edge in _allowed(overlay, "ingress") if edge[0] != "monitoring"}
    assert asked == {edge for edge in PODS[overlay] if edge[1] != "postgres"}


@both
def test_whoever_asks_is_let_out_to_nobody_else(overlay: str) -> None:
    asks = {edge for edge in _allowed(overlay, "egress") if edge[1] not in ("dns", "monitoring")}
    assert asks == {edge for edge in PODS[overlay] if edge[0] != "ingress"}


@both
def test_names_are_looked_up_by_all(overlay: str) -> None:
    asks = {edge for edge in _allowed(overlay, "egress") if edge[1] == "dns"}
    assert asks == {(name, "dns", 53) for name in _pods(overlay)}


@both
def test_metrics_are_fetched_and_traces_sent_by_monitoring_alone(overlay: str) -> None:
    fetched = {edge for edge in _allowed(overlay, "ingress") if edge[0] == "monitoring"}
    assert fetched == {("monitoring", name, ADMIN) for name in _pods(overlay)}
    sent = {edge for edge in _allowed(overlay, "egress") if edge[1] == "monitoring"}
    assert sent == {(name, "monitoring", OTLP) for name in _pods(overlay) if name != "nats"}


@both
def test_what_may_be_asked_listens(overlay: str) -> None:
    workloads = of_kind(overlay, "Deployment", "StatefulSet")
    for _, asked, port in PODS[overlay]:
        if asked != "postgres":
            assert port in {each["containerPort"] for each in container(workloads[asked])["ports"]}, asked


def test_without_the_component_nobody_is_let_out_to_a_collector() -> None:
    policies = [each for each in check.rendered("cluster") if each["kind"] == "NetworkPolicy"]
    assert not [each for each in policies if f"'port': {OTLP}" in str(each)]
