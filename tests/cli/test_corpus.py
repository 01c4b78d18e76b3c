"""Stored matches are the same in this build, migratable, different or unreadable; each sort is shown by one."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from cli.corpus_replay import Sort, sort_lines
from engine.kernel.codec import Codec
from engine.kernel.game import AnyGame
from tests.cli.here import here
from tests.kit.duel import CharmsDealt, CharmsShown, Duel, Picked, RoundRolled, SeatGone
from tests.kit.forgery import chained, with_swapped_outcome
from tests.kit.stored import match_lines
from tests.kit.table import play
from tests.kit.tournaments import Desk, event, swiss

OLD_PICK = re.compile(rb'("type":"duel.picked","v":1,"data":\{[^}]*)"bold"')


def duel_lines() -> list[bytes]:
    return list(play(Duel(), 2, {}, 1).lines)


def of_an_older_build(lines: list[bytes]) -> list[bytes]:
    """As they were stored when what is ``bold`` now was called ``double``."""
    old = [OLD_PICK.sub(rb'\1"double"', line) for line in lines]
    assert old != lines
    return chained(old)


def newer_build(monkeypatch: pytest.MonkeyPatch, **changed: object) -> AnyGame:
    """A build in which ``duel.picked`` has version 2, with an upcaster from 1 that may have a fault in it."""
    monkeypatch.setattr(Picked, "v", 2)

    def to_2(data: dict[str, Any]) -> dict[str, Any]:
        return {"bold" if key == "double" else key: value for key, value in data.items()} | changed

    class NewerDuel(Duel):
        events = Codec[Any](
            CharmsDealt, Picked, RoundRolled, CharmsShown, SeatGone, upcasters={("duel.picked", 1): to_2}
        )

    return NewerDuel()


def test_what_this_build_decides_again_byte_for_byte_is_the_same() -> None:
    lines = match_lines(1)
    assert sort_lines(lines).sort is Sort.SAME
    assert sort_lines(lines[:-7]).sort is Sort.SAME, "a match that was running is the same as far as it goes"
    assert sort_lines(Desk(event(swiss())).lines).sort is Sort.SAME


def test_what_an_upcaster_leads_to_the_same_events_is_migratable(monkeypatch: pytest.MonkeyPatch) -> None:
    old = of_an_older_build(duel_lines())
    newer = newer_build(monkeypatch)
    verdict = sort_lines(old, lambda rules: newer)
    assert verdict.sort is Sort.MIGRATABLE
    first = next(n for n, line in enumerate(old, 1) if b'"double"' in line)
    assert verdict.revision == first


def test_an_upcaster_that_leads_elsewhere_makes_it_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    old = of_an_older_build(duel_lines())
    newer = newer_build(monkeypatch, bold=False)
    verdict = sort_lines(old, lambda rules: newer)
    assert verdict.sort is Sort.DIFFERS
    assert "duel.picked: bold" in verdict.what


def test_without_an_upcaster_it_is_unreadable() -> None:
    old = of_an_older_build(duel_lines())
    duel = Duel()
    verdict = sort_lines(old, lambda rules: duel)
    assert verdict.sort is Sort.UNREADABLE
    assert verdict.revision == next(n for n, line in enumerate(old, 1) if b'"double"' in line)


def test_other_rules_make_it_differ_and_the_first_revision_is_named() -> None:
    lines = duel_lines()

    class Stricter(Duel):
        def decide(self, command: Any, state: Any, seat: int) -> tuple[Any, ...]:
            return tuple(
                Picked(made.seat, made.number, False) if isinstance(made, Picked) else made
                for made in super().decide(command, state, seat)
            )

    stricter = Stricter()
    verdict = sort_lines(lines, lambda rules: stricter)
    picked = re.compile(rb'"type":"duel.picked","v":1,"data":\{[^}]*true')
    bold = next(n for n, line in enumerate(lines, 1) if picked.search(line))
    assert (verdict.sort, verdict.revision) == (Sort.DIFFERS, bold)
    assert verdict.what == "The rules make another duel.picked: bold."


def test_luck_that_comes_out_otherwise_differs() -> None:
    verdict = sort_lines(with_swapped_outcome(match_lines(1)))
    assert verdict.sort is Sort.DIFFERS
    assert "seed gives another outcome" in verdict.what


@pytest.mark.parametrize(
    ("spoil", "revision"),
    [
        pytest.param(lambda lines: [*lines[:4], *lines[5:]], 5, id="a line is missing"),
        pytest.param(lambda lines: [lines[0], b"{}", *lines[2:]], 2, id="a line is no commit"),
        pytest.param(lambda lines: [b"", *lines[1:]], 1, id="the first line is none"),
        pytest.param(lambda lines: [each.replace(b"just4fun/1", b"just4fun/9") for each in lines], 1, id="other rules"),
    ],
)
def test_what_cannot_be_replayed_is_unreadable(spoil: Any, revision: int) -> None:
    verdict = sort_lines(spoil(match_lines(1)))
    assert (verdict.sort, verdict.revision) == (Sort.UNREADABLE, revision)


def test_the_command_sorts_a_folder_and_fails_for_what_differs(tmp_path: Path) -> None:
    exports = tmp_path / "exports" / "old"
    exports.mkdir(parents=True)
    one, two = match_lines(1), match_lines(2)
    mixed = [line for pair in zip(one, two, strict=False) for line in pair]  # a stream has its matches mixed
    (tmp_path / "MATCHES_00.jsonl").write_bytes(b"".join(line + b"\n" for line in mixed))
    (exports / "m-3.jsonl").write_bytes(b"".join(line + b"\n" for line in match_lines(3)))
    ran = here("corpus", tmp_path, "--json")
    assert ran.document == {"same": 3, "migratable": 0, "differs": 0, "unreadable": 0, "others": []}

    forged = with_swapped_outcome(match_lines(4))
    (exports / "m-4.jsonl").write_bytes(b"".join(line + b"\n" for line in forged))
    (exports / "m-5.jsonl").write_bytes(b"not a line\n" + match_lines(5)[0] + b"\n")
    ran = here("corpus", tmp_path, "--json")
    report = json.loads(ran.out)
    assert ran.code == 1
    assert {key: value for key, value in report.items() if key != "others"} == {
        "same": 3, "migratable": 0, "differs": 1, "unreadable": 1,
    }  # fmt: skip
    assert [(Path(each["file"]).name, each["thing"], each["sort"]) for each in report["others"]] == [
        ("m-4.jsonl", "m-4", "differs"),
        ("m-5.jsonl", "m-5", "unreadable"),
    ]
    assert "just4fun/1" in here("corpus", tmp_path).out


def test_a_hostile_file_is_unreadable_and_says_nothing_to_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "deep.jsonl").write_bytes(b'{"match":"m","x":' + b"[" * 100_000 + b"\n")
    (tmp_path / "escapes.jsonl").write_bytes(b'{"match":"\\u001b]0;owned\\u0007m"}\n')
    ran = here("corpus", tmp_path)
    assert ran.code == 1
    assert ran.out.count("unreadable: ") == 2
    assert "\x1b" not in ran.out
    assert "\x07" not in ran.out


def test_an_empty_folder_is_no_corpus(tmp_path: Path) -> None:
    ran = here("corpus", tmp_path)
    assert (ran.code, ran.err.split(":")[0]) == (1, "no_corpus")
