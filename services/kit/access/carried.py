"""What a process says of itself when it calls another: a token of its own, or that of whoever it asks for.

A service signs its own and renews it in time. A command carries the one that it was given. The gateway, which asks for
many, carries theirs, request by request.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import Context, ContextVar, copy_context
from typing import Final

from services.kit.access.grants import ServiceGrant
from services.kit.access.signing import SigningKey, signing_key
from services.kit.access.tokens import SERVICE_SECONDS_MAX, Now, issue
from services.kit.config import Settings

Source = Callable[[], str]
"""The token to carry now; empty for none."""

_CARRIED: ContextVar[Source] = ContextVar("carried", default=lambda: "")


def carried() -> str:
    """The token that a call of this task carries; empty for none."""
    return _CARRIED.get()()


def carry(source: Source) -> None:
    """From now on this task, and whatever it starts, carries these."""
    _CARRIED.set(source)


@contextmanager
def carrying(token: str) -> Iterator[None]:
    """Within it, this task, and whatever it starts there, carries this one; empty for none."""
    before = _CARRIED.set(lambda: token)
    try:
        yield
    finally:
        _CARRIED.reset(before)


def nobodys_context() -> Context:
    """For a task that serves many: it outlives the request that began it, and must not go on as who made it."""
    context = copy_context()
    context.run(carry, lambda: "")
    return context


def carry_own(settings: Settings) -> None:
    """As the settings say: what this process was given, or what it signs for itself. Raises ``Refusal``."""
    if settings.token:
        carry(lambda: settings.token)
    elif settings.signing_key_file is not None:
        key = signing_key(settings.signing_key_file)
        if key.service:
            carry(Own(key))


class Own:
    """Tokens of a service for itself; one is carried until half of its life is over."""

    LIFE_SECONDS: Final = SERVICE_SECONDS_MAX

    def __init__(self, key: SigningKey, now: Now = time.time) -> None:
        self._key = key
        self._now = now
        self._token = ""
        self._renew_at = 0.0

    def __call__(self) -> str:
        now = self._now()
        if now >= self._renew_at:
            self._token = issue(self._key, ServiceGrant(self._key.service), self.LIFE_SECONDS, self._now)
            self._renew_at = now + self.LIFE_SECONDS / 2
        return self._token
