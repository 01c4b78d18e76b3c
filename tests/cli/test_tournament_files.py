"""What is written for spreadsheets and printers: nothing in it computes, runs or is fetched from anywhere."""

import csv
import io
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest
from tavolata.tournament.v1 import tournament_pb2 as pb

from cli.tournament.archive import write_archive
from services.kit.paper.archive import Archive
from services.kit.paper.figures import by_name
from services.kit.paper.pages import round_page, standings_page
from services.kit.paper.sheets import harmless, mixed, pairings_sheet, standings_sheet
from tests.cli.messages import EVENT, EVIL, SCRIPT, a_round, some_standings


def read(sheet: bytes, separator: str) -> list[list[str]]:
    assert sheet.startswith(b"\xef\xbb\xbf"), "a spreadsheet needs the mark to take it for UTF-8"
    return list(csv.reader(io.StringIO(sheet.decode("utf-8-sig"), newline=""), delimiter=separator))


class Page(HTMLParser):
    """Tags, texts, and what a browser would fetch or run."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.fetched: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == [], "every tag is closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.fetched.extend(name for name, _ in attrs if name in ("src", "href", "style") or name.startswith("on"))
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("style", "title") and data.strip():
            self.texts.append(data)


@pytest.mark.parametrize("separator", [",", ";"])
def test_pairings_have_a_row_for_every_seat(separator: str) -> None:
    header, *rows = read(pairings_sheet(a_round(), separator), separator)
    assert header == ["round", "table", "seat", "entrant", "name", "place", "score", "points"]
    assert rows[0] == ["2", "7", "0", "3", "Zoe", "1", "61", "5"]
    assert rows[1][4:] == [SCRIPT, "2", "-4", "2 1/2"]
    assert rows[2] == ["2", "7", "2", "9", f"'{EVIL}", "", "", ""]
    assert rows[4] == ["2", "8", "0", "5", "Player 5", "", "", ""]
    assert rows[-1] == ["2", "", "", "7", "Bea", "bye", "", ""]
    assert len(rows) == 4 + 3 + 1


def test_standings_keep_exact_figures_that_no_spreadsheet_takes_for_a_date() -> None:
    header, *rows = read(standings_sheet(some_standings(), ";"), ";")
    assert header == ["place", "entrant", "name", "TP", "SOS", "decided by", "movement", "standing", "stage"]
    assert rows[0] == ["1", "3", "Zoe", "7 1/2", "13", "", "2", "in", "1"]
    assert rows[1][3:] == ["5", "13 1/3", "TP", "-1", "in", "1"]
    assert rows[3] == ["", "4", "'-1+1", "-0 1/2", "", "", "0", "in", "1"]


def test_the_final_order_says_of_which_stage_its_figures_are() -> None:
    order = some_standings(final=True)
    assert '<th class="n">stage</th>' not in standings_page(EVENT, order)
    order.lines[0].stage = 1
    page = standings_page(EVENT, order)
    assert re.findall(r'<th class="n">(\w+)</th>', page) == ["place", "stage", "TP", "SOS"]
    assert '<td>Zoe</td><td class="n">2</td><td class="n">7.5</td>' in page


def test_numbers_in_names_are_sorted_as_numbers() -> None:
    places = [pb.Place(entry=entry, name=f"bot {entry}") for entry in (10, 2, 1)]
    found = pb.GetRoundResponse(tables=[pb.Table(number=1, places=places)])
    assert [name for name, _, _ in by_name(found)] == ["bot 1", "bot 2", "bot 10"]


@pytest.mark.parametrize(
    "cell", ["=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", " =1", '"=1', "-", "=", "\u00a0@x", "-2 1/2 "]
)
def test_a_formula_becomes_a_text(cell: str) -> None:
    assert harmless(cell) == f"'{cell}"


@pytest.mark.parametrize("cell", ["", "Ana", "-3", "0", "-2 1/2", "3 1/3", "a=b", "Jean-Luc", "61", "e@mail.example"])
def test_what_computes_nothing_stays_as_it_is(cell: str) -> None:
    assert harmless(cell) == cell


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("5/2", "2 1/2"),
        ("-1/3", "-0 1/3"),
        ("7", "7"),
        ("2.5", "2 1/2"),
        ("0.125", "0 1/8"),
        ("2 1 0", "2 1 0"),
        ("3 1/3", "3 1/3"),
        ("", ""),
        ("x", "x"),
    ],
)
def test_a_fraction_has_its_whole_part(text: str, cell: str) -> None:
    assert mixed(text) == cell


@pytest.mark.parametrize(
    "page",
    [lambda: round_page(EVENT, a_round()), lambda: standings_page(EVENT, some_standings(final=True))],
    ids=["round", "standings"],
)
def test_a_page_runs_nothing_and_fetches_nothing(page: Callable[[], str]) -> None:
    text = page()
    found = Page(text)
    assert set(found.tags).isdisjoint({"script", "link", "img", "iframe", "object", "b-script"})
    assert found.fetched == []
    assert SCRIPT in "".join(found.texts), "a name is shown as it is"
    assert "<script" not in text
    assert "Spring & <b>Autumn</b>" in "".join(found.texts)
    assert "@page { size: A4" in text
    assert "default-src 'none'" in text


def test_a_round_is_listed_by_name_by_table_and_on_slips() -> None:
    page = Page(round_page(EVENT, a_round()))
    assert page.tags.count("h2") == 3
    assert page.tags.count("h3") == 2, "one slip a table"
    names = page.texts[page.texts.index("By name") + 1 :]
    assert names[:2] == [SCRIPT, "table 7 · seat 1"]
    assert names[2:6] == [EVIL, "table 7 · seat 2", "ana", "table 7 · seat 3"], (
        "in the order of names, whatever their case"
    )
    assert ["Bea", "bye"] in [names[at : at + 2] for at in range(0, 20, 2)]
    assert "2 repeated meetings (1 at least), spread 3.5 (3 if nobody minded meeting again), " in "".join(page.texts)


def test_an_archive_has_a_schema_and_names_its_files(tmp_path: Path) -> None:
    archive = Archive(
        pb.GetTournamentResponse(
            tournament=EVENT,
            config_json='{"name":"x"}',
            entrants=[pb.Entrant(entry=3, player="p3", name="Zoe", standing="in", present=True, ranked=True)],
            commitment="cd" * 32,
        ),
        [a_round()],
        [some_standings(), some_standings(final=True)],
        [b'{"a":1}', b'{"b":2}'],
    )
    files = write_archive(archive, tmp_path / "new" / "folder", ",")
    assert [file.name for file in files] == [
        "ev.jsonl",
        "ev.json",
        "ev-standings-stage-1.csv",
        "ev-standings-stage-1.html",
        "ev-standings-final.csv",
        "ev-standings-final.html",
        "ev-round-2.csv",
        "ev-round-2.html",
    ]
    assert files[0].read_bytes() == b'{"a":1}\n{"b":2}\n', "the log byte for byte"
    document = msgspec.json.decode(files[1].read_bytes())
    assert (document["schema"], document["version"]) == ("tavolata.tournament", 1)
    assert document["config"] == {"name": "x"}
    assert document["rounds"][0]["tables"][0]["places"][1]["points"] == "5/2"
    assert document["standings"][0]["lines"][0]["values"] == {"TP": "7.5", "SOS": "13"}
