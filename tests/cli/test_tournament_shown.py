"""What a person reads on the screen: names, places first, the clock of their own wall, lists in the order of names."""

import io
from datetime import UTC, datetime, timedelta, timezone

import pytest
from rich.console import Console
from tavolata.tournament.v1 import tournament_pb2 as pb

from cli.tournament.changes import change_fields, rows_of
from cli.tournament.live import screen_of
from cli.tournament.present import clock_text
from cli.tournament.tables import doubts
from cli.tournament.times import local_day_and_time, local_time, span
from engine.tournament.played import Seated
from services.kit.paper.alphabet import alphabetical
from services.kit.paper.figures import by_name
from services.kit.paper.pages import round_page
from tests.cli.messages import EVENT, a_round

ROME = timezone(timedelta(hours=2))
MORNING = datetime(2026, 5, 2, 4, 0, tzinfo=ROME)

CHANGES = [
    pb.Change(round=1, entry=3, what="TP", before="5", after="5/2"),
    pb.Change(round=1, entry=3, what="place", before="1", after="2"),
    pb.Change(round=2, entry=4, what="SOS", before="", after="10/3"),
    pb.Change(round=2, entry=4, what="place", before="2", after="1"),
]


def shown(status: pb.GetStatusResponse) -> str:
    out = Console(file=io.StringIO(), width=100)
    out.print(screen_of(status, MORNING))
    assert isinstance(out.file, io.StringIO)
    return out.file.getvalue()


def test_changes_name_people_and_begin_with_places() -> None:
    assert rows_of(CHANGES, {3: "Ana", 4: "Bea"}) == [
        (1, "Ana (3)", "place", "1", "2"),
        (2, "Bea (4)", "place", "2", "1"),
        (1, "Ana (3)", "TP", "5", "2.5"),
        (2, "Bea (4)", "SOS", "-", "3 1/3"),
    ]


def test_a_program_gets_number_name_and_the_exact_figure() -> None:
    assert change_fields(CHANGES[0], {3: "Ana"}) == {
        "round": 1, "entry": 3, "name": "Ana", "what": "TP", "before": "5", "after": "5/2",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("at", "told"),
    [
        ("2026-05-02T02:42:59.000000Z", "04:42"),
        ("2026-05-01T22:00:00.000000Z", "00:00"),
        ("2026-05-01T21:59:00.000000Z", "2026-05-01 23:59"),
        ("2026-05-02T22:00:00.000000Z", "2026-05-03 00:00"),
        ("soon", "soon"),
    ],
)
def test_an_instant_is_told_by_the_clock_on_the_wall(at: str, told: str) -> None:
    assert local_time(at, MORNING) == told


def test_a_log_always_has_the_day() -> None:
    assert local_day_and_time("2026-05-02T02:42:59.000000Z", MORNING) == "2026-05-02 04:42"
    assert local_day_and_time("2026-05-02T02:42:59.000000Z", MORNING.astimezone(UTC)) == "2026-05-02 02:42"


@pytest.mark.parametrize(("ms", "told"), [(3_599_999, "59m"), (3_900_000, "1h5m"), (59_900, "59s"), (0, "0s")])
def test_what_is_left_has_seconds_only_in_its_last_minute(ms: int, told: str) -> None:
    assert span(ms) == told


def test_a_round_says_when_its_clock_ends_and_a_closed_one_does_not() -> None:
    found = pb.GetRoundResponse(phase="running", ends_at="2026-05-02T02:42:00.000000Z")
    assert clock_text(found, MORNING) == " Its clock ends 04:42."
    found.phase = "closed"
    assert clock_text(found, MORNING) == ""
    assert clock_text(pb.GetRoundResponse(phase="running", left_ms=3_599_000), MORNING) == (
        " Its clock is paused, 59m left."
    )


def test_the_screen_shows_a_clock_that_runs_and_one_that_is_paused() -> None:
    running = pb.GetStatusResponse(
        tournament=EVENT,
        ends_at="2026-05-02T02:42:00.000000Z",
        expected_end="2026-05-02T02:30:00.000000Z",
        earliest_end="2026-05-02T02:20:00.000000Z",
        latest_end="2026-05-02T22:10:00.000000Z",
    )
    assert "clock     ends 04:42, 42m left" in shown(running)
    assert "over at 04:30 (nine in ten: 04:20 to 2026-05-03 00:10)" in shown(running)
    running.ends_at = "2026-05-02T01:59:00.000000Z"
    assert "clock     over for 1m" in shown(running)
    assert "clock     paused, 59m left" in shown(pb.GetStatusResponse(tournament=EVENT, left_ms=3_590_000))
    assert "clock" not in shown(pb.GetStatusResponse(tournament=EVENT))


IN_ORDER = [
    "Ådne",
    "Ægir",
    "Beata",
    "Béatrice",
    "beatrix",
    "bot 2",
    "Bot 10",
    "Čapek",
    "Đorđe",
    "Dorina",
    "łukasz",
    "Lynn",
    "Obi",
    "Øystein",
    "Özil",
    "Pia",
    "Strasse",
    "Straße",
    "Strauss",
    "Þór",
    "Tiago",
    "Zoë",
]


def test_names_stand_where_people_look_for_them() -> None:
    by_length = sorted(IN_ORDER, key=len)
    assert sorted(by_length, key=alphabetical) == IN_ORDER


def test_two_ways_to_write_an_accent_are_one_name() -> None:
    assert alphabetical("Be\u0301a")[0] == alphabetical("Béa")[0] == alphabetical("BEA")[0]
    assert alphabetical("Mu ²")[0] == alphabetical("mu 2")[0]


def test_the_wall_list_and_its_page_have_that_order() -> None:
    names = ["Zoë", "Øystein", "Łukasz", "beatrix", "Pia", "Béatrice", "Ivo"]
    places = [pb.Place(entry=entry, name=name) for entry, name in enumerate(names, 1)]
    found = pb.GetRoundResponse(round=1, tables=[pb.Table(number=1, places=places)])
    wanted = ["Béatrice", "beatrix", "Ivo", "Łukasz", "Øystein", "Pia", "Zoë"]
    assert [name for name, _, _ in by_name(found)] == wanted
    page = round_page(EVENT, found)
    page = page[page.index("By name") : page.index("By table")]
    assert sorted(wanted, key=page.index) == wanted


def test_a_result_that_may_be_a_slip_of_the_pen_is_said() -> None:
    table = a_round().tables[0]
    table.places[1].name = "Ben"
    table.places[2].no_show = True
    assert doubts(table, (Seated(3, 1, 9), Seated(1, 2, 9), Seated(4, 3, 0))) == ()
    assert doubts(table, (Seated(3, 1, 9), Seated(1, 2, -4), Seated(4, 3, -4))) == (
        "Note: Ben (1) has -4 points.",
        "Note: ana (4) has -4 points.",
    )
    assert doubts(table, (Seated(3, 2, 61), Seated(1, 1, 58), Seated(4, 3, 12))) == (
        "Note: Ben (1) is placed 1 with 58, before Zoe (3), who is placed 2 with 61.",
    )
    assert doubts(table, (Seated(1, 1, 3), Seated(3, 1, 10), Seated(4, 3, 5))) == (
        "Note: Ben (1) is placed 1 with 3, before ana (4), who is placed 3 with 5.",
    ), "of those who share a place, one is enough"
