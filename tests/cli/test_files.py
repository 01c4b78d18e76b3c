"""Exports as files: replayed and verified without a house, and the first bad line named."""

import json
import os
from pathlib import Path
from unittest.mock import patch

import pytest

from engine.kernel.catalogue import LANGUAGES
from engine.kernel.deal import Deal
from tests.cli.errors import says_no
from tests.cli.here import Client, here
from tests.kit.deals import deal_export
from tests.kit.given import SEED


def test_an_export_verifies_from_a_file_as_from_the_house(client: Client, export: Path) -> None:
    [from_file] = here("verify", export, "--json").documents
    [from_house] = client.ask("verify", "ended", "--json").documents
    assert from_file["holds"]
    assert from_house["holds"]
    assert from_file["root_hash"] == from_house["root_hash"]
    assert from_file["commits"] == len(export.read_bytes().splitlines())


def test_an_export_goes_to_stdout_byte_for_byte(client: Client, export: Path) -> None:
    assert client.ask("export", "ended").out.encode() == export.read_bytes()


def test_an_export_is_told_and_drawn_in_every_language(export: Path, tmp_path: Path) -> None:
    """The variable stands in for the option."""
    told = set()
    for language in LANGUAGES:
        ran = here("replay", export, "--language", language, "--svg", tmp_path / f"{language}.svg", "--json")
        told.add(str(ran.documents[0]["facts"][0]["words"]))
        assert f'lang="{language}"' in (tmp_path / f"{language}.svg").read_text("utf-8")
    assert len(told) == len(LANGUAGES)
    says_no(here("replay", export, "--language", "xx", "--json"), "unknown_language")
    with patch.dict(os.environ, TAVOLATA_LANGUAGE="it"):
        assert "La partita è aperta con 2 posti." in here("replay", export).out


def test_a_truncated_export_is_unfinished(export: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.jsonl"
    cut.write_bytes(b"".join(export.read_bytes().splitlines(keepends=True)[:-1]))
    sentence = says_no(here("verify", cut), "unfinished")
    assert f"line {len(cut.read_bytes().splitlines())}" in sentence


def test_an_export_cut_within_a_line_names_that_line(export: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.jsonl"
    cut.write_bytes(export.read_bytes()[:-40])
    lines = len(cut.read_bytes().splitlines())
    assert f"line {lines}" in says_no(here("verify", cut), "not_a_commit")
    assert f"line {lines}" in says_no(here("replay", cut), "bad_line")


@pytest.mark.parametrize("number", [1, 7, 12])
def test_an_edited_export_names_the_edited_line(number: int, export: Path, tmp_path: Path) -> None:
    lines = export.read_bytes().splitlines(keepends=True)
    commit = json.loads(lines[number - 1])
    commit["at"] = commit["at"][:-2] + ("1Z" if commit["at"][-2] == "0" else "0Z")
    lines[number - 1] = json.dumps(commit, separators=(",", ":")).encode() + b"\n"
    edited = tmp_path / "edited.jsonl"
    edited.write_bytes(b"".join(lines))
    ran = here("verify", edited, "--json")
    assert ran.code == 1
    [report] = [json.loads(line) for line in ran.out.splitlines()]
    assert not report["holds"]
    assert report["line"] == number
    assert f"line {number + 1}" in says_no(here("replay", edited), "bad_line"), "the next line does not follow it"


@pytest.mark.parametrize(("content", "code"), [(b"", "empty"), (b"hello\n", "not_a_commit"), (b"\n", "not_a_commit")])
def test_what_is_no_export_is_said_to_be_none(content: bytes, code: str, tmp_path: Path) -> None:
    file = tmp_path / "file.jsonl"
    file.write_bytes(content)
    says_no(here("verify", file), code)
    assert here("replay", file).code == 1


def test_one_bad_export_among_good_ones_fails_the_whole(export: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_bytes(export.read_bytes()[:-40])
    ran = here("verify", export, bad, "--json")
    assert ran.code == 1
    assert [json.loads(line)["holds"] for line in ran.out.splitlines()] == [True, False]


def test_exports_of_one_deal_are_compared(tmp_path: Path) -> None:
    deal = Deal("g", 3)
    tables = []
    for name, seed in (("g-t1", SEED), ("g-t3", SEED), ("g-t2", bytes(32))):
        tables.append(tmp_path / f"{name}.jsonl")
        tables[-1].write_bytes(b"".join(line + b"\n" for line in deal_export(name, deal, seed)))
    same = here("verify", *tables[:2])
    assert same.code == 0
    assert "2 of 3 tables of g met the same cards" in same.out
    assert here("verify", *tables[:2], "--json").documents[-1] == {
        "deal": "g/3",
        "holds": True,
        "matches": ["g-t1", "g-t3"],
    }
    different = here("verify", *tables)
    assert different.code == 1
    assert different.err == "other_cards: 3 of 3 tables of g did not all meet the same cards.\n"
    told = here("verify", *tables, "--json")
    assert told.code == 1
    assert json.loads(told.out.splitlines()[-1])["holds"] is False


def test_a_replay_from_a_file_equals_one_from_the_house(client: Client, export: Path, tmp_path: Path) -> None:
    for viewer in ("spectator", "seat:1", "referee"):
        picture = tmp_path / "board.svg"
        from_file = here("replay", export, "--at", 20, "--as", viewer, "--svg", picture, "--json").document
        svg = picture.read_text()
        from_house = client.ask("replay", "ended", "--at", 20, "--as", viewer, "--svg", picture, "--json").document
        assert from_file == from_house
        assert picture.read_text() == svg
        assert svg.startswith("<svg")
        assert [fact["revision"] for fact in from_file["facts"]] == list(range(1, 21))
        assert from_file["snapshot"]["revision"] == 20


def test_a_replay_shows_each_viewer_its_own_hand_only(export: Path) -> None:
    hands = here("replay", export, "--at", 4, "--as", "seat:1", "--json").document["snapshot"]["view"]["hands"]
    assert set(hands[0]) == {0}
    assert 0 not in hands[1]


def test_a_revision_that_the_file_does_not_have_is_refused(export: Path) -> None:
    says_no(here("replay", export, "--at", 9999), "no_such_revision")
