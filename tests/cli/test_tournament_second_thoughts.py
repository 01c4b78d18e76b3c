"""What an organiser takes back or changes late: the configuration, the cut, the waiting list."""

from pathlib import Path

import pytest

from tests.cli.errors import says_no
from tests.cli.evening import CONFIG, Evening
from tests.cli.here import Client


@pytest.fixture
def evening(client: Client, tmp_path: Path) -> Evening:
    return Evening(client, tmp_path)


def test_who_waits_is_admitted_where_there_is_a_place(evening: Evening) -> None:
    evening.config.write_text(CONFIG.replace("check_in = true", "check_in = true\ncap = 6"))
    evening.json("create", evening.config)
    evening.json("open")
    evening.json("register", "--file", evening.people)
    says_no(evening.ask("admit", 7), "event_full")
    evening.json("penalty", 2, "disqualification", "--reason", "cheated elsewhere")
    assert evening.json("admit", 7, "--reason", "2 is out")["events"] == ["tournament.admitted"]
    assert {each["entry"]: each["standing"] for each in evening.json("entrants")}[7] == "in"


def test_a_round_more_is_configured_while_the_stage_goes_on(evening: Evening) -> None:
    evening.open()
    evening.play_round()
    evening.config.write_text(CONFIG.replace("rounds = 2", "rounds = 3"))
    assert evening.json("configure", evening.config, "--reason", "time is left")["events"] == ["tournament.configured"]
    evening.play_round()
    assert evening.play_round()["round"] == 3
    evening.config.write_text(CONFIG.replace("rounds = 2", 'rounds = 3\nfirst_round = "seed"'))
    assert "stages[0].first_round" in says_no(evening.ask("configure", evening.config), "config_fixed")


def test_a_cut_is_revoked_and_made_again(evening: Evening) -> None:
    evening.open()
    evening.play_round()
    evening.play_round()
    says_no(evening.ask("revoke-cut"), "no_cut")
    first = evening.json("cut")["events"]
    assert evening.json("revoke-cut", "--reason", "a result was wrong")["events"] == ["tournament.cut_revoked"]
    assert evening.json("status")["tournament"]["stage"] == 0
    assert evening.json("cut")["events"] == first


def test_those_tied_at_the_line_go_on_as_their_play_off_has_it(evening: Evening) -> None:
    """Everybody has the same points: seven are tied for four places."""
    even = CONFIG.replace("[clocks]", '[scoring]\nscheme = "commander"\norder = ["TP"]\n[clocks]')
    evening.config.write_text(even.replace("= 2", "= 1").replace('cut_ties = "lot"', ""))
    evening.open()
    drafted = evening.json("pair")
    evening.json("publish")
    evening.json("start")
    for table in drafted["tables"]:
        evening.json("result", 1, table["number"], ",".join("7" for _ in table["places"]))
    says_no(evening.ask("cut"), "tie_at_the_cut")
    says_no(evening.ask("cut", "--tied", "3;1"), "bad_entries")
    says_no(evening.ask("cut", "--tied", "3,1"), "bad_decision")
    evening.json("cut", "--tied", "7,3,5,1,2,4,6", "--reason", "play-off")
    assert sorted(line["entry"] for line in evening.json("standings", "--stage", 2)["lines"]) == [1, 3, 5, 7]
