"""What a command did, in a sentence: every command has one, and what is hidden of a draft is not in it."""

from typing import Any

import msgspec
import pytest

from engine.tournament import commands as c
from engine.tournament.commands import COMMANDS, Command
from engine.tournament.wording import NAMED_MAX, reason_of, sentence_of, speaks_of_draft
from tests.kit.tournaments import event, swiss

NAMES = {1: "Ana (1)", 2: "Bo (2)", 3: "Cy (3)"}

TOLD: tuple[tuple[Command, str], ...] = (
    (c.Register(("p1", "p2")), "2 entrants registered."),
    (c.Register(("p1",), ranked=False), "1 substitute registered."),
    (c.CheckIn((1,)), "Ana (1) checked in."),
    (c.CheckIn(), "Everybody checked in."),
    (c.CheckOut((1, 2)), "Ana (1) and Bo (2) checked out."),
    (c.Admit(1), "Ana (1) moved up from the waiting list."),
    (c.Withdraw(1), "Ana (1) withdrew."),
    (c.Drop(1), "Ana (1) dropped out."),
    (c.Return(1), "Ana (1) returned."),
    (c.DeclinePlace(1), "Ana (1) declined the place that the cut gave."),
    (c.SetSeeds((3, 1, 2)), "Seeds were set: Cy (3), Ana (1) and Bo (2)."),
    (c.KeepApart((1, 2)), "Ana (1) and Bo (2) are kept apart."),
    (c.KeepApart((1, 2), 5, 1, 2), "Ana (1) and Bo (2) are kept apart in rounds 1 to 2, worth 5 points of spread."),
    (c.LetMeet((1, 2)), "Ana (1) and Bo (2) may meet."),
    (c.FixTable(1, 4), "Ana (1) always has table 4."),
    (c.FixTable(1, 0), "Ana (1) may have any table."),
    (c.EnterHeats(1, (1, 3)), "Ana (1) plays heats 1 and 3."),
    (c.Penalise(1, "points", "3/2"), "Ana (1) lost points: 1.5."),
    (c.Penalise(1, "warning"), "Ana (1) was warned."),
    (c.Penalise(1, "table_loss"), "Ana (1) was put last at their table."),
    (c.Penalise(1, "disqualification"), "Ana (1) was disqualified."),
    (c.RevokePenalty(2), "Penalty 2 was taken back."),
    (c.SwapInDraft((1, 2)), "Ana (1) and Bo (2) changed places in the draft."),
    (c.Substitute(1, 7, 1, 3), "Cy (3) took the seat of Ana (1) at table 7 of round 1."),
    (c.MarkNoShow(1, 7, 1), "Ana (1) did not come to table 7 of round 1."),
    (c.NameSurvivors(1, 7, (1, 2)), "Ana (1) and Bo (2) go on from table 7 of round 1."),
    (c.MakeCut(), "The cut was made."),
    (c.MakeCut((2, 1)), "The cut was made, the tied in this order: Bo (2) and Ana (1)."),
    (c.ReportResult(1, 7, ()), "The result of table 7 of round 1 was reported."),
    (c.CorrectResult(1, 7, ()), "The result of table 7 of round 1 was corrected."),
    (c.Adjudicate(1, 7, ()), "The result of table 7 of round 1 was made by a referee."),
    (c.ConfirmResult(1, 7), "The result of table 7 of round 1 was confirmed."),
    (c.Dispute(1, 7), "The result of table 7 of round 1 was disputed."),
    (c.VoidTable(1, 7), "Table 7 of round 1 was declared void and is played again."),
    (
        c.VoidTable(1, 7, replay=False, points="half"),
        "Table 7 of round 1 was declared void and counts half a win for each.",
    ),
    (
        c.VoidTable(1, 7, replay=False, points="5/2"),
        "Table 7 of round 1 was declared void and counts 2.5 points for each.",
    ),
    (c.TellOpened(1, (4,)), "Table 4 of round 1 was opened."),
    (c.TellOpened(1, tuple(range(1, 30))), "29 tables of round 1 were opened."),
    (c.CallTime(1, (4, 5)), "Time was called in round 1 at tables 4 and 5."),
    (c.ExtendClock(600_000), "The round got 10 minutes more."),
    (c.ExtendClock(90_000, 7), "Table 7 got 1 minute 30 s more."),
    (c.Create("cup", event(swiss()), "00"), "Cup was created."),
    (c.Configure(event(swiss())), "The configuration was changed."),
    (c.SeatArena(1), "Tables of the arena were seated."),
    (c.DraftRound("5e" * 32), "The next round was drafted."),
    (c.Comment("hello"), "A comment was made."),
)


@pytest.mark.parametrize(("command", "sentence"), TOLD, ids=lambda each: type(each).__name__)
def test_a_sentence_says_what_was_done(command: Command, sentence: str) -> None:
    assert sentence_of(command, NAMES.__getitem__) == sentence


def test_without_names_people_are_numbers() -> None:
    assert sentence_of(c.Drop(7)) == "Entrant 7 dropped out."


def test_every_command_has_a_sentence() -> None:
    told: dict[type[Any], str] = {type(command): sentence_of(command) for command, _ in TOLD}
    for kind in COMMANDS.types.values():
        sentence = told.get(kind) or sentence_of(msgspec.json.decode(b"{}", type=kind))
        assert sentence[0].isupper() or sentence[0].isdigit()
        assert sentence.endswith(".")


def test_of_many_people_the_first_are_named() -> None:
    entries = tuple(range(1, 21))
    named = ", ".join(f"entrant {entry}" for entry in range(2, NAMED_MAX + 1))
    assert sentence_of(c.CheckIn(entries)) == f"Entrant 1, {named} and 14 others checked in."
    assert "others" not in sentence_of(c.CheckIn(entries[: NAMED_MAX + 1]))


def test_what_is_hidden_of_a_draft_names_nobody() -> None:
    swap = c.SwapInDraft((1, 2), "so that they do not meet")
    assert sentence_of(swap, NAMES.__getitem__, hidden=True) == "Two changed places in the draft."
    assert [kind for kind in COMMANDS.types.values() if "Draft" in kind.__name__ and kind is not c.DiscardDraft] == [
        c.DraftRound,
        c.SwapInDraft,
    ]
    assert speaks_of_draft(swap)
    assert speaks_of_draft(c.DraftRound("00"))
    assert speaks_of_draft(c.Comment("Ana sits with Bo"))
    assert not speaks_of_draft(c.Drop(1))
    assert reason_of(swap) == "so that they do not meet"
