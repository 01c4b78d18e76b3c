"""The manifests as a cluster would have them, and what a process in one of its containers would see."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from deploy.k8s import check
from services.kit.config import Settings, settings

Manifest = dict[str, Any]
RUNS = ("Deployment", "StatefulSet", "Job")
OURS = ("Deployment", "Job")


@cache
def manifests(overlay: str) -> tuple[Manifest, ...]:
    """Of an overlay with all components."""
    return tuple(check.rendered(overlay, components=True))


def of_kind(overlay: str, *kinds: str) -> dict[str, Manifest]:
    """By name."""
    return {each["metadata"]["name"]: each for each in manifests(overlay) if each["kind"] in kinds}


def pod(workload: Manifest) -> Manifest:
    found: Manifest = workload["spec"]["template"]["spec"]
    return found


def labels(workload: Manifest) -> dict[str, str]:
    """Of its pods."""
    found: dict[str, str] = workload["spec"]["template"]["metadata"]["labels"]
    return found


def container(workload: Manifest) -> Manifest:
    """The only one."""
    (only,) = pod(workload)["containers"]
    assert isinstance(only, dict)
    return only


def environment(overlay: str, workload: Manifest) -> dict[str, str]:
    """Every variable that the container is given, a reference as the empty text."""
    maps = of_kind(overlay, "ConfigMap")
    seen: dict[str, str] = {}
    for source in container(workload).get("envFrom", ()):
        seen |= maps[source["configMapRef"]["name"]]["data"]
    return seen | {each["name"]: each.get("value", "") for each in container(workload).get("env", ())}


def settings_of(overlay: str, workload: Manifest) -> Settings:
    """What the process makes of it. Raises ``Refusal`` for a variable that is none of ours or cannot be."""
    return settings(environment(overlay, workload))


def replicas(overlay: str, name: str) -> int:
    """The fewest that the cluster keeps."""
    scaler = of_kind(overlay, "HorizontalPodAutoscaler").get(name)
    if scaler is not None:
        return int(scaler["spec"]["minReplicas"])
    return int(of_kind(overlay, "Deployment", "StatefulSet")[name]["spec"].get("replicas", 1))


def files(overlay: str, workload: Manifest) -> Iterator[tuple[str, str, str]]:
    """Each mounted secret and config map of ours: path of its folder, kind, name."""
    mounts = {each["name"]: each["mountPath"] for each in container(workload)["volumeMounts"]}
    for volume in pod(workload)["volumes"]:
        path = mounts[volume["name"]]
        for source in volume.get("projected", {}).get("sources", [volume]):
            if "secret" in source:
                yield path, "secret", source["secret"].get("secretName") or source["secret"]["name"]
            if "configMap" in source:
                yield path, "configmap", source["configMap"]["name"]


def addresses(told: Settings) -> dict[str, str]:
    """What a process is told about where others are: setting → host:port, several of them with a number."""
    listed = {
        "deck_address": told.deck_address,
        "scoring_address": told.scoring_address,
        "spectator_address": told.spectator_address,
        "tournament_address": told.tournament_address,
        "url": told.url,
        "database_url": re.sub(r"^.*@([^/]+)/.*$", r"\1", told.database_url),
        "people_url": re.sub(r"^.*@([^/]+)/.*$", r"\1", told.people_url),
    }
    games = {f"rules {game}": address for game, address in _pairs(told.rules_addresses)}
    nodes = {f"nats {n}": each.removeprefix("tls://") for n, each in enumerate(told.nats_url.split(","))}
    return listed | games | nodes


def _pairs(text: str) -> list[tuple[str, str]]:
    return [(game, address) for game, _, address in (each.partition("=") for each in text.split(","))]


def bytes_of(quantity: str) -> int:
    """``2Gi``, ``1800MiB`` and ``18GB`` (which NATS takes for 18 GiB) → bytes."""
    number, unit = re.fullmatch(r"([0-9]+)([KMGT])i?B?", quantity).groups()  # type: ignore[union-attr]  # a quantity that does not fit fails here
    return int(number) << (10 * (1 + "KMGT".index(unit)))
