"""The commands that make, list and rotate the keys of a house on many machines, and its log."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.main import app
from engine.games import all_games
from engine.kernel.ports import Failed
from services.kit.access.making import signers
from services.kit.access.signing import signing_key
from services.kit.jetstream import JetStreamLog
from services.kit.jetstream.credentials import Login, public_key, read_seed
from services.kit.key import load_or_make
from services.local.nats_server import NatsServer

USERS = {"deck", "scoring", "spectator", "tournament", "operator", "reader", *(f"rules-{game}" for game in all_games())}


def run(*words: object, **variables: object) -> Any:
    environment = {f"TAVOLATA_{name.upper()}": str(value) for name, value in variables.items()}
    result = CliRunner().invoke(app, [*(str(word) for word in words), "--json"], env=environment)
    if result.exception is not None:
        raise result.exception
    return json.loads(result.output)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_every_key_is_made_once_and_for_its_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "keys"
    kept = run("keys", "init", folder)
    made = contents(folder)
    assert {f"nats/{user}.seed" for user in USERS} | {
        "nats/auth.conf",
        "deck/master.key",
        "tournament/master.key",
        "postgres/password",
        "trust.json",
        *(f"sign/{name}.json" for name in signers()),
    } == set(made)
    assert {each["path"] for each in kept} == set(made)
    assert {path.stat().st_mode & 0o777 for path in folder.rglob("*") if path.is_dir()} == {0o700}
    for name in made:
        is_public = name in ("nats/auth.conf", "trust.json")
        assert (folder / name).stat().st_mode & 0o777 == (0o644 if is_public else 0o600)
    assert run("keys", "init", folder) == kept == run("keys", "show", folder)
    assert contents(folder) == made
    assert len(made["postgres/password"]) == 43


def test_what_is_missing_is_made_and_the_rest_is_kept(tmp_path: Path) -> None:
    run("keys", "init", tmp_path)
    before = contents(tmp_path)
    (tmp_path / "nats" / "deck.seed").unlink()
    run("keys", "init", tmp_path)
    after = contents(tmp_path)
    assert {name for name in after if after[name] != before[name]} == {"nats/deck.seed", "nats/auth.conf"}
    assert public_key(read_seed(tmp_path / "nats" / "deck.seed")).encode() in after["nats/auth.conf"]


def test_what_is_shown_and_what_a_server_reads_holds_no_secret(tmp_path: Path) -> None:
    run("keys", "init", tmp_path)
    made = contents(tmp_path)
    public = json.dumps(run("keys", "show", tmp_path)) + made["nats/auth.conf"].decode()
    secrets = [content.decode().strip() for name, content in made.items() if name.endswith((".seed", "password"))]
    secrets += [load_or_make(tmp_path / service / "master.key").newest.key for service in ("deck", "tournament")]
    secrets += [signing_key(tmp_path / "sign" / f"{name}.json").d for name in signers()]
    public += made["trust.json"].decode()
    assert not [secret for secret in secrets if secret in public]


def test_an_empty_folder_has_nothing_to_show(tmp_path: Path) -> None:
    assert run("keys", "show", tmp_path) == []
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_root_gives_the_keys_to_another_user(tmp_path: Path) -> None:
    folder = tmp_path / "keys"
    run("keys", "init", folder, "--owner", 10001)
    assert {path.stat().st_uid for path in (folder, *folder.rglob("*"))} == {10001}
    run("keys", "rotate", folder / "deck" / "master.key")
    assert (folder / "deck" / "master.key").stat().st_uid == 10001


def test_what_a_link_leads_to_is_not_given_away(tmp_path: Path) -> None:
    """Who owns the folder could put one in, and be given any file of the machine when keys are made again."""
    folder = tmp_path / "keys"
    owner = os.geteuid() or 10001
    run("keys", "init", folder, "--owner", owner)
    target = tmp_path / "of-somebody-else"
    target.touch()
    (folder / "link").symlink_to(target)
    (folder / "dangling").symlink_to(tmp_path / "nowhere")
    run("keys", "init", folder, "--owner", owner)
    assert target.stat().st_uid == os.geteuid()


def test_a_master_key_is_rotated(tmp_path: Path) -> None:
    run("keys", "init", tmp_path)
    path = tmp_path / "deck" / "master.key"
    (old,) = load_or_make(path).keys
    told = run("keys", "rotate", path, "--in-force-after-s", 60)
    new, kept = load_or_make(path).keys
    assert (told["id"], told["since"], kept) == (new.key_id, new.since, old)
    assert load_or_make(path).newest == old
    run("keys", "rotate", path, "--in-force-after-s", 0)
    assert load_or_make(path).newest not in (old, new)
    assert [each["id"] for each in run("keys", "show", tmp_path) if each["path"] == "deck/master.key"] == [
        key.key_id for key in load_or_make(path).keys
    ]


async def test_the_operator_makes_the_log_of_a_house(tmp_path: Path) -> None:
    """The file that ``keys init`` writes is included by a server as it stands."""
    run("keys", "init", tmp_path / "keys", partitions=2)
    seeds = tmp_path / "keys" / "nats"
    (tmp_path / "nats").mkdir()
    (tmp_path / "nats" / "auth.conf").write_bytes((seeds / "auth.conf").read_bytes())
    async with NatsServer(tmp_path / "nats", durability="fast", users='include "auth.conf"\n') as server:
        here: dict[str, object] = {"nats_url": server.url, "partitions": 2}
        for _ in range(2):
            told = await asyncio.to_thread(run, "log", "make", nats_seed_file=seeds / "operator.seed", **here)
            assert told == {
                "streams": ["MATCHES_00", "MATCHES_01", "TOURNAMENTS_00", "TOURNAMENTS_01", "BEATS", "BOOKMARKS"]
            }
        with pytest.raises(Failed, match="log_forbidden"):
            await asyncio.to_thread(run, "log", "make", nats_seed_file=seeds / "scoring.seed", **here)
        login = Login(read_seed(seeds / "deck.seed"))
        async with await JetStreamLog.connect(server.url, login=login, partitions=2) as log:
            assert log.connected
