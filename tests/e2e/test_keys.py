"""A house with keys, by the commands: it opens to the world only with them, and everybody does what is theirs."""

from pathlib import Path
from typing import Any

import httpx
import pytest

from engine.kernel.refusal import Refusal
from services.kit.config import Settings
from services.kit.lifecycle import start_server, trust_of
from services.local.plan import plan_house
from tests.access.keys import Keys
from tests.cli.here import here
from tests.e2e.command import Ran, up

ABROAD = ("0.0.0.0", "[::]", "192.0.2.1", "house.example")


async def test_a_house_without_keys_stays_at_home(tmp_path: Path) -> None:
    for host in ABROAD:
        with pytest.raises(Refusal) as planned:
            plan_house(tmp_path, 0, host=host)
        with pytest.raises(Refusal) as served:
            trust_of(Settings(bind=f"{host}:7400"))
        with pytest.raises(Refusal) as started:
            await start_server("any", f"{host}:0", lambda server: [])
        for refused in (planned, served, started):
            assert refused.value.code == "open_to_the_world"
            assert "tavolata keys init" in refused.value.sentence
    for host in ("127.0.0.1", "[::1]", "localhost"):
        assert trust_of(Settings(bind=f"{host}:7400")) is None


def test_the_command_says_what_to_do(tmp_path: Path) -> None:
    ran = here("up", "--data", tmp_path / "house", "--host", "0.0.0.0", "--json")
    assert (ran.code, "open_to_the_world" in ran.err) == (1, True)
    ran = here("up", "--data", tmp_path / "house", "--keys", tmp_path / "nowhere", "--json")
    assert (ran.code, "no_keys" in ran.err) == (1, True)
    assert not (tmp_path / "house").exists()


def test_with_keys_each_service_has_its_own(tmp_path: Path) -> None:
    keys = Keys(tmp_path / "keys")
    plan = plan_house(tmp_path / "house", 0, bots=True, host="0.0.0.0", keys=keys.folder)
    signing = {each.label: each.settings.get("signing_key_file") for each in plan.services}
    assert {label for label, path in signing.items() if path is None} == {"deck", "scoring", "spectator"}
    for label, path in signing.items():
        assert path in (None, keys.folder / "sign" / f"{label}.json")
    assert {each.settings["trust_file"] for each in plan.services} == {keys.trust_file} == {plan.trust_file}
    bound = {each.name: str(each.settings["bind"]).rpartition(":")[0] for each in plan.services if each.port}
    assert {name for name, host in bound.items() if host != "127.0.0.1"} == {"gateway"}


@pytest.mark.timeout(120)
def test_everybody_in_a_house_with_keys_does_what_is_theirs(tmp_path: Path) -> None:
    keys = Keys(tmp_path / "keys")

    def token(*arguments: object) -> str:
        made = here("token", *arguments, "--key", keys.folder / "sign/operator.json")
        assert made.code == 0, made.err
        return made.out.strip()

    with up(tmp_path / "house", "--keys", str(keys.folder), "--host", "0.0.0.0") as house:

        def ask(token: str, *arguments: object) -> Ran:
            return here("--token", token, *arguments, "--server", house.url)

        opening = ("match", "open", "just4fun", "--seats", 2, "--id", "m1", "--bots", "1=random", "--json")
        assert "token_missing" in ask("", *opening).err
        seat = token("seat", "m1", 0)
        assert "not_your_match" in ask(seat, *opening).err
        organiser = token("organiser")
        assert ask(organiser, *opening).code == 0
        assert "not_your_seat" in ask(organiser, "match", "choices", "m1", "--seat", 0, "--json").err
        assert "not_your_seat" in ask(seat, "match", "choices", "m1", "--seat", 1, "--json").err
        assert ask(organiser, *opening[:6], "m2", "--bots", "random", "--json").code == 0
        assert ask("", "watch", "m2", "--json").code == 0, "bots play their seats, the deck deals, everybody watches"
        leave = '{"type": "tavolata.leave", "v": 1, "data": {"seat": 0}}'
        assert ask(seat, "match", "act", "m1", "--seat", 0, "--command", leave, "--json").code == 0
        told: dict[str, Any] = httpx.get(f"{house.web}api/session", trust_env=False).json()
        assert told["asks"]
        logs = "".join(path.read_text(errors="replace") for path in (house.data / "logs").iterdir())
        for each in (seat, organiser):
            assert each.split(".")[1] not in logs
            assert each.split(".")[2] not in logs


def test_a_token_is_made_for_what_there_can_be(tmp_path: Path) -> None:
    keys = Keys(tmp_path / "keys")
    key = ("--key", keys.folder / "sign/operator.json", "--json")
    for arguments, code in (
        (("seat", "m 1", 0), "id_malformed"),
        (("seat", "m1", 5_000), "bad_token"),
        (("player", "bot:greedy"), "bad_token"),
        (("referee",), "bad_token"),
        (("referee", "--event", "cup", "--match", "m1"), "bad_token"),
        (("organiser", "--life", "25h"), "bad_life"),
        (("organiser", "--life", "soon"), "bad_duration"),
    ):
        ran = here("token", *arguments, *key)
        assert (ran.code, code in ran.err) == (1, True), (arguments, ran.err)
    ran = here("token", "seat", "m1", 0, "--key", keys.folder / "sign/gateway.json", "--json")
    assert "not_yours_to_sign" in ran.err
    assert here("token", "caster", "--event", "*", *key).document["expires_at"]
