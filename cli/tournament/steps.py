"""Commands that say all there is to say with an event, a person or a table: one way to make them, three shapes."""

from collections.abc import Callable
from typing import TypeAlias

from cli.output import DEFAULT_SERVER, Json, Server
from cli.tournament.asking import (
    DEFAULT_BY,
    By,
    CommandId,
    EntryNumber,
    Event,
    Reason,
    RoundNumber,
    TableNumber,
    carry_out,
)
from engine.tournament import commands as c

Run: TypeAlias = Callable[..., None]


def of_event(command: Callable[[str], c.Command], help_text: str) -> Run:
    """``tavolata tournament start EVENT``; ``command`` makes it of the reason."""

    def run(
        event: Event,
        by: By = DEFAULT_BY,
        reason: Reason = "",
        command_id: CommandId = "",
        server: Server = DEFAULT_SERVER,
        as_json: Json = False,
    ) -> None:
        carry_out(event, command(reason), by, command_id, server, as_json=as_json)

    run.__doc__ = help_text
    return run


def of_entrant(command: Callable[[int, str], c.Command], help_text: str) -> Run:
    """``tavolata tournament drop EVENT ENTRY``; ``command`` makes it of the number and the reason."""

    def run(
        event: Event,
        entry: EntryNumber,
        by: By = DEFAULT_BY,
        reason: Reason = "",
        command_id: CommandId = "",
        server: Server = DEFAULT_SERVER,
        as_json: Json = False,
    ) -> None:
        carry_out(event, command(entry, reason), by, command_id, server, as_json=as_json)

    run.__doc__ = help_text
    return run


def of_table(command: Callable[[int, int, str], c.Command], help_text: str) -> Run:
    """``tavolata tournament dispute EVENT ROUND TABLE``; ``command`` makes it of the two numbers and the reason."""

    def run(
        event: Event,
        number: RoundNumber,
        table: TableNumber,
        by: By = DEFAULT_BY,
        reason: Reason = "",
        command_id: CommandId = "",
        server: Server = DEFAULT_SERVER,
        as_json: Json = False,
    ) -> None:
        carry_out(event, command(number, table, reason), by, command_id, server, as_json=as_json)

    run.__doc__ = help_text
    return run


OF_EVENT: dict[str, Run] = {
    "open": of_event(c.OpenRegistration, "Open the registration."),
    "close": of_event(c.CloseRegistration, "Close the registration: rounds can be drafted."),
    "open-check-in": of_event(c.OpenCheckIn, "Open the check-in."),
    "close-check-in": of_event(c.CloseCheckIn, "Close the check-in."),
    "publish": of_event(c.PublishRound, "Publish the draft: the round stands, matches open."),
    "start": of_event(c.StartRound, "Start the round and its clock."),
    "cancel": of_event(c.CancelRound, "Cancel the newest round: it will not have been."),
    "pause": of_event(c.PauseClock, "Pause the clock of the round."),
    "resume": of_event(c.ResumeClock, "Let the clock of the round go on."),
    "revoke-cut": of_event(c.RevokeCut, "Take the cut back, before a round of the new stage is published."),
    "close-arena": of_event(c.CloseArena, "End an arena early, once no table plays."),
    "finish": of_event(c.Finish, "Finish the event: the final order."),
    "reopen": of_event(c.Reopen, "Reopen a finished event."),
}
OF_ENTRANT: dict[str, Run] = {
    "admit": of_entrant(c.Admit, "From the waiting list, once there is a place."),
    "withdraw": of_entrant(c.Withdraw, "Before the first round: as if never entered."),
    "drop": of_entrant(c.Drop, "Pair somebody no more; what was played stays."),
    "return": of_entrant(c.Return, "Pair somebody again who had dropped."),
    "decline": of_entrant(
        lambda entry, why: c.DeclinePlace(entry, why), "Decline a place of the cut: the next moves up."
    ),
}
OF_TABLE: dict[str, Run] = {
    "dispute": of_table(c.Dispute, "Dispute a result."),
    "confirm": of_table(c.ConfirmResult, "Confirm a disputed result."),
}
