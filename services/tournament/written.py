"""Commands of an event as clients write them: JSON, read with limits."""

from typing import Final

import msgspec

from engine.kernel.codec import Recorded
from engine.kernel.refusal import Kind, Refusal
from engine.tournament.limits import ENTRIES_AT_ONCE

COMMAND_BYTES_MAX: Final = 64 * 1024
"""One command: the seeds of thousands fit, and a club that registers together."""

assert ENTRIES_AT_ONCE * 24 < COMMAND_BYTES_MAX  # an opaque player id with its quotes


class _Written(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``v`` may be left out and is 1 then."""

    type: str
    v: int = 1
    data: msgspec.Raw = msgspec.Raw(b"{}")


_decoder = msgspec.json.Decoder(_Written)


def command_of(text: str) -> Recorded:
    """Raises ``Refusal`` (``command_too_large``, ``malformed_command``)."""
    written = text.encode()
    if len(written) > COMMAND_BYTES_MAX:
        raise Refusal(
            "command_too_large", f"The command may have {COMMAND_BYTES_MAX} bytes of JSON at most.", Kind.INVALID
        )
    try:
        command = _decoder.decode(written)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise Refusal("malformed_command", f"A command is {{type, v, data}}: {error}.", Kind.INVALID) from error
    return Recorded(command.type, command.v, command.data)
