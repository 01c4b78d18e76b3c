"""The life of an event as an organiser types it, on a house of its own: results by hand, so that every figure is known.

The rules of the event have tests of their own; here every command is given once, and what it prints is read.
"""

import json
from pathlib import Path

import pytest

from tests.cli.errors import says_no
from tests.cli.evening import CONFIG, PEOPLE, Evening
from tests.cli.here import Client, here


@pytest.fixture
def evening(client: Client, tmp_path: Path) -> Evening:
    return Evening(client, tmp_path)


@pytest.fixture
def played(evening: Evening) -> Evening:
    """After round 1 of 2."""
    evening.open()
    evening.play_round()
    return evening


def test_an_event_from_its_file_to_its_archive(evening: Evening) -> None:
    evening.open()
    first = evening.play_round()
    assert (first["phase"], sorted(len(table["places"]) for table in first["tables"])) == ("closed", [3, 4])
    evening.play_round()
    swiss = evening.json("standings")
    evening.json("cut")
    assert evening.json("standings") == swiss, "until the final is played, the figures are those of before"
    final = evening.play_round()
    assert (final["round"], len(final["tables"]), len(final["tables"][0]["places"])) == (3, 1, 4)
    evening.json("finish")
    standings = evening.json("standings")
    assert standings["final"] is True
    assert standings["lines"][0]["entry"] == 1, "who is always better is first"
    assert sorted(line["place"] for line in standings["lines"]) == [1, 2, 3, 4, 5, 6, 7]

    folder = evening.folder / "archive"
    files = [Path(file) for file in evening.json("export", "--dir", folder)["files"]]
    assert {file.suffix for file in files} == {".jsonl", ".json", ".csv", ".html"}
    assert b"'=cmd()" in (folder / f"{evening.id}-standings-final.csv").read_bytes()
    page = (folder / f"{evening.id}-round-1.html").read_text()
    assert "Evening &lt;b&gt;one&lt;/b&gt;" in page
    document = json.loads((folder / f"{evening.id}.json").read_bytes())
    assert (document["schema"], len(document["rounds"]), len(document["standings"])) == ("tavolata.tournament", 3, 3)

    report = here("tournament", "verify", folder / f"{evening.id}.jsonl", "--json").document
    assert (report["holds"], report["drafts"], report["results"]) == (True, 3, 5)
    for number in (1, 2, 3):
        assert evening.json("verify-pairing", number)["holds"] is True
    assert evening.json("reopen", "--reason", "recount")["events"] == ["tournament.reopened"]


def test_a_configuration_is_checked_before_it_is_an_event(evening: Evening) -> None:
    checked = evening.json("create", evening.config, "--check", "--entrants", 7)
    assert checked["config"]["name"] == "Evening <b>one</b>"
    assert {"repeats_certain", "repeats_possible"} & {each["code"] for each in checked["warnings"]}
    says_no(evening.ask("status", "--once"), "unknown_tournament")
    evening.config.write_text(CONFIG.replace("swiss", "swizz"))
    assert "stages[0].format" in says_no(evening.ask("create", evening.config), "bad_config")


def test_the_same_command_under_the_same_id_is_done_once(evening: Evening) -> None:
    evening.json("create", evening.config)
    assert evening.json("create", evening.config)["duplicate"] is True
    first = evening.json("open", "--id", "o1")
    again = evening.json("open", "--id", "o1")
    assert (first["duplicate"], again["duplicate"], again["revision"]) == (False, True, first["revision"])
    people = evening.json("register", "--file", evening.people, "--id", "r1")
    assert evening.json("register", "--file", evening.people, "--id", "r1")["entrants"] == people["entrants"]
    assert "accepted before" in evening.ask("open", "--id", "o1").out


def test_a_draft_is_shown_edited_and_thrown_away(evening: Evening) -> None:
    evening.open()
    drafted = evening.json("pair")
    one, other = (table["places"][0]["entry"] for table in drafted["tables"])
    edited = evening.json("pair", "--swap", f"{one}:{other}", "--reason", "brothers")
    assert [table["places"][0]["entry"] for table in edited["tables"]] == [other, one]
    assert evening.json("pair", "--discard")["events"] == ["tournament.draft_discarded"]
    again = evening.json("pair")
    assert again["seed"] != drafted["seed"], "each draft takes the next seed"
    shown = evening.ask("round", "--draft").out
    assert shown.startswith("Round 1 (just4fun) is a draft.")
    assert "in seat order" in shown
    assert "=cmd()" in shown


def test_a_correction_tells_every_published_number_that_changes(played: Evening) -> None:
    table = played.json("round", 1)["tables"][0]
    scores = ",".join(str(place["entry"]) for place in table["places"])
    corrected = played.json("correct", 1, table["number"], scores, "--reason", "read upside down")
    assert corrected["events"] == ["tournament.result_corrected"]
    changed = {(each["round"], each["entry"], each["what"]) for each in corrected["changes"]}
    seated = sorted(place["entry"] for place in table["places"])
    assert {(1, seated[0], "TP"), (1, seated[-1], "TP")} <= changed
    told = played.ask("correct", 1, table["number"], "--places", "1,2,2,4"[: 2 * len(seated) - 1]).out
    assert "Published, and now" in told


def test_what_if_changes_nothing(played: Evening) -> None:
    before = played.json("standings")
    table = played.json("round", 1)["tables"][0]
    scores = ",".join(str(place["entry"]) for place in table["places"])
    supposed = played.json("what-if", "--set", f"table={table['number']}:{scores}", "--round", 1)
    assert supposed["changes"]
    assert supposed["standings"]["lines"] != before["lines"]
    other = played.json("what-if", "--config", "scoring.scheme=commander")
    assert other["standings"]["lines"] != before["lines"]
    assert played.json("standings") == before


def test_a_standing_is_explained_in_terms_that_add_up(played: Evening) -> None:
    line = played.json("standings")["lines"][1]
    explained = played.json("explain", line["entry"])
    assert (explained["place"], explained["entry"]) == (line["place"], line["entry"])
    assert explained["keys"][0]["key"] == "TP"
    told = played.ask("explain", line["entry"]).out
    assert "Behind " in told
    assert "sum" in told


def test_a_pairing_is_explained_with_its_alternatives(played: Evening) -> None:
    played.play_round()
    table = played.json("round", 2)["tables"][0]
    explained = played.json("explain", table["places"][0]["entry"], "--pairing", 2)
    assert {each["entry"] for each in explained["meetings"]} == {place["entry"] for place in table["places"][1:]}
    assert explained["alternatives"]
    assert explained["unit"] >= 1
    told = played.ask("explain", table["places"][0]["entry"], "--pairing", 2).out
    assert "Instead, and what the round would cost more" in told


def test_disputes_no_shows_and_void_tables(evening: Evening) -> None:
    evening.open()
    drafted = evening.json("pair")
    evening.json("publish")
    assert evening.json("start")["events"] == ["tournament.round_started"]
    small, large = sorted(drafted["tables"], key=lambda table: len(table["places"]))
    late = large["places"][-1]["entry"]
    assert evening.json("no-show", 1, large["number"], late)["events"] == ["tournament.no_show_marked"]
    says_no(evening.ask("result", 1, large["number"], "4,3,2,1"), "bad_scores")
    evening.json("result", 1, large["number"], "4,3,2")
    player = f"player:{large['places'][0]['entry']}"
    evening.json("dispute", 1, large["number"], "--by", player, "--reason", "miscounted")
    says_no(evening.ask("confirm", 1, large["number"], "--by", player), "not_yours_to_do")
    status = evening.json("status")
    assert (status["disputed"], status["tournament"]["round_phase"]) == (1, "running")
    assert "disputed" in evening.ask("status", "--once").out
    evening.json("void", 1, small["number"], "--award", "average", "--reason", "spilt coffee")
    closed = evening.json("confirm", 1, large["number"])
    assert closed["events"][-1] == "tournament.round_closed"


def test_clocks_people_and_penalties(played: Evening) -> None:
    played.json("pair")
    assert played.json("drop", 7, "--reason", "ill")["events"] == ["tournament.draft_discarded", "tournament.dropped"]
    played.json("return", 7)
    played.json("apart", "3:4", "--points", 5)
    played.json("together", "3:4")
    played.json("fix-table", 2, 2)
    played.json("pair")
    played.json("publish")
    played.json("start")
    played.json("pause", "--reason", "fire alarm")
    assert played.json("round")["left_ms"] > 3_500_000
    played.json("resume")
    assert played.json("extend", "10m")["events"] == ["tournament.clock_extended"]
    penalty = played.json("penalty", 1, "points", "--points", 2, "--round", 1, "--reason", "late")
    assert {"round": 1, "entry": 1, "name": "Ana", "what": "TP", "before": "5", "after": "3"} in penalty["changes"]
    played.json("revoke", 1)
    played.json("comment", "lunch until two")
    played.json("cancel")
    assert played.json("rounds")[-1]["phase"] == "closed"


def test_a_person_is_forgotten_and_the_log_still_holds(played: Evening) -> None:
    entrant = played.json("register", "--name", "Zoe Young", "--contact", "z@x")["entrants"][0]
    forgotten = played.client.ask("tournament", "erase", entrant["player"], "--yes", "--json").document
    assert forgotten == {"player": entrant["player"], "duplicate": False}
    folder = played.folder / "archive"
    played.json("export", "--dir", folder)
    assert not any(b"Zoe" in file.read_bytes() for file in folder.iterdir())


def test_the_log_says_who_did_what_and_why(played: Evening) -> None:
    played.json("drop", 7, "--by", "ruth", "--reason", "went home")
    entries = played.json("log")
    assert {entry["actor"] for entry in entries} == {"organiser:organiser", "organiser:ruth"}
    assert entries[0]["command"] == "tournament.create"
    assert [entry["data"] for entry in played.json("log", "--by", "ruth")] == [{"entry": 7, "reason": "went home"}]
    assert [entry["sentence"] for entry in played.json("log", "--by", "ruth")] == ["Entrant 7 dropped out."]
    shown = played.ask("log").out
    assert "went home" in shown
    assert "published" in shown
    assert " house " not in shown
    assert " house " in played.ask("log", "--house").out


def test_somebody_is_found_and_told_where_they_sit_and_stand(played: Evening) -> None:
    found = played.client.ask("tournament", "find", "GUS", "--json").document
    [here] = [each for each in found if each["entered"][0]["tournament_id"] == played.id]
    assert (here["name"], here["entered"][0]["entry"], here["entered"][0]["now"]) == ("Gus", 7, None)
    told = played.json("entrant", 7)
    assert told["entrant"]["name"] == "Gus"
    assert told["line"] == next(line for line in played.json("standings")["lines"] if line["entry"] == 7)
    assert [(each["round"], each["kind"]) for each in told["history"]] == [(1, "table")]
    assert "Gus (7) is in, place" in played.ask("entrant", 7).out
    assert "Gus" in played.client.ask("tournament", "find", "gus").out
    assert played.json("standings")["cut"] == 4
    [final] = played.json("bracket")["rounds"]
    assert (final["phase"], final["entrants"], final["sizes"]) == ("planned", 4, [4])
    assert "Final is planned: 4 entrants, tables of 4." in played.ask("bracket").out


def test_the_field_is_seeded_by_ratings(played: Evening) -> None:
    """Whoever has the lower number was always better in the event before."""
    again = Evening(played.client, played.folder)
    again.json("create", again.config)
    again.json("open")
    again.people.write_text("name,contact\nNew,n@x\n" + "\n".join(PEOPLE.splitlines()[:0:-1]) + "\n")
    again.json("register", "--file", again.people)
    again.json("seed", "--by-rating")
    seeded = {each["seed"]: each["name"] for each in again.json("entrants")}
    assert seeded[1] == "Ana"
    assert seeded[8] == "New"
    assert len(again.json("entrants", "--missing")) == 8, "nobody has checked in yet"
    says_no(again.ask("seed"), "bad_option")


def test_events_are_listed_and_ratings_asked(played: Evening) -> None:
    listed = played.client.ask("tournament", "list", "--json").document
    assert played.id in [each["tournament_id"] for each in listed]
    assert isinstance(played.client.ask("tournament", "ratings", "--game", "just4fun", "--json").document, list)


def test_bots_play_a_whole_event(client: Client, tmp_path: Path) -> None:
    file = tmp_path / "bots.toml"
    file.write_text('name = "Bots"\n[[stages]]\nname = "Swiss"\nformat = "swiss"\ngames = ["just4fun"]\nrounds = 2\n')
    ran = client.ask("tournament", "simulate", file, "--players", 7, "--bots", "greedy", "--seed", "x", "--json")
    assert ran.err == ""
    assert ran.document["tournament"]["phase"] == "finished"
    assert len(ran.document["standings"]["lines"]) == 7
    again = client.ask("tournament", "simulate", file, "--players", 7, "--bots", "greedy", "--seed", "x", "--json")
    assert again.document["standings"] == ran.document["standings"]
    says_no(client.ask("tournament", "simulate", file, "--players", 7, "--bots", "genius"), "unknown_bot")
