"""A stack of slips, typed into a file."""

from pathlib import Path

import pytest

from cli.tournament.slips import slips_in
from engine.kernel.refusal import Refusal
from engine.tournament.played import Seated
from tests.cli.errors import says_no
from tests.cli.evening import Evening
from tests.cli.here import Client
from tests.cli.messages import a_round


def written(folder: Path, text: str) -> Path:
    file = folder / "slips.csv"
    file.write_text(text, "utf-8")
    return file


@pytest.mark.parametrize("text", ["table,a,b,c\n7,61,58,58\n", "\ufeff7;61;58;58;\n\n", "7,61,58,58"])
def test_a_line_is_a_table_and_its_scores_in_seat_order(tmp_path: Path, text: str) -> None:
    """At table 7 sit four, of whom one did not come."""
    found = a_round()
    came = [place.entry for place in found.tables[0].places if not place.no_show]
    seated = (Seated(came[0], 1, 61), Seated(came[1], 2, 58), Seated(came[2], 2, 58))
    assert slips_in(written(tmp_path, text), found) == [(7, seated)]


def test_every_bad_line_is_named(tmp_path: Path) -> None:
    file = written(tmp_path, "seven,1,2\n99,1,2\n7,1\n7,1,2,3\n7,3,4,5\n")
    with pytest.raises(Refusal, match="bad_results") as refused:
        slips_in(file, a_round())
    for told in (
        "line 1: 'seven' is no number",
        "line 2: Round 2 has no table 99",
        "line 3: Table 7 has",
        "line 5: table 7",
    ):
        assert told in refused.value.sentence
    with pytest.raises(Refusal, match="has no results"):
        slips_in(written(tmp_path, "table,score\n"), a_round())


def test_a_round_is_closed_by_a_file_and_a_file_that_is_sent_again_changes_nothing(
    client: Client, tmp_path: Path
) -> None:
    evening = Evening(client, tmp_path)
    evening.open()
    drafted = evening.json("pair")
    evening.json("publish")
    lines = [
        f"{table['number']}," + ",".join(str(50 - place["entry"]) for place in table["places"])
        for table in drafted["tables"]
    ]
    says_no(evening.ask("results", 1, written(tmp_path, f"{lines[0]}\n2,7\n")), "bad_results")
    assert evening.json("results", 1, written(tmp_path, lines[0]), "--id", "stack")["entered"] == [1]
    whole = written(tmp_path, "\n".join(lines))
    answer = evening.json("results", 1, whole, "--id", "second")
    assert (answer["entered"], answer["had_a_result"]) == ([2], [1])
    assert evening.json("round", 1)["phase"] == "closed"
    assert evening.json("results", 1, whole, "--id", "third")["had_a_result"] == [1, 2]
    winners = {min(place["entry"] for place in table["places"]) for table in drafted["tables"]}
    ahead = {line["entry"] for line in evening.json("standings")["lines"][:2]}
    assert ahead == winners  # in what order is the draw's to say: the two never met
