"""The check bites: what a cluster would refuse, or worse, not notice, fails before it gets there."""

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from deploy.k8s import check


@pytest.fixture(scope="module")
def deck() -> dict[str, Any]:
    (found,) = [
        each for each in check.rendered("single") if (each["kind"], each["metadata"]["name"]) == ("Deployment", "deck")
    ]
    return found


def test_a_misspelt_key_is_told_with_its_place(deck: dict[str, Any]) -> None:
    broken = deepcopy(deck)
    broken["spec"]["template"]["spec"]["containers"][0]["livenessProb"] = {}
    (fault,) = check.faults([broken])
    assert fault.startswith("deployment/deck: spec.template.spec.containers.0: ")
    assert "'livenessProb' was unexpected" in fault


def test_a_value_of_a_wrong_type_is_told_with_its_place(deck: dict[str, Any]) -> None:
    broken = deepcopy(deck)
    broken["spec"]["replicas"] = "two"
    (fault,) = check.faults([broken])
    assert fault.startswith("deployment/deck: spec.replicas: 'two' is not")


def test_a_kind_that_nobody_knows_is_a_fault(deck: dict[str, Any]) -> None:
    (fault,) = check.faults([deck | {"kind": "Deplyoment"}])
    assert "Deplyoment" in fault


def test_a_kind_of_others_is_held_against_the_fields_that_we_use() -> None:
    (monitor,) = [each for each in check.rendered("single", components=True) if each["kind"] == "PodMonitor"]
    assert check.faults([monitor]) == []
    broken = deepcopy(monitor)
    broken["spec"]["podMetricsEndpoints"][0]["scrapeTimeOut"] = "5s"
    (fault,) = check.faults([broken])
    assert fault.startswith("podmonitor/tavolata: Object contains unknown field `scrapeTimeOut`")


def test_a_folder_that_kustomize_cannot_read_is_told_in_its_words(tmp_path: Path) -> None:
    (tmp_path / "kustomization.yaml").write_text("resources: [nowhere.yaml]\n")
    with pytest.raises(check.Broken, match=r"nowhere\.yaml"):
        check.build(tmp_path)
