"""The whole house of ``docker-compose.yml``: who has which secrets and reaches whom, and matches that are played in it,
also while its rules services are started again one after another.
"""

import io
import json
import time
import urllib.error
from collections.abc import Iterator
from http import HTTPStatus
from typing import Final

import pytest

from engine.games import game_of_rules
from engine.luck.verifier import verify
from services.kit.access.making import revoke
from services.kit.access.signing import signing_key
from services.kit.key import load_or_make, rotate
from tests.kit.compose import ComposeHouse, compose_house
from tests.kit.containers import docker, wait_for

pytestmark = [pytest.mark.docker, pytest.mark.timeout(600)]

PLAYED_S: Final = 90
SECRETS: Final = {
    "deck": "nats-seed",
    "rules-just4fun": "nats-seed signing-key",
    "scoring": "nats-seed postgres-password",
    "spectator": "nats-seed postgres-password",
    "tournament": "nats-seed postgres-password signing-key",
    "gateway": "signing-key",
    "bots": "signing-key",
}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ComposeHouse]:
    with compose_house(tmp_path_factory.mktemp("compose") / "keys") as opened:
        yield opened


@pytest.fixture(scope="module")
def organiser(house: ComposeHouse) -> str:
    return house.token("organiser", "--life", "1h")


@pytest.mark.parametrize("service", SECRETS)
def test_a_service_has_its_own_secrets_and_no_others(house: ComposeHouse, service: str) -> None:
    found = house.inside(service, "ls", "/run/secrets")
    assert sorted(found.split()) == SECRETS[service].split()


@pytest.mark.parametrize("service", ["deck", "tournament"])
def test_a_master_key_is_where_it_is_used_and_a_rotated_one_is_there_at_once(house: ComposeHouse, service: str) -> None:
    assert house.inside(service, "ls", "/etc/tavolata/key").split() == ["master.key"]
    rotate(house.keys / service / "master.key", in_force_after_s=0)
    kept = [key.key_id for key in load_or_make(house.keys / service / "master.key").keys]
    seen = json.loads(house.inside(service, "cat", "/etc/tavolata/key/master.key"))
    assert [key["key_id"] for key in seen["keys"]] == kept
    assert len(kept) == 2


def test_networks_keep_apart_who_has_nothing_to_say_to_each_other(house: ComposeHouse) -> None:
    networks = house.networks()
    reaches = {
        name: {other for members in networks.values() if name in members for other in members} - {name}
        for members in networks.values()
        for name in members
    }
    assert reaches["postgres"] == {"scoring", "spectator", "tournament"}
    assert not reaches["nats-1"] & {"gateway", "bots", "door", "postgres"}
    assert networks["nodes"] == {"nats-1", "nats-2", "nats-3"}
    assert networks["edge"] == {"gateway"}


def test_the_gateway_alone_is_published_and_has_a_way_out(house: ComposeHouse) -> None:
    published = [
        (container["Service"], port["URL"])
        for container in house.running()
        for port in container["Publishers"]
        if port["PublishedPort"]
    ]
    assert published == [("gateway", "127.0.0.1")]
    ways_out = docker("network", "ls", "--quiet", "--filter", f"label=com.docker.compose.project={house.project}")
    inside = docker("network", "inspect", "--format", "{{.Labels}} {{.Internal}}", *ways_out.stdout.split())
    open_ones = [line for line in inside.stdout.splitlines() if line.endswith("false")]
    assert len(open_ones) == 1
    assert "compose.network:edge" in open_ones[0]


def test_bots_play_a_match_that_verifies(house: ComposeHouse, organiser: str) -> None:
    opened = open_match(house, organiser, "bot:greedy@0")
    wait_for_the_end(house, opened)
    check_export(house, opened)


def test_a_match_goes_on_while_three_hosts_are_started_again(house: ComposeHouse, organiser: str) -> None:
    house.up("--no-recreate", "--scale", "rules-just4fun=3")
    hosts = house.containers("rules-just4fun")
    assert len(hosts) == 3
    opened = open_match(house, organiser, "bot:greedy@1500")
    for host in hosts:
        assert docker("restart", "--time", "15", host).returncode == 0
        goes_on(house, opened)
    wait_for_the_end(house, opened)
    check_export(house, opened)


def test_a_key_that_is_revoked_is_believed_no_more(house: ComposeHouse, organiser: str) -> None:
    """The last one here: nobody organises in this house any more."""
    revoke(house.keys / "trust.json", signing_key(house.keys / "sign" / "operator.json").kid)

    def is_refused() -> bool:
        try:
            open_match(house, organiser, "bot:greedy@0")
        except urllib.error.HTTPError as error:
            return error.code == HTTPStatus.UNAUTHORIZED
        return False

    wait_for(is_refused, "the token counts no more")


def open_match(house: ComposeHouse, token: str, bot: str) -> str:
    body = {"game": "just4fun", "seats": 2, "players": [f"{bot}:0", f"{bot}:1"]}
    return str(house.get("/api/matches", body, token)["match"])


def goes_on(house: ComposeHouse, match: str) -> None:
    """There is a new revision, unless there are no more to come."""
    before = revision(house, match)
    wait_for(lambda: revision(house, match) > before or is_complete(house, match), "the match goes on")


def is_complete(house: ComposeHouse, match: str) -> bool:
    return bool(house.get(f"/api/matches/{match}")["complete"])


def revision(house: ComposeHouse, match: str) -> int:
    return int(house.get(f"/api/matches/{match}")["revision"])


def wait_for_the_end(house: ComposeHouse, match: str) -> None:
    until = time.monotonic() + PLAYED_S
    while not is_complete(house, match):
        assert time.monotonic() < until, f"{match} is still played"
        time.sleep(0.2)


def check_export(house: ComposeHouse, match: str) -> None:
    lines = io.BytesIO(house.ask(f"/api/matches/{match}/export"))
    assert verify(lines, game_of_rules).commits == revision(house, match)
