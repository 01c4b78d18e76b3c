"""What a command did, as a sentence for people: in the log of an organiser and on the page of an event.

Why it was done is not in it: that is the ``reason`` of the command, in the words of whoever gave it.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from engine.tournament import commands as c
from engine.tournament.exact import exact_of, shown
from engine.tournament.played import Entry

Who: TypeAlias = Callable[[Entry], str]
"""What an entrant is called in the middle of a sentence."""

NAMED_MAX = 6
"""People or tables in one sentence; of more it tells how many there are."""


def by_number(entry: Entry) -> str:
    """Where names are not known, or not wanted."""
    return f"entrant {entry}"


def reason_of(command: c.Command) -> str:
    """Why, in the words of whoever asked for it; empty if they gave none."""
    return str(getattr(command, "reason", ""))


def speaks_of_draft(command: c.Command) -> bool:
    """Whether its fields or its reason may tell something of the pods of a draft."""
    return isinstance(command, c.DraftRound | c.SwapInDraft | c.Comment)


def sentence_of(command: c.Command, who: Who = by_number, *, hidden: bool = False) -> str:
    """``Ana (7) was dropped.``; with ``hidden`` nothing of what is in a draft."""
    text = _told(command, who, hidden=hidden)
    return f"{text[:1].upper()}{text[1:]}."


def _told(command: c.Command, who: Who, *, hidden: bool) -> str:
    match command:
        case c.Register(players, ranked):
            what = "entrant" if ranked else "substitute"
            return f"{_count(len(players), what)} registered"
        case c.CheckIn(entries):
            return f"{_people(entries, who)} checked in" if entries else "everybody checked in"
        case c.CheckOut(entries):
            return f"{_people(entries, who)} checked out"
        case c.Admit(entry):
            return f"{who(entry)} moved up from the waiting list"
        case c.Withdraw(entry):
            return f"{who(entry)} withdrew"
        case c.Drop(entry):
            return f"{who(entry)} dropped out"
        case c.Return(entry):
            return f"{who(entry)} returned"
        case c.DeclinePlace(entry):
            return f"{who(entry)} declined the place that the cut gave"
        case c.SetSeeds(order):
            return f"seeds were set: {_people(order, who)}"
        case c.KeepApart(entries, points, first, last):
            rounds = f" in rounds {first} to {last}" if last else f" from round {first}" if first > 1 else ""
            worth = f", worth {_count(points, 'point')} of spread" if points else ""
            return f"{_people(entries, who)} are kept apart{rounds}{worth}"
        case c.LetMeet(entries):
            return f"{_people(entries, who)} may meet"
        case c.FixTable(entry, table):
            return f"{who(entry)} always has table {table}" if table else f"{who(entry)} may have any table"
        case c.EnterHeats(entry, heats):
            return f"{who(entry)} plays {_numbers('heat', heats)}"
        case c.Penalise():
            return _penalty(command, who)
        case c.RevokePenalty(number):
            return f"penalty {number} was taken back"
        case c.SwapInDraft(entries):
            return f"{'two' if hidden else _people(entries, who)} changed places in the draft"
        case c.Substitute(number, table, entry, by):
            return f"{who(by)} took the seat of {who(entry)} at {_at(number, table)}"
        case c.MarkNoShow(number, table, entry):
            return f"{who(entry)} did not come to {_at(number, table)}"
        case c.NameSurvivors(number, table, entries):
            return f"{_people(entries, who)} go on from {_at(number, table)}"
        case c.MakeCut(tied):
            return f"the cut was made{f', the tied in this order: {_people(tied, who)}' if tied else ''}"
        case _:
            return _told_of_rounds(command)


def _told_of_rounds(command: c.Command) -> str:
    """The sentences in which nobody is named."""
    match command:
        case c.ReportResult(number, table) | c.CorrectResult(number, table) | c.Adjudicate(number, table):
            return f"the result of {_at(number, table)} was {_RESULTS[type(command)]}"
        case c.ConfirmResult(number, table):
            return f"the result of {_at(number, table)} was confirmed"
        case c.Dispute(number, table):
            return f"the result of {_at(number, table)} was disputed"
        case c.VoidTable(number, table, replay, points):
            then = "is played again" if replay else f"counts {_award(points)} for each"
            return f"{_at(number, table)} was declared void and {then}"
        case c.TellOpened(number, tables):
            return f"{_numbers('table', tables)} of round {number} {'was' if len(tables) == 1 else 'were'} opened"
        case c.CallTime(number, tables):
            return f"time was called in round {number} at {_numbers('table', tables)}"
        case c.ExtendClock(ms, table):
            return f"{f'table {table}' if table else 'the round'} got {_span(ms)} more"
        case c.Create(_, config):
            return f"{config.name} was created"
        case _:
            return _PLAIN[type(command)]


_RESULTS = {c.ReportResult: "reported", c.CorrectResult: "corrected", c.Adjudicate: "made by a referee"}

_PLAIN: dict[type[c.Command], str] = {
    c.Configure: "the configuration was changed",
    c.OpenRegistration: "registration was opened",
    c.CloseRegistration: "registration was closed",
    c.OpenCheckIn: "check-in was opened",
    c.CloseCheckIn: "check-in was closed",
    c.DraftRound: "the next round was drafted",
    c.DiscardDraft: "the draft was thrown away",
    c.PublishRound: "the drafted round was published",
    c.StartRound: "the round was started",
    c.CancelRound: "the newest round was cancelled",
    c.PauseClock: "the clock of the round was paused",
    c.ResumeClock: "the clock of the round went on",
    c.RevokeCut: "the cut was taken back",
    c.SeatArena: "tables of the arena were seated",
    c.CloseArena: "the arena was closed",
    c.Finish: "the event was finished",
    c.Reopen: "the event was opened again",
    c.Comment: "a comment was made",
}


def _penalty(command: c.Penalise, who: Who) -> str:
    name = who(command.entry)
    match command.kind:
        case "points":
            return f"{name} lost points: {shown(exact_of(command.points))}"
        case "table_loss":
            return f"{name} was put last at their table"
        case "disqualification":
            return f"{name} was disqualified"
        case _:
            return f"{name} was warned"


def _at(number: int, table: int) -> str:
    return f"table {table} of round {number}"


def _people(entries: Sequence[Entry], who: Who) -> str:
    return _listed([who(entry) for entry in entries[: NAMED_MAX + 1]], len(entries), "other")


def _numbers(what: str, numbers: Sequence[int]) -> str:
    if len(numbers) > NAMED_MAX + 1:
        return _count(len(numbers), what)
    return f"{what}{'' if len(numbers) == 1 else 's'} {_listed([str(each) for each in numbers], len(numbers), what)}"


def _listed(names: list[str], count: int, what: str) -> str:
    """``Ana, Bo and 5 others``; one more than the limit is told by name as well, since "1 other" is no shorter."""
    if count > NAMED_MAX + 1:
        names = [*names[:NAMED_MAX], _count(count - NAMED_MAX, what)]
    return " and ".join((", ".join(names[:-1]), names[-1])) if len(names) > 1 else "".join(names)


def _count(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _award(text: str) -> str:
    words = {"win": "as a win", "average": "what a seat gets on average", "half": "half a win"}
    return words.get(text) or f"{shown(exact_of(text))} points"


def _span(ms: int) -> str:
    minutes, rest = divmod(ms // 1000, 60)
    return f"{_count(minutes, 'minute')}{f' {rest} s' if rest else ''}" if minutes else f"{rest} s"
