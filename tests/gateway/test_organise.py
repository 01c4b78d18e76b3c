"""An event is run over HTTP: each action once, whoever repeats it; nobody overwrites what another has just done."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from engine.tournament.config import config_of
from services.gateway.api.organise_desk import EXAMPLES
from tests.gateway.organisers import BY, EVENT, Organiser, answered, organising, refused
from tests.services.tournaments import CONFIG

SCORES = (40, 30, 20, 10)


@pytest.fixture
async def organiser(tmp_path: Path) -> AsyncIterator[Organiser]:
    async with organising(tmp_path) as made:
        yield made


async def close_round(organiser: Organiser, number: int) -> None:
    """Drafted, published, started, and every table's result entered by hand."""
    await organiser.post(f"/tournaments/{EVENT}/draft", {"actor": BY})
    await organiser.do("publish_round")
    await organiser.do("start_round")
    for table in (await organiser.desk())["round"]["tables"]:
        await organiser.do("report_result", round=number, table=table["number"], seated=seated(table["places"], SCORES))


def seated(places: list[dict[str, int]], scores: tuple[int, ...]) -> list[list[int]]:
    """A result as the log has it, entrant, place and score of each seat; the scores fall from seat to seat."""
    return [[seat["entry"], place, score] for place, (seat, score) in enumerate(zip(places, scores, strict=True), 1)]


# -- before an event ---------------------------------------------------------------------------------------------------


async def test_every_template_is_a_configuration_that_holds(organiser: Organiser) -> None:
    told = (await organiser.get("/templates"))["templates"]
    assert [each["name"] for each in told] == ["club_evening", "day_with_clocks", "duplicate_welcome_to"]
    assert [f"{each['name']}.toml" for each in told] == sorted(file.name for file in EXAMPLES.glob("*.toml"))
    assert told[0]["about"].startswith("A club evening: everybody plays three rounds")
    assert [config_of(each["config_toml"]).name for each in told] == [
        "Club evening", "Tavolata day", "Same cards for all",
    ]  # fmt: skip


async def test_a_check_names_the_key_that_is_wrong_and_warns_of_what_may_disappoint(organiser: Organiser) -> None:
    body = {"config_toml": CONFIG.replace("rounds = 2", "rounds = 0")}
    told = refused(await organiser.send("/tournaments/check", body), 400, "bad_config")
    assert "stages[0].rounds" in told["detail"]
    checked = await organiser.send("/tournaments/check", {"config_toml": CONFIG, "entrants": 4})
    found = answered(checked)
    assert found["config"]["stages"][0]["rounds"] == 2
    assert [each["code"] for each in found["warnings"]] == ["repeats_certain"]


async def test_an_event_is_created_once(organiser: Organiser) -> None:
    body = {"config_toml": CONFIG, "organiser": "ana"}
    first = await organiser.send("/tournaments", body, "the-same")
    again = await organiser.send("/tournaments", body, "the-same")
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json() == again.json()
    assert first.headers["location"] == f"/api/tournaments/{first.json()['id']}"
    taken = {"id": first.json()["id"], "config_toml": CONFIG.replace("Cup", "Mug"), "organiser": "ana"}
    refused(await organiser.send("/tournaments", taken), 409, "tournament_exists")
    refused(await organiser.send("/tournaments", {**taken, "id": ""}, "the-same"), 409, "id_reused")


# -- people ------------------------------------------------------------------------------------------------------------


async def test_people_enter_once_however_often_it_is_sent(organiser: Organiser) -> None:
    await organiser.post("/tournaments", {"id": EVENT, "config_toml": CONFIG, "organiser": "ana"})
    await organiser.do("open_registration")
    people = {"actor": BY, "people": [{"name": "Ana"}, {"name": "Bo", "alias": "B."}, {"player": "bot:random:1"}]}
    first = await organiser.post(f"/tournaments/{EVENT}/people", people, "in")
    assert await organiser.post(f"/tournaments/{EVENT}/people", people, "in") == first
    found = (await organiser.desk())["entrants"]
    assert [(each["entry"], each["name"]) for each in found][:2] == [(1, "Ana"), (2, "B.")]
    assert found[2]["player"] == "bot:random:1"
    assert len(found) == 3


async def test_a_person_is_forgotten_for_ever(organiser: Organiser) -> None:
    await organiser.ready(4)
    player = (await organiser.desk())["entrants"][0]["player"]
    told = [(await organiser.http.delete(f"/api/people/{player}")).json() for _ in range(2)]
    assert [each["before"] for each in told] == [False, True]
    assert "Person 1" not in json.dumps(await organiser.desk())
    refused(await organiser.http.delete("/api/people/nobody"), 404, "unknown_player")


async def test_the_desk_tells_who_is_kept_apart_and_whether_check_in_is_open(organiser: Organiser) -> None:
    await organiser.ready(8)
    await organiser.do("keep_apart", entries=[1, 3], points=5, last=2)
    await organiser.do("open_check_in")
    desk = await organiser.desk()
    assert desk["apart"] == [{"entries": [1, 3], "points": 5, "first": 1, "last": 2}]
    assert desk["tournament"]["check_in_open"]
    await organiser.do("let_meet", entries=[1, 3])
    await organiser.do("close_check_in")
    desk = await organiser.desk()
    assert (desk["apart"], desk["tournament"]["check_in_open"]) == ([], False)


# -- two organisers ----------------------------------------------------------------------------------------------------


async def test_the_same_command_under_the_same_key_is_done_once(organiser: Organiser) -> None:
    await organiser.ready()
    first = await organiser.do("penalise", "same", entry=1, kind="points", points="1", reason="late")
    assert await organiser.do("penalise", "same", entry=1, kind="points", points="1", reason="late") == first
    assert [each["number"] for each in (await organiser.desk())["penalties"]] == [1]
    again = await organiser.ask("penalise", "same", entry=1, kind="points", points="1", reason="late")
    assert again.headers["Idempotent-Replayed"] == "true"
    refused(await organiser.ask("penalise", "same", entry=2, kind="points", points="1"), 400, "id_reused")


async def test_what_another_organiser_has_done_since_is_not_overwritten(organiser: Organiser) -> None:
    """Both look at the same desk; the second is told so, and where the event stands now."""
    await organiser.ready()
    seen = (await organiser.desk())["tournament"]["revision"]
    done = await organiser.do("withdraw", entry=3, expected=seen)
    told = refused(await organiser.ask("withdraw", entry=4, expected=seen, by="organiser:bo"), 412, "stale_revision")
    assert told["revision"] == done["revision"] == seen + 1
    await organiser.do("withdraw", entry=4, expected=told["revision"], by="organiser:bo")


async def test_another_configuration_is_taken_until_it_is_too_late(organiser: Organiser) -> None:
    await organiser.ready()
    body = {"actor": BY, "config_toml": CONFIG.replace("rounds = 2", "rounds = 3"), "reason": "more time"}
    path = f"/tournaments/{EVENT}/configuration"
    assert config_of((await organiser.get(path))["config_toml"]) == config_of(CONFIG)
    first = await organiser.post(path, body, "three")
    assert await organiser.post(path, body, "three") == first
    assert (await organiser.desk())["config"]["stages"][0]["rounds"] == 3
    await close_round(organiser, 1)
    fixed = body | {"config_toml": CONFIG.replace("just4fun", "memcel")}
    refused(await organiser.send(path, fixed), 409, "config_fixed")


# -- rounds ------------------------------------------------------------------------------------------------------------


async def test_a_draft_is_for_the_organiser_until_it_is_published(organiser: Organiser) -> None:
    await organiser.ready()
    first = await organiser.post(f"/tournaments/{EVENT}/draft", {"actor": BY}, "draft-1")
    assert await organiser.post(f"/tournaments/{EVENT}/draft", {"actor": BY}, "draft-1") == first
    assert first["round"] == 1
    drafted = await organiser.get(f"/tournaments/{EVENT}/draft")
    assert (drafted["phase"], len(drafted["tables"])) == ("draft", 2)
    one, other = (table["places"][0]["entry"] for table in drafted["tables"])
    await organiser.do("swap_in_draft", entries=[one, other])
    desk = await organiser.desk()
    assert [table["places"][0]["entry"] for table in desk["draft"]["tables"]] == [other, one]
    assert desk["round"] is None
    await organiser.do("publish_round")
    desk = await organiser.desk()
    assert (desk["draft"], desk["round"]["phase"]) == (None, "published")
    refused(await organiser.http.get(f"/api/tournaments/{EVENT}/draft"), 404, "no_draft")


async def test_a_correction_is_supposed_first_and_tells_then_what_it_has_changed(organiser: Organiser) -> None:
    await organiser.ready()
    await close_round(organiser, 1)
    table = (await organiser.desk())["round"]["tables"][0]
    entries = [seat["entry"] for seat in table["places"]]
    supposed = {"results": [{"round": 1, "table": 1, "scores": [30, 40, 20, 10]}]}
    what_if = await organiser.send(f"/tournaments/{EVENT}/what-if", supposed)
    foreseen = {(each["entry"], each["what"]) for each in answered(what_if)["changes"]}
    assert {(entries[0], "TP"), (entries[1], "TP")} <= foreseen
    swapped = seated([table["places"][1], table["places"][0], *table["places"][2:]], SCORES)
    done = await organiser.do("correct_result", round=1, table=1, seated=swapped, reason="read wrongly")
    points = {each["entry"]: (each["before"], each["after"]) for each in done["changes"] if each["what"] == "TP"}
    assert points == {entries[0]: ("5", "3"), entries[1]: ("3", "5")}
    assert {(each["entry"], each["what"]) for each in done["changes"]} == foreseen


async def test_the_log_is_told_in_pages_newest_first(organiser: Organiser) -> None:
    await organiser.ready()
    await organiser.do("comment", reason="lunch until two", by="organiser:bo")
    first = await organiser.get(f"/tournaments/{EVENT}/actions", size=2)
    assert [(each["actor"], each["reason"]) for each in first["actions"]] == [
        ("organiser:bo", "lunch until two"), (BY, ""),
    ]  # fmt: skip
    rest = await organiser.get(f"/tournaments/{EVENT}/actions", page=first["next"])
    assert [each["command"] for each in rest["actions"]] == [
        "tournament.register", "tournament.open_registration", "tournament.create",
    ]  # fmt: skip
    assert rest["next"] == ""
