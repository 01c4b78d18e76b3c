"""What an organiser is told who does the next thing too early, too late or for the first time: always how to go on."""

import asyncio
import shlex
from pathlib import Path

import pytest

from cli.tournament.organiser import Organiser
from tests.cli.errors import says_no
from tests.cli.evening import Evening
from tests.cli.here import Client, here


@pytest.fixture
def evening(client: Client, tmp_path: Path) -> Evening:
    return Evening(client, tmp_path)


def words(text: str) -> str:
    """Without what a narrow screen does to a table."""
    return " ".join(text.replace("│", " ").replace("┃", " ").split())


def test_a_draft_says_how_it_is_looked_at_discarded_and_published(evening: Evening) -> None:
    evening.open()
    assert says_no(evening.ask("round"), "unknown_round") == "No round is published."
    evening.json("pair")
    assert f"tavolata tournament round {evening.id} --draft" in says_no(evening.ask("round"), "unknown_round")
    assert "--draft" not in says_no(evening.ask("round", 1), "unknown_round"), "who names a round asks for that one"
    sentence = says_no(evening.ask("pair"), "draft_exists")
    assert sentence.startswith("Round 1 is drafted already. Look at it: ")
    for way in (f"round {evening.id} --draft;", f"pair {evening.id} --discard;", f"publish {evening.id}."):
        assert f"tavolata tournament {way}" in sentence


def test_changes_have_names_in_the_table_and_for_programs(evening: Evening) -> None:
    evening.open()
    evening.play_round()
    table = evening.json("round", 1)["tables"][0]
    first = min(table["places"], key=lambda place: place["entry"])
    scores = ",".join(str(place["entry"]) for place in table["places"])
    supposed = evening.json("what-if", "--set", f"table={table['number']}:{scores}", "--round", 1)
    assert {(each["entry"], each["name"]) for each in supposed["changes"]} >= {(first["entry"], first["name"])}
    told = evening.ask("correct", 1, table["number"], scores).out
    rows = [line for line in told.splitlines() if f"{first['name']} ({first['entry']})" in line]
    assert "place" in rows[0]
    assert any("TP" in row for row in rows)
    penalty = evening.json("penalty", 1, "points", "--points", 2, "--round", 1)
    assert {each["name"] for each in penalty["changes"] if each["entry"] == 1} == {"Ana"}


def test_a_doubtful_result_is_entered_and_said(evening: Evening) -> None:
    evening.open()
    drafted = evening.json("pair")
    evening.json("publish")
    evening.json("start")
    table = min(drafted["tables"], key=lambda each: len(each["places"]))
    ran = evening.ask("result", 1, table["number"], "10,20,-5", "--places", "1,2,3")
    assert ran.code == 0
    best, second, last = (f"{place['name']} ({place['entry']})" for place in table["places"])
    assert f"Note: {best} is placed 1 with 10, before {second}, who is placed 2 with 20." in ran.err
    assert f"Note: {last} has -5 points." in ran.err
    entered = next(each for each in evening.json("round", 1)["tables"] if each["number"] == table["number"])
    assert [place["place"] for place in entered["places"]] == [1, 2, 3]
    assert evening.ask("correct", 1, table["number"], "20,10,5").err == ""


def test_penalties_that_stand_are_listed_with_their_numbers(evening: Evening) -> None:
    evening.open()
    evening.play_round()
    assert "Penalties" not in evening.ask("entrants").out
    evening.json("penalty", 2, "warning")
    evening.json("penalty", 1, "points", "--points", "3/2", "--round", 1)
    shown = words(evening.ask("entrants").out)
    assert f"To take one back: tavolata tournament revoke {evening.id} NUMBER" in shown
    assert "1 Bea (2) warning - 1" in shown
    assert "2 Ana (1) points 1.5 1" in shown
    penalties = {each["entry"]: each["penalties"] for each in evening.json("entrants")}
    assert penalties[1] == [{"number": 2, "entry": 1, "kind": "points", "points": "3/2", "round": 1}]
    assert penalties[3] == []
    evening.json("revoke", 2)
    assert "Ana (1) points" not in words(evening.ask("entrants").out)


def test_who_is_not_in_the_newest_stage_is_explained_in_their_last(evening: Evening) -> None:
    evening.open()
    late = evening.json("register", "--name", "Late", "--contact", "l@x")["entrants"][0]["entry"]
    evening.json("withdraw", late)
    says_no(evening.ask("explain", late), "has_not_played")
    evening.play_round()
    evening.play_round()
    evening.json("cut")
    out = evening.json("standings", "--stage", 1)["lines"][-1]["entry"]
    assert evening.json("explain", out)["stage"] == 0
    assert evening.ask("explain", out).out.startswith("In stage 1:\n")
    assert evening.json("explain", 1)["stage"] == 1
    assert not evening.ask("explain", 1).out.startswith("In stage")
    says_no(evening.ask("explain", out, "--stage", 2), "not_in_stage")
    says_no(evening.ask("explain", late), "has_not_played")


def test_a_paused_clock_is_shown(evening: Evening) -> None:
    evening.open()
    evening.json("pair")
    evening.json("publish")
    evening.json("start")
    assert "clock     ends " in evening.ask("status", "--once").out
    evening.json("pause")
    assert "clock     paused, 59m left" in evening.ask("status", "--once").out
    assert evening.json("status")["left_ms"] > 3_500_000
    assert "Its clock is paused, 59m left." in words(evening.ask("round").out)


def test_an_archive_says_whether_its_event_is_finished(evening: Evening) -> None:
    evening.open()
    evening.json("pair")
    evening.json("publish")
    evening.json("start")
    evening.json("export", "--dir", evening.folder)
    ran = here("tournament", "verify", evening.folder / f"{evening.id}.jsonl")
    assert "holds as far as it goes: " in ran.out
    assert "round 1 is running; the event is not finished" in ran.out


def test_a_simulation_that_is_interrupted_says_how_it_goes_on(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "bots of a house.toml"
    file.write_text('name = "Bots"\n[[stages]]\nname = "Swiss"\nformat = "swiss"\ngames = ["just4fun"]\n')

    async def interrupted(_: Organiser) -> None:
        raise asyncio.CancelledError

    with monkeypatch.context() as patch:
        patch.setattr(Organiser, "run", interrupted)
        ran = client.ask("tournament", "simulate", file, "--players", 4, "--bots", "greedy")
    assert (ran.code, ran.out) == (130, "")
    event, _, rest = ran.err.partition(" stands where it was interrupted. To go on: ")
    assert client.ask("tournament", "status", event, "--json").document["tournament"]["phase"] == "ready"
    words_again = shlex.split(rest)
    assert words_again[0] == "tavolata"
    again = here(*words_again[1:], "--json").document["tournament"]
    assert (again["tournament_id"], again["phase"]) == (event, "finished")
