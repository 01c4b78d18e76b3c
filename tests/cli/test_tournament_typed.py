"""What an organiser types: people from a file, scores, pairs, suppositions; what is wrong is said in one sentence."""

from pathlib import Path

import pytest

from cli.tournament.asking import actor_of, entries_in, pair_in, places_of, scores_in, seated_at
from cli.tournament.look import supposed_config, supposed_result, thousandths
from cli.tournament.people_file import people_in
from engine.kernel.refusal import Refusal
from engine.tournament.played import Seated
from tests.cli.errors import says_no
from tests.cli.here import here
from tests.cli.messages import a_round


def people(folder: Path, content: bytes) -> list[tuple[str, str, str]]:
    file = folder / "people.csv"
    file.write_bytes(content)
    return [(each.name, each.contact, each.alias) for each in people_in(file)]


def refusal_of(folder: Path, content: bytes) -> str:
    with pytest.raises(Refusal) as caught:
        people(folder, content)
    assert caught.value.code == "bad_people"
    return caught.value.sentence


def test_a_file_of_people_with_and_without_a_mark(tmp_path: Path) -> None:
    content = "name,contact,alias\nAna,ana@mail.example,\n\n  Zoë  ,,Z\n".encode()
    wanted = [("Ana", "ana@mail.example", ""), ("Zoë", "", "Z")]
    assert people(tmp_path, content) == wanted
    assert people(tmp_path, b"\xef\xbb\xbf" + content) == wanted
    assert people(tmp_path, content.replace(b"\n", b"\r\n")) == wanted
    assert people(tmp_path, content.replace(b",", b";")) == wanted


def test_columns_may_be_fewer_and_in_another_order(tmp_path: Path) -> None:
    assert people(tmp_path, b"Contact,NAME\na@b,Ana\n,Bea") == [("Ana", "a@b", ""), ("Bea", "", "")]


def test_a_comma_in_quotes_is_part_of_a_name(tmp_path: Path) -> None:
    assert people(tmp_path, b'name\n"Rossi, Ana"\n') == [("Rossi, Ana", "", "")]


def test_every_bad_row_is_named_by_its_line(tmp_path: Path) -> None:
    content = b"name,contact\nAna,x\n,y\nBea,z,more\nana,X\n" + b"C" * 101 + b",\nD\x07,\n"
    sentence = refusal_of(tmp_path, content)
    assert "line 3: no name" in sentence
    assert "line 4: 3 cells under 2 columns" in sentence
    assert "line 5: the same person as in line 2" in sentence
    assert "line 6: the name has more than 100 characters" in sentence
    assert "line 7: the name 'D\ufffd' has characters that cannot be printed" in sentence
    assert "line 2:" not in sentence


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "the header is name,contact,alias"),
        (b"Ana\nBea\n", "the header is name,contact,alias"),
        (b"name,age\nAna,7\n", "the header is name,contact,alias"),
        (b"name\n\n", "names nobody"),
        ("name\nZoë\n".encode("latin-1"), "no UTF-8"),
        (b'name\n"Ana\n', "line 2"),
    ],
)
def test_a_file_that_is_none_of_people(tmp_path: Path, content: bytes, told: str) -> None:
    assert told in refusal_of(tmp_path, content)


def test_scores_give_places_and_equal_ones_share() -> None:
    assert places_of((61, 58, 58, 12)) == (1, 2, 2, 4)
    assert places_of((0, -3, 5)) == (2, 3, 1)
    table = a_round().tables[0]
    assert seated_at(table, "10,30,20", "") == (Seated(3, 3, 10), Seated(1, 1, 30), Seated(4, 2, 20))


def test_places_alone_keep_the_scores_that_stand() -> None:
    table = a_round().tables[0]
    assert seated_at(table, "", "1,3,2") == (Seated(3, 1, 61), Seated(1, 3, -4), Seated(4, 2, -4))
    assert seated_at(table, "9,9,9", "1,2,3") == (Seated(3, 1, 9), Seated(1, 2, 9), Seated(4, 3, 9))


def test_a_result_names_those_who_came() -> None:
    table = a_round().tables[0]
    with pytest.raises(Refusal, match=r"Table 7 has 3 who came, in seat order: Zoe \(3\), .*, ana \(4\)\."):
        seated_at(table, "1,2,3,4", "")
    with pytest.raises(Refusal, match="Say the scores"):
        seated_at(table, "", "")


@pytest.mark.parametrize("text", ["", "1,", "a", "1;2", "1.5", "1e3", "12345678901"])
def test_scores_are_integers(text: str) -> None:
    with pytest.raises(Refusal, match="Scores are integers"):
        scores_in(text)


def test_entrants_and_pairs() -> None:
    assert entries_in("3,1,2") == (3, 1, 2)
    assert pair_in("3:9") == (3, 9)
    for text in ("3", "3:", ":9", "a:b", "3:9:1", "-3:9"):
        with pytest.raises(Refusal, match="written 3:9"):
            pair_in(text)
    for text in ("0", "1,,2", "x"):
        with pytest.raises(Refusal, match="numbers with commas"):
            entries_in(text)


def test_who_asks() -> None:
    assert actor_of("ana") == "organiser:ana"
    assert actor_of("player:7") == "player:7"
    assert actor_of("player:07") == "organiser:player:07", "a player's name is canonical"


def test_suppositions() -> None:
    supposed = supposed_result("table=7:61,-4", 2)
    assert (supposed.round, supposed.table, list(supposed.scores)) == (2, 7, [61, -4])
    assert supposed_config(["scoring.best_of=3", "scoring.scheme=commander", "rated=false"]) == {
        "scoring": {"best_of": 3, "scheme": "commander"},
        "rated": False,
    }
    for text in ("table=7", "7:61", "table=x:1", "round=7:1"):
        with pytest.raises(Refusal, match="supposed result is"):
            supposed_result(text, 0)
    for parts in (["a"], [".b=1"], ["a.=1"], ["a=1", "a.b=2"]):
        with pytest.raises(Refusal):
            supposed_config(parts)


def test_a_rating_has_two_decimals() -> None:
    assert [thousandths(value) for value in (25_012, -8_337, 4, -4, 999)] == ["25.01", "-8.34", "0.00", "0.00", "1.00"]


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        (["pair", "ev", "--swap", "3-9"], "bad_entries"),
        (["pair", "ev", "--swap", "3:9", "--discard"], "bad_option"),
        (["extend", "ev", "10"], "bad_duration"),
        (["check-in", "ev"], "bad_entries"),
        (["register", "ev"], "bad_people"),
        (["what-if", "ev"], "bad_option"),
        (["erase", "p1"], "bad_option"),
        (["export", "ev", "--dir", "x", "--separator", "|"], "bad_option"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_the_house_is_asked(typed: list[str], code: str) -> None:
    says_no(here("tournament", *typed, "--server", "127.0.0.1:1"), code)
