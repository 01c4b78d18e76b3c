"""The overlay that the how-to has an operator write is one that can be applied, and says what it seems to say."""

import os
import re
from pathlib import Path

from deploy.k8s import check
from services.kit.config import settings

PAGE = Path(__file__).parents[2] / "docs/how-to/run-on-kubernetes.md"


def test_the_overlay_of_the_page_can_be_applied(tmp_path: Path) -> None:
    (text,) = re.findall(
        r"^```yaml\n(# kustomization\.yaml\n.*?)^```$", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    here = os.path.relpath(check.HERE.parents[1], tmp_path.resolve())
    (tmp_path / "kustomization.yaml").write_text(text.replace("tavolata/deploy", f"{here}/deploy"), "utf-8")
    made = check.build(tmp_path)
    assert check.faults(made) == []
    by_name = {(each["kind"], each["metadata"]["name"]): each for each in made}
    assert by_name["Service", "postgres"]["spec"]["externalName"] == "database.example.org"
    (told,) = [each["data"] for (kind, name), each in by_name.items() if kind == "ConfigMap" and "settings" in name]
    assert settings(told).proxies == "10.8.0.0/16"
    deck = by_name["Deployment", "deck"]["spec"]["template"]["spec"]["containers"][0]
    assert deck["image"] == "images.example.org/tavolata:0.1.0"


def test_the_page_says_the_partitions_that_the_overlays_say() -> None:
    sentence = re.search(r"(\d+) for `single`, (\d+) for `cluster`", PAGE.read_text("utf-8"))
    assert sentence is not None
    for overlay, partitions in zip(check.OVERLAYS, sentence.groups(), strict=True):
        assert f"TAVOLATA_PARTITIONS={partitions}\n" in (check.HERE / f"overlays/{overlay}/settings.env").read_text()
