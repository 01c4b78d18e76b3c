"""What operators look at exists: every metric of the dashboard, the alerts and the pages is one that a process has."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client import REGISTRY

import services.gateway.metrics
import services.kit.telemetry  # noqa: F401 - both make the metrics
from tests.tidy.tree import ROOT

DASHBOARD = ROOT / "deploy/grafana/tavolata.json"
ALERTS = ROOT / "deploy/prometheus/alerts.yml"
PROMETHEUS = ROOT / "deploy/prometheus/prometheus.yml"
RUN = ROOT / "docs/how-to/run-a-house.md"
OPERATE = ROOT / "docs/operate.md"

OTHERS = {
    "up": "Prometheus itself",
    "node_filesystem_avail_bytes": "node_exporter",
    "node_filesystem_size_bytes": "node_exporter",
    "kubelet_volume_stats_available_bytes": "the kubelet",
    "kubelet_volume_stats_capacity_bytes": "the kubelet",
}
"""Metrics that are not ours, and whose they are."""

WORDS = re.compile(r"sum|min|max|by|rate|increase|histogram_quantile|topk|or|and|unless|on|without|ignoring")
"""Of PromQL, as far as we speak it."""


def ours() -> dict[str, set[str]]:
    """Name in an expression → its labels."""
    names = {}
    for metric in REGISTRY._collector_to_names:
        name = getattr(metric, "_name", "")
        if not name.startswith("tavolata_"):
            continue
        labels = set(metric._labelnames)  # type: ignore[attr-defined]  # no other way to ask
        match metric._type:  # type: ignore[attr-defined]  # the same
            case "counter":
                names[f"{name}_total"] = labels
            case "histogram":
                names |= {f"{name}_bucket": labels | {"le"}, f"{name}_sum": labels, f"{name}_count": labels}
            case _:
                names[name] = labels
    return names


def panels() -> list[dict[str, Any]]:
    return list(json.loads(DASHBOARD.read_text())["panels"])


def alerts() -> list[dict[str, Any]]:
    [group] = yaml.safe_load(ALERTS.read_text())["groups"]
    return list(group["rules"])


EXPRESSIONS = {
    **{f"{panel['title']}/{t['refId']}": t["expr"] for panel in panels() for t in panel.get("targets", ())},
    **{alert["alert"]: alert["expr"] for alert in alerts()},
}


def metrics_in(expression: str) -> set[str]:
    bare = re.sub(r'"[^"]*"', "", expression)
    bare = re.sub(r"\{[^}]*\}|\[[^\]]*\]|(by|without|on|ignoring) *\([^)]*\)", " ", bare)
    return {word for word in re.findall(r"[a-zA-Z_:][a-zA-Z0-9_:]*", bare) if not WORDS.fullmatch(word)}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_an_expression_is_about_metrics_that_there_are(name: str) -> None:
    expression = EXPRESSIONS[name]
    used = metrics_in(expression)
    assert used
    assert used <= set(ours()) | set(OTHERS), used
    for opening, closing in ("()", "[]", "{}"):
        assert expression.count(opening) == expression.count(closing)
    labels = {"job", "instance", "fstype"}.union(*(ours().get(metric, set()) for metric in used))
    for grouped in re.findall(r"by *\(([^)]*)\)", expression):
        assert {label.strip() for label in grouped.split(",")} <= labels
    for chosen in re.findall(r"\{([^}]*)\}", expression):
        assert set(re.findall(r"([a-z_]+) *[=!]", chosen)) <= labels
    for counter in re.findall(r"([a-z_]+_total)", expression):
        assert re.search(rf"(rate|increase)\({counter}", expression), "a counter is nothing by itself"


def test_the_dashboard_has_its_rows_and_every_metric_of_ours() -> None:
    rows = [panel["title"] for panel in panels() if panel["type"] == "row"]
    assert rows == ["Moves", "Refusals", "Latency", "Lag", "Spectators", "Gateway", "NATS"]
    shown = set().union(*(metrics_in(EXPRESSIONS[name]) for name in EXPRESSIONS if "/" in name))
    forgotten = {name for name in ours() if not name.endswith(("_sum", "_count"))} - shown
    assert not forgotten
    assert len({panel["id"] for panel in panels()}) == len(panels())


def test_alerts_are_complete_and_explained() -> None:
    explained = OPERATE.read_text()
    for alert in alerts():
        assert set(alert) <= {"alert", "expr", "for", "labels", "annotations"}
        assert re.fullmatch(r"\d+[sm]", alert.get("for", "1m"))
        assert alert["labels"]["severity"] in ("page", "ticket")
        for label in re.findall(r"\$labels\.([a-z]+)", alert["annotations"]["summary"]):
            assert re.search(rf"by \([^)]*\b{label}\b|^up", alert["expr"]), f"{alert['alert']} has no label {label}"
        assert f"| `{alert['alert']}` |" in explained, f"docs/operate.md does not explain {alert['alert']}"


def test_alerts_on_codes_name_codes_that_there_are() -> None:
    known = (ROOT / "docs/how-to/what-can-go-wrong.md").read_text()
    for expression in EXPRESSIONS.values():
        for codes in re.findall(r'code=~?"([^"]*)"', expression):
            for code in codes.split("|"):
                assert f"`{code}`" in known


def test_prometheus_asks_every_process_of_the_house() -> None:
    config = yaml.safe_load(PROMETHEUS.read_text())
    assert [(PROMETHEUS.parent / name).is_file() for name in config["rule_files"]] == [True]
    scraped = {
        target.partition(":")[0]: target.partition(":")[2]
        for job in config["scrape_configs"]
        for static in job["static_configs"]
        for target in static["targets"]
    }
    assert set(scraped.values()) == {"9090"}
    composed = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    others = {"volumes", "nats-1", "nats-2", "nats-3", "postgres", "log", "tokens", "client", "operator"}
    assert set(scraped) == set(composed) - others, "they serve no metrics, or run once"


def test_every_metric_stands_in_the_pages_with_its_labels() -> None:
    rows = dict(re.findall(r"^\| `(tavolata_[a-z_]+)` \| ([^|]*) \|", RUN.read_text(), re.MULTILINE))
    listed = {name.removesuffix("_bucket"): labels - {"le"} for name, labels in ours().items() if "_sum" not in name}
    listed = {name.removesuffix("_count"): labels for name, labels in listed.items()}
    assert {name: {label for label in labels.split(", ") if label} for name, labels in rows.items()} == listed


def test_no_label_could_hold_an_id() -> None:
    of_metrics = r"answer|check|code|consumer|event|game|kind|le|log|method|outcome|partition"
    allowed = re.compile(rf"{of_metrics}|route|service|state|status|stream")
    for name, labels in ours().items():
        assert all(map(allowed.fullmatch, labels)), name


def test_the_page_names_files_that_there_are() -> None:
    for path in re.findall(r"`((?:deploy|docs|services|tests)/[A-Za-z0-9_./-]+)`", OPERATE.read_text()):
        assert (ROOT / Path(path)).exists(), path
