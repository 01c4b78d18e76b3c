"""Whether the manifests are what a Kubernetes of this version takes: rendered and held against its schemas, offline.

Every overlay is checked, as it is and with all components. An unknown key and a value of a wrong type are told with
the object and the path in it. The schemas know what comes with Kubernetes; of the one kind that does not, the fields
that we use are written down here.

``python -m deploy.k8s.check`` is a part of ``make lint``.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec
import yaml

HERE: Final = Path(__file__).parent
BIN: Final = Path(sys.executable).parent
KUBERNETES: Final = "1.37"
OVERLAYS: Final = ("single", "cluster")

Manifest: TypeAlias = dict[str, Any]


class Broken(Exception):
    """Kustomize cannot make manifests of a folder. The text is what it says."""


class _Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    pass


class _Metadata(_Strict, frozen=True):
    name: str
    namespace: str
    labels: dict[str, str]


class _Selector(_Strict, frozen=True):
    match_labels: dict[str, str]


class _Endpoint(_Strict, frozen=True):
    port: str
    path: str
    interval: str
    scrape_timeout: str


class _PodMonitorSpec(_Strict, frozen=True):
    selector: _Selector
    pod_metrics_endpoints: list[_Endpoint]
    pod_target_labels: list[str] = []


class PodMonitor(_Strict, frozen=True):
    """Of ``monitoring.coreos.com/v1``, the Prometheus operator's."""

    api_version: str
    kind: str
    metadata: _Metadata
    spec: _PodMonitorSpec


OTHERS: Final[dict[tuple[str, str], type[msgspec.Struct]]] = {("monitoring.coreos.com/v1", "PodMonitor"): PodMonitor}
"""Kinds that do not come with Kubernetes."""


def rendered(overlay: str, *, components: bool = False) -> list[Manifest]:
    """The objects of an overlay, with all components or without. Raises ``Broken``."""
    folder = HERE / "overlays" / overlay
    if not components:
        return build(folder)
    names = sorted(path.parent.name for path in (HERE / "components").glob("*/kustomization.yaml"))
    if overlay == "single":
        names.remove("streams-autoscaling")  # nothing is scaled there
    with tempfile.TemporaryDirectory() as scratch:
        back = os.path.relpath(HERE, Path(scratch).resolve())  # kustomize takes no absolute path
        whole = {
            "apiVersion": "kustomize.config.k8s.io/v1beta1",
            "kind": "Kustomization",
            "resources": [f"{back}/overlays/{overlay}"],
            "components": [f"{back}/components/{name}" for name in names],
        }
        (Path(scratch) / "kustomization.yaml").write_text(yaml.safe_dump(whole), "utf-8")
        return build(Path(scratch))


def build(folder: Path) -> list[Manifest]:
    """The objects that kustomize makes of a folder. Raises ``Broken``."""
    done = subprocess.run([BIN / "kubectl", "kustomize", folder], capture_output=True, text=True, check=False)  # noqa: S603 - ours
    if done.returncode:
        raise Broken(done.stderr.strip().removeprefix("error: "))
    return list(yaml.safe_load_all(done.stdout))


def faults(manifests: Sequence[Manifest]) -> list[str]:
    """One sentence for each object that is none, ``deployment/deck: spec.replicas: 'two' is not …``."""
    found = list(_of_other_kinds(manifests))
    built_in = [manifest for manifest in manifests if _kind(manifest) not in OTHERS]
    with tempfile.NamedTemporaryFile("w", suffix=".yaml", encoding="utf-8") as file:
        yaml.safe_dump_all(built_in, file)
        file.flush()
        done = subprocess.run(  # noqa: S603 - ours
            [BIN / "kubernetes-validate", "--kubernetes-version", KUBERNETES, "--strict", "--quiet", file.name],
            capture_output=True,
            text=True,
            check=False,
        )
        said = [*done.stdout.splitlines(), *(done.stderr.splitlines() if done.returncode else ())]
        found.extend(_sentence(line, file.name) for line in said if line.strip())
    return found


def _of_other_kinds(manifests: Sequence[Manifest]) -> Iterator[str]:
    for manifest in manifests:
        known = OTHERS.get(_kind(manifest))
        if known is not None:
            try:
                msgspec.convert(manifest, known)
            except msgspec.ValidationError as error:
                yield f"{manifest['kind'].lower()}/{manifest['metadata']['name']}: {error}"


def _kind(manifest: Manifest) -> tuple[str, str]:
    return manifest.get("apiVersion", ""), manifest.get("kind", "")


def _sentence(line: str, file: str) -> str:
    told = line.removeprefix("ERROR ").removeprefix("WARN ").replace(f"{file} ", "")
    return told.replace("did not validate for resource ", "").replace(f" against version {KUBERNETES}", "")


def main() -> int:
    """Prints what is wrong with any overlay; 1 if something is. What is the same in several is looked at once."""
    cases = [(overlay, components) for overlay in OVERLAYS for components in (False, True)]
    with ThreadPoolExecutor() as pool:
        made = pool.map(lambda case: _rendered_or_told(*case), cases)
        seen: list[Manifest] = []
        told: list[str] = []
        for (overlay, components), result in zip(cases, made, strict=True):
            where = f"deploy/k8s/overlays/{overlay}{' with components' if components else ''}"
            if isinstance(result, Broken):
                told.append(f"{where}: {result}")
                continue
            fresh = [manifest for manifest in result if manifest not in seen]
            seen += fresh
            told += [f"{where}: {fault}" for fault in faults(fresh)]
    print("".join(f"{line}\n" for line in told), file=sys.stderr, end="")
    return 1 if told else 0


def _rendered_or_told(overlay: str, components: bool) -> list[Manifest] | Broken:
    try:
        return rendered(overlay, components=components)
    except Broken as error:
        return error


if __name__ == "__main__":
    sys.exit(main())
