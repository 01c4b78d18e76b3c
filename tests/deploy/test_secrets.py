"""The keys that an operator puts in are the keys that the processes look for, and no process is handed another's."""

import os
import stat
import subprocess
from collections import defaultdict

import pytest

from deploy.k8s import check
from services.kit.access.making import write_tls
from services.kit.config import Settings
from services.local.keys import make_keys
from tests.deploy.cluster import OURS, RUNS, files, of_kind, settings_of

FAKE = """#!/bin/sh
case " $* " in *" create "*) printf '%s\\n' "$*" >> "$CALLS" ;; esac
"""
FILE_SETTINGS = [name for name in Settings.__struct_fields__ if name.endswith("_file")]


@pytest.fixture(scope="module")
def put(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], dict[str, str]]:
    """What the how-to creates, by kind and name: key → file."""
    folder = tmp_path_factory.mktemp("keys")
    bin_ = tmp_path_factory.mktemp("bin")
    make_keys(folder, partitions=1)
    write_tls(folder)
    (bin_ / "kubectl").write_text(FAKE)
    (bin_ / "kubectl").chmod(stat.S_IRWXU)
    calls = bin_ / "calls"
    subprocess.run(
        ["sh", check.HERE / "secrets.example", folder],
        env={"PATH": f"{bin_}:{os.defpath}", "CALLS": str(calls)},
        check=True,
    )
    found: dict[tuple[str, str], dict[str, str]] = {}
    for line in calls.read_text().splitlines():
        words = line.split()
        assert words[:3] == ["--namespace", "tavolata", "create"]
        kind, name = (words[3], words[5]) if words[3] == "secret" else (words[3], words[4])
        pairs = [word.removeprefix("--from-file=").split("=", 1) for word in words if word.startswith("--from-file=")]
        found[kind, name] = dict(pairs)
        assert all((folder / file).is_file() for file in found[kind, name].values()), line
    return found


@pytest.mark.parametrize("overlay", check.OVERLAYS)
def test_what_is_put_is_what_is_referred_to(overlay: str, put: dict[tuple[str, str], dict[str, str]]) -> None:
    here = {("configmap", name) for name in of_kind(overlay, "ConfigMap")}
    referred = {
        (kind, name) for each in of_kind(overlay, *RUNS).values() for _, kind, name in files(overlay, each)
    } - here
    assert referred == set(put)


@pytest.mark.parametrize("overlay", check.OVERLAYS)
def test_nobody_is_handed_the_keys_of_another(overlay: str) -> None:
    for name, workload in of_kind(overlay, *OURS).items():
        secrets = {ref for _, kind, ref in files(overlay, workload) if kind == "secret"} - {"postgres"}
        assert secrets == {f"{'operator' if name == 'log-make' else name}-keys"}


@pytest.mark.parametrize("overlay", check.OVERLAYS)
def test_every_file_of_a_setting_is_one_that_was_put(overlay: str, put: dict[tuple[str, str], dict[str, str]]) -> None:
    for name, workload in of_kind(overlay, *OURS).items():
        told = settings_of(overlay, workload)
        seen = {f"{path}/{key}" for path, kind, ref in files(overlay, workload) for key in put.get((kind, ref), ())}
        for setting in FILE_SETTINGS:
            wanted = getattr(told, setting)
            if wanted is not None and (setting != "key_file" or name in ("deck", "tournament")):
                assert str(wanted) in seen, (name, setting)


def test_each_has_its_own_key_and_no_other(put: dict[tuple[str, str], dict[str, str]]) -> None:
    holders = defaultdict(set)
    for (_, name), pairs in put.items():
        for file in pairs.values():
            holders[file].add(name)
    assert all(len(names) == 1 for names in holders.values()), holders
    for (kind, name), pairs in put.items():
        who = name.removesuffix("-keys")
        for key, file in pairs.items():
            if kind == "secret" and who not in ("postgres", "nats"):
                assert who in file.replace("_", "-"), (name, key, file)


def test_what_signs_for_people_and_certificates_stays_with_the_operator(
    put: dict[tuple[str, str], dict[str, str]],
) -> None:
    files_put = {file for pairs in put.values() for file in pairs.values()}
    assert not files_put & {"sign/operator.json", "tls/ca.key", "nats/reader.seed"}
