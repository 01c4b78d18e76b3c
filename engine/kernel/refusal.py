"""A refusal is the caller's to mend: it has a code for programs and a sentence for people.

It is expected, it changes nothing, and it is never logged as an error. What the world does wrong is ``ports.Conflict``
or ``ports.Unavailable``; what we do wrong is an assertion.
"""

from enum import Enum


class Kind(Enum):
    """What sort of mending a refusal asks for; the edges map it to their own status codes."""

    INVALID = "invalid"
    """The request itself is malformed, or over a limit."""
    ILLEGAL = "illegal"
    """Well formed, but not allowed now: by the rules or by the state of the match."""
    MISSING = "missing"
    """It speaks of something that does not exist."""
    DENIED = "denied"
    """It exists, but it is not yours to see or to do."""
    UNAUTHENTICATED = "unauthenticated"
    """Who asks has not said who they are, or not so that it counts."""
    STALE = "stale"
    """Decided on an older revision than the current one."""
    EXISTS = "exists"
    """What was to be made is there already, and is not the same."""


class Refusal(Exception):
    """``code`` is a stable literal (``not_your_turn``); ``sentence`` is one English sentence without secrets."""

    def __init__(self, code: str, sentence: str, kind: Kind = Kind.ILLEGAL) -> None:
        super().__init__(f"{code}: {sentence}")
        self.code = code
        self.sentence = sentence
        self.kind = kind
