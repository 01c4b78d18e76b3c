"""What clients write as JSON, read with limits: commands and options."""

import json
from typing import Any

import msgspec

from engine.kernel.codec import Recorded
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Value

LETTER_BYTES_MAX = 4
"""Of UTF-8."""


class _Said(Value, frozen=True):
    """A command that is written as it should be."""

    type: str
    v: int = 1
    data: msgspec.Raw = msgspec.Raw(b"{}")


_said = msgspec.json.Decoder(_Said)


def command_of(text: str, limit: int) -> Recorded:
    """A command as a client writes it, of at most ``limit`` bytes; ``v`` may be left out and is 1 then.

    Raises ``Refusal`` (``command_too_large``, ``malformed_command``).
    """
    if len(text) <= limit // LETTER_BYTES_MAX:
        try:
            said = _said.decode(text)
            return Recorded(said.type, said.v, said.data)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            pass  # what is wrong with it is said below
    fields = {"v": 1, "data": {}} | json_object("command", text, limit)
    try:
        return msgspec.json.decode(json.dumps(fields).encode(), type=Recorded)
    except (msgspec.MsgspecError, ValueError) as error:
        raise Refusal("malformed_command", f"A command is {{type, v, data}}: {error}.", Kind.INVALID) from error


def json_object(what: str, text: str, limit: int) -> dict[str, Any]:
    """``what`` names the field in the sentences, ``limit`` is in bytes. Raises ``Refusal``."""
    if len(text.encode()) > limit:
        raise Refusal(f"{what}_too_large", f"The {what} may have {limit} bytes of JSON at most.", Kind.INVALID)
    try:
        value = msgspec.json.decode(text or "{}")
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise Refusal(f"malformed_{what}", f"The {what} is no JSON: {error}.", Kind.INVALID) from error
    if not isinstance(value, dict):
        raise Refusal(f"malformed_{what}", f"The {what} is no JSON object.", Kind.INVALID)
    return value
