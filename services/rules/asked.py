"""What is asked of a host, as far as it can be refused without a look at the match, and what is answered."""

import msgspec

from engine.kernel.codec import Recorded
from engine.kernel.commit import actor_seat
from engine.kernel.history import AnyHistory
from engine.kernel.limits import COMMAND_BYTES_MAX
from engine.kernel.official import COMMANDS, DIRECTING, Leave
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Revision, clip
from services.kit.written import command_of

OPENING_ID = "open"
"""The command id of every opening: the match id makes it unique."""

CONFLICTS_MAX = 32
"""Times one request is decided again because others were first."""


class Receipt(msgspec.Struct, frozen=True):
    """A command is a fact: the revision of its commit, and whether it had been one before this request."""

    revision: Revision
    duplicate: bool


def of_seat(command_json: str) -> Recorded:
    """A command that a seat may ask for. Raises ``Refusal``."""
    command = command_of(command_json, COMMAND_BYTES_MAX)
    if command.type in COMMANDS.types and command.type != Leave.name:
        raise Refusal("not_yours_to_do", f"A seat cannot ask for {command.type}.", Kind.DENIED)
    return command


def of_director(command_json: str) -> Recorded:
    """A command that a director may ask for. Raises ``Refusal``."""
    command = command_of(command_json, COMMAND_BYTES_MAX)
    if command.type not in DIRECTING:
        raise Refusal("not_yours_to_do", f"A director cannot ask for {clip(command.type)}.", Kind.DENIED)
    return command


def check_seat(history: AnyHistory, actor: str) -> None:
    """Nobody is told where a match stands for speaking as a seat that it does not have. Raises ``Refusal``."""
    seat = actor_seat(actor)
    if seat is not None and history.revision and seat >= history.state.opened.seats:
        raise Refusal("unknown_seat", f"This match has no seat {seat}.", Kind.INVALID)
