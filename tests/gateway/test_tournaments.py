"""An event over HTTP: what is told of it, what is not, and what is written into files."""

import base64
import csv
import hashlib
import io
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from engine.tournament.aggregate import tournament_ledger
from services.gateway.api import tournament_models as told
from tests.gateway.events import Front, front
from tests.services.test_tournament_wire import ask
from tests.services.tournaments import ORGANISER, T


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[Front]:
    async with front(tmp_path) as opened:
        yield opened


async def test_an_event_is_told_as_its_models_say(house: Front) -> None:
    """Every answer at every stage of an event has the fields of its model, and no other."""
    await house.begin()
    listed = told.Events.model_validate((await house.web.get("/api/tournaments")).json())
    assert [each.tournament_id for each in listed.tournaments] == [T]
    whole = told.EventInFull.model_validate(await house.get(""))
    assert [each.name for each in whole.entrants] == ["Ana", "Bo", "<Cy>", "Di"]
    assert whole.config["stages"][0]["format"] == "swiss"
    await house.publish()
    running = told.Status.model_validate(await house.get("/status"))
    assert (running.open, running.waits_for, len(running.slowest)) == (2, "results", 2)
    await house.play()

    newest = told.Round.model_validate(await house.get("/rounds/0"))
    assert newest == told.Round.model_validate(await house.get("/rounds/1"))
    assert [[(place.place, place.points) for place in table.places] for table in newest.tables] == [
        [(1, "7"), (2, "0")],
        [(1, "7"), (2, "0")],
    ]
    order = told.Standings.model_validate(await house.get("/standings"))
    assert [line.values["TP"] for line in order.lines] == ["7", "7", "0", "0"]
    assert (order.keys, order.cut) == (["TP", "SOS", "LOT"], 2)
    winner = newest.tables[0].places[0].entry
    one = told.EntrantInFull.model_validate(await house.get(f"/entrants/{winner}"))
    assert [(each.round, each.points, each.seat) for each in one.history] == [(1, "7", 0)]
    assert one.line is not None
    assert one.line.values["TP"] == "7"
    tree = told.Bracket.model_validate(await house.get("/bracket"))
    assert [(each.phase, each.sizes) for each in tree.rounds] == [("planned", [2])]
    told.Ratings.model_validate((await house.web.get("/api/ratings", params={"game": "just4fun"})).json())


async def test_reasons_are_told_in_terms_that_add_up(house: Front) -> None:
    await house.begin()
    await house.publish()
    await house.play()
    last = (await house.get("/standings"))["lines"][-1]
    why = told.WhyStanding.model_validate(await house.get(f"/entrants/{last['entry']}/standing"))
    assert why.place == last["place"]
    points = {key["key"]: (key["value"], [part["value"] for part in key["parts"]]) for key in why.keys}
    assert points["TP"] == ("0", ["0"])
    assert points["SOS"] == ("7", ["7"])
    assert why.behind is not None
    assert why.behind["sentence"].startswith("Behind ")
    pairing = told.WhyPairing.model_validate(await house.get(f"/rounds/1/entrants/{last['entry']}/pairing"))
    assert (pairing.table > 0, len(pairing.meetings), pairing.unit > 0) == (True, 1, True)


async def test_a_draft_is_told_nowhere(house: Front) -> None:
    await house.begin()
    await house.client.draft_round(T, "draft-1", ORGANISER)
    for path in ("/rounds/0", "/rounds/1", "/rounds/1/entrants/1/pairing"):
        answer = await house.web.get(f"/api/tournaments/{T}{path}")
        assert (answer.status_code, answer.json()["code"]) == (404, "unknown_round"), path
    assert (await house.web.get(f"/t/{T}/print/1")).status_code == 404
    exported = (await house.web.get(f"/api/tournaments/{T}/export")).text
    assert "round_drafted" not in exported
    await ask(house.client, "publish_round")
    assert "round_drafted" in (await house.web.get(f"/api/tournaments/{T}/export")).text


async def test_who_has_the_newest_is_sent_nothing(house: Front) -> None:
    await house.begin()
    await house.publish()
    for path in ("", "/rounds/0", "/standings", "/results.csv", "/export"):
        first = await house.web.get(f"/api/tournaments/{T}{path}")
        again = await house.web.get(f"/api/tournaments/{T}{path}", headers={"If-None-Match": first.headers["etag"]})
        assert (again.status_code, again.content) == (304, b""), path
    tag = (await house.web.get(f"/api/tournaments/{T}/rounds/0")).headers["etag"]
    await house.play()
    changed = await house.web.get(f"/api/tournaments/{T}/rounds/0", headers={"If-None-Match": tag})
    assert changed.status_code == 200


async def test_files_are_what_the_command_writes(house: Front) -> None:
    await house.begin()
    await house.publish()
    await house.play()
    log = await house.web.get(f"/api/tournaments/{T}/export")
    assert log.headers["content-disposition"] == f'attachment; filename="{T}.jsonl"'
    ledger = tournament_ledger(T)
    for position, line in enumerate(log.content.splitlines(), 1):
        ledger.accept(line, position)
    assert ledger.revision == (await house.client.tournament(T)).tournament.revision
    sheet = await house.web.get(f"/api/tournaments/{T}/results.csv", params={"separator": ";"})
    rows = list(csv.reader(io.StringIO(sheet.content.decode("utf-8-sig")), delimiter=";"))
    assert rows[0] == ["round", "table", "seat", "entrant", "name", "place", "score", "points"]
    assert [(row[0], row[5], row[7]) for row in rows[1:]] == [("1", "1", "7"), ("1", "2", "0")] * 2
    order = await house.web.get(f"/api/tournaments/{T}/standings.csv")
    assert order.content.startswith(b"\xef\xbb\xbfplace,entrant,name,TP,SOS,LOT,")
    document = told.ArchiveOfEvent.model_validate(await house.get("/archive.json"))
    assert (document.schema_, len(document.rounds), len(document.standings)) == ("tavolata.tournament", 1, 1)


async def test_a_page_to_print_may_have_its_style_and_nothing_else(house: Front) -> None:
    await house.begin()
    await house.publish()
    page = await house.web.get(f"/t/{T}/print/0")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    style = page.text.partition("<style>")[2].partition("</style>")[0]
    known = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = page.headers["content-security-policy"]
    assert f"style-src 'sha256-{known}'" in policy
    assert policy.startswith("default-src 'none'")
    assert "script" not in policy
    assert "unsafe" not in policy
    assert "&lt;Cy&gt;" in page.text
    assert "<Cy>" not in page.text
    standings = await house.web.get(f"/t/{T}/print/standings")
    assert "Standings before the first round" in standings.text


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/nowhere", 404, "unknown_tournament"),
        ("/nowhere/stream", 404, "unknown_tournament"),
        ("/nowhere/export", 404, "unknown_tournament"),
        (f"/{T}/rounds/-1", 400, "bad_request"),
        (f"/{T}/rounds/99999999999999999999", 400, "bad_request"),
        (f"/{T}/rounds/7", 404, "unknown_round"),
        (f"/{T}/entrants/0", 400, "bad_request"),
        (f"/{T}/entrants/77", 404, "unknown_entrant"),
        (f"/{T}/standings?stage=9", 404, "unknown_stage"),
        (f"/{T}/results.csv?separator=x", 400, "bad_request"),
        ("/a%00b", 400, "bad_request"),
    ],
)
async def test_what_is_not_there_is_said_so(house: Front, path: str, status: int, code: str) -> None:
    await house.begin()
    answer = await house.web.get(f"/api/tournaments{path}")
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.headers["content-type"] == "application/problem+json"
