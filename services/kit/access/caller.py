"""Who calls: what came with a request, read when somebody needs to know, and not before.

A call that anybody may make is answered whatever it brings: a token that has expired keeps nobody from watching.
"""

import time
from contextvars import ContextVar
from typing import Final

from services.kit.access.grants import Grant
from services.kit.access.tokens import Now, Token, check, missing, read
from services.kit.access.trust import Trust


class Caller:
    """One call's. Without ``trust`` the house is open, and nobody is asked."""

    def __init__(self, text: str = "", trust: Trust | None = None, now: Now = time.time) -> None:
        self._text = text
        self._trust = trust
        self._now = now
        self._token: Token | None = None
        self.was_asked = False
        """Whether somebody has decided what this caller may do: an answer does not go out before."""

    @property
    def is_open(self) -> bool:
        return self._trust is None

    @property
    def token(self) -> Token | None:
        """The one that has been believed, if anybody had to know."""
        return self._token

    def grant(self) -> Grant:
        """What the caller may, as of now: it is looked at anew each time. Raises ``Refusal`` (UNAUTHENTICATED)."""
        if self._trust is None or not self._text:
            raise missing()
        if self._token is None:
            self._token = read(self._text, self._trust, self._now)
        else:
            check(self._token, self._trust, self._now)
        return self._token.grant

    def apart(self) -> "Caller":
        """The same caller, for one of many things that are asked on one call: what is found out of it is this one's."""
        return Caller(self._text, self._trust, self._now)

    def is_known(self) -> bool:
        """Whether it has said anything of who it is."""
        return bool(self._text)


OPEN: Final = Caller()

_CALLER: ContextVar[Caller] = ContextVar("caller", default=OPEN)


def caller() -> Caller:
    """Whose call is being answered; of an open house, where nobody has said otherwise."""
    return _CALLER.get()


def calling(who: Caller) -> None:
    """From now on this task, and whatever it starts, answers a call of theirs."""
    _CALLER.set(who)
