"""The decider of an event: who may ask for what, and what it makes happen.

One call of ``decide`` makes all events of one commit. Actors are ``organiser:<who>``, who may do everything an
organiser does; ``player:<entry>``, who may check in and out, drop, and dispute a result of their own table; and
``house``, which tells what follows from matches and clocks.
"""

from typing import assert_never

import msgspec

from engine.kernel.codec import Recorded, Undecodable
from engine.kernel.commit import HOUSE
from engine.kernel.match import Request
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import clip
from engine.tournament import commands as c
from engine.tournament import events as e
from engine.tournament import people, rounds, tables
from engine.tournament.actors import ORGANISER, PLAYER
from engine.tournament.config import config_from
from engine.tournament.configuring import configure
from engine.tournament.limits import REASON_LENGTH_MAX
from engine.tournament.played import Entry
from engine.tournament.state import Phase, Tournament

RULES = "tournament/1"

_HOUSES_OWN = (c.CallTime, c.TellOpened, c.SeatArena)
_PLAYERS_TOO = (c.CheckIn, c.CheckOut, c.Drop, c.Dispute, c.EnterHeats)
_AFTER_THE_END = (c.Reopen, c.Comment, c.CorrectResult, c.Penalise, c.RevokePenalty)
"""What may still be said of a finished event; corrections reopen it."""
_BEHIND_A_DRAFT = (
    c.Configure,
    c.Register,
    c.Admit,
    c.Withdraw,
    c.SetSeeds,
    c.CheckIn,
    c.CheckOut,
    c.KeepApart,
    c.LetMeet,
    c.FixTable,
    c.EnterHeats,
    c.Drop,
    c.Return,
    c.Penalise,
    c.RevokePenalty,
    c.CorrectResult,
    c.Adjudicate,
    c.VoidTable,
    c.NameSurvivors,
    c.DeclinePlace,
    c.RevokeCut,
)
"""What a draft was made from: who takes part, what they wish, what they have. When it changes, the draft is thrown
away in the same commit, so that none is published which the log would not make again.
"""


def decide(state: Tournament | None, request: Request, command: c.Command) -> tuple[e.Event, ...]:
    """The events of one commit. Raises ``Refusal``; nothing has changed then."""
    reason = getattr(command, "reason", "")
    if len(reason) > REASON_LENGTH_MAX or not reason.isprintable():
        raise Refusal(
            "bad_reason", f"A reason is printable text of at most {REASON_LENGTH_MAX} characters.", Kind.INVALID
        )
    if isinstance(command, c.Create):
        return _create(state, request, command)
    if state is None:
        raise Refusal("unknown_tournament", "There is no such tournament.", Kind.MISSING)
    _check_actor(state, request.actor, command)
    if state.phase is Phase.FINISHED and not isinstance(command, _AFTER_THE_END):
        raise Refusal("finished", "The event is finished; reopen it first.")
    decided = _decide(state, request, command)
    if state.phase is Phase.FINISHED and not isinstance(command, c.Reopen | c.Comment):
        return (e.Reopened(), *decided)
    if state.draft is not None and isinstance(command, _BEHIND_A_DRAFT) and any(map(_moves_a_draft, decided)):
        return (e.DraftDiscarded(), *decided)
    return decided


def _moves_a_draft(event: e.Event) -> bool:
    """Not what leaves everybody as they were: a second check-in, a warning."""
    return not isinstance(event, e.Commented) and not (isinstance(event, e.PenaltyGiven) and event.kind == "warning")


def _create(state: Tournament | None, request: Request, command: c.Create) -> tuple[e.Event, ...]:
    if not request.actor.startswith(ORGANISER):
        raise Refusal("not_yours_to_do", "Only an organiser may do this.", Kind.DENIED)
    if state is not None:
        raise Refusal("tournament_exists", "A tournament with this id has been created already.", Kind.EXISTS)
    if len(command.commitment) != 64 or set(command.commitment) - set("0123456789abcdef"):
        raise Refusal("bad_commitment", "The commitment is not 64 hex digits.", Kind.INVALID)
    return (e.Created(command.id, config_from(msgspec.to_builtins(command.config)), command.commitment),)


def _decide(state: Tournament, request: Request, command: c.Command) -> tuple[e.Event, ...]:
    """Everything but the creation."""
    match command:
        case c.Configure():
            return configure(state, command)
        case c.OpenRegistration():
            if state.phase not in (Phase.CREATED, Phase.READY):
                raise Refusal("has_begun", "The registration is open, or a round has been published.")
            return (e.RegistrationOpened(),)
        case c.CloseRegistration():
            if state.phase is not Phase.REGISTRATION:
                raise Refusal("registration_closed", "The registration is not open.")
            return (e.RegistrationClosed(),)
        case c.OpenCheckIn() | c.CloseCheckIn():
            return _check_in_window(state, command)
        case c.Register():
            return people.register(state, command)
        case c.Admit():
            return people.admit(state, command)
        case c.Withdraw():
            return people.withdraw(state, command)
        case c.CheckIn():
            return people.check_in(state, command)
        case c.CheckOut():
            return people.check_out(state, command)
        case c.SetSeeds():
            return people.set_seeds(state, command)
        case c.KeepApart():
            return people.keep_apart(state, command)
        case c.LetMeet():
            return people.let_meet(state, command)
        case c.FixTable():
            return people.fix_table(state, command)
        case c.EnterHeats():
            return people.enter_heats(state, command)
        case c.Drop():
            return people.drop(state, command)
        case c.Return():
            return people.come_back(state, command)
        case c.Penalise():
            return people.penalise(state, command)
        case c.RevokePenalty():
            return people.revoke(state, command)
        case c.DraftRound():
            return rounds.draft(state, command)
        case c.SwapInDraft():
            return rounds.swap(state, command)
        case c.DiscardDraft():
            return rounds.discard(state)
        case c.PublishRound():
            return rounds.publish(state)
        case c.StartRound():
            return rounds.start(state, request.at)
        case c.CancelRound():
            return rounds.cancel(state)
        case c.PauseClock():
            return rounds.pause(state, request.at)
        case c.ResumeClock():
            return rounds.resume(state, request.at)
        case c.ExtendClock():
            return rounds.extend(state, command)
        case c.CallTime():
            return rounds.call_time(state, command, request.at)
        case c.MakeCut():
            return rounds.make_cut(state, command)
        case c.RevokeCut():
            return rounds.revoke_cut(state)
        case c.DeclinePlace():
            return rounds.decline(state, command.entry)
        case c.Finish():
            return rounds.finish(state)
        case c.Reopen():
            return rounds.reopen(state)
        case c.Comment():
            return (e.Commented(),)
        case c.TellOpened():
            return tables.tell_opened(state, command, request.at)
        case c.ReportResult():
            return tables.report(state, command, request.at)
        case c.CorrectResult():
            return tables.correct(state, command)
        case c.Adjudicate():
            return tables.adjudicate(state, command)
        case c.VoidTable():
            return tables.void(state, command)
        case c.Dispute():
            return tables.dispute(state, command)
        case c.ConfirmResult():
            return tables.confirm(state, command)
        case c.NameSurvivors():
            return tables.name_survivors(state, command)
        case c.MarkNoShow():
            return tables.mark_no_show(state, command)
        case c.Substitute():
            return tables.substitute(state, command)
        case c.SeatArena():
            return tables.seat_arena(state, command, request.at)
        case c.CloseArena():
            return tables.close_arena(state, request.at, early=request.actor != HOUSE)
        case c.Create():
            raise AssertionError("decided above")
        case _:
            assert_never(command)


def _check_in_window(state: Tournament, command: c.OpenCheckIn | c.CloseCheckIn) -> tuple[e.Event, ...]:
    opens = isinstance(command, c.OpenCheckIn)
    if opens == state.check_in_open:
        raise Refusal("check_in_open" if opens else "check_in_closed", "The check-in is so already.")
    return (e.CheckInOpened() if opens else e.CheckInClosed(),)


# -- who may -----------------------------------------------------------------------------------------------------------


def _check_actor(state: Tournament, actor: str, command: c.Command) -> None:
    if actor.startswith(ORGANISER):
        allowed = not isinstance(command, _HOUSES_OWN)
    elif actor == HOUSE:
        allowed = isinstance(command, (*_HOUSES_OWN, c.ReportResult, c.CloseArena, c.MarkNoShow))
    else:
        entry = _player_entry(actor)
        allowed = isinstance(command, _PLAYERS_TOO) and _is_own(state, entry, command)
    if not allowed:
        raise Refusal("not_yours_to_do", f"{clip(actor)} may not ask for {command.name}.", Kind.DENIED)


def _player_entry(actor: str) -> Entry:
    digits = actor.removeprefix(PLAYER)
    canonical = actor.startswith(PLAYER) and digits.isascii() and digits.isdigit() and str(int(digits)) == digits
    return int(digits) if canonical else 0


def _is_own(state: Tournament, entry: Entry, command: c.Command) -> bool:
    match command:
        case c.CheckIn(entries) | c.CheckOut(entries):
            return entries == (entry,)
        case c.Drop(other) | c.EnterHeats(other):
            return other == entry
        case c.Dispute(number, table):
            if not 1 <= number <= len(state.rounds):
                return False
            place = state.rounds[number - 1].place_of(table)
            return place >= 0 and entry in state.rounds[number - 1].tables[place].entries
        case _:
            return False


# -- stored forms ------------------------------------------------------------------------------------------------------


def command_of(recorded: Recorded) -> c.Command:
    """Raises ``Refusal`` for what is no command of an event."""
    try:
        return c.COMMANDS.decode(recorded)
    except Undecodable as error:
        raise Refusal("malformed_command", f"Not a command of a tournament: {error}.", Kind.INVALID) from error
