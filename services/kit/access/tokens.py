"""Tokens: JSON Web Tokens that are signed with Ed25519, and nothing else that calls itself one.

Their payload is ``{"aud": "tavolata", "iat", "exp", "grant": {"kind": ...}}``, in whole seconds. A token is read in
this order: its size, its head, the key that it names, its signature, its claims, what its key may sign, its time. What
is wrong with a token is said without its text, which is a secret as long as it holds.
"""

import re
import time
from collections.abc import Callable
from typing import Final, Literal

import jwt
import msgspec
from jwt.api_jws import PyJWS

from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Value
from services.kit.access.grants import Grant, ServiceGrant, kind_of
from services.kit.access.signing import SigningKey
from services.kit.access.trust import Trust, TrustedKey

ALGORITHM: Final = "EdDSA"
AUDIENCE: Final = "tavolata"

TOKEN_BYTES_MAX: Final = 1_024
"""Ours have about 350; nobody has us check the signature of something long."""

LIFE_SECONDS_MAX: Final = 24 * 3_600
"""A day of play. A key that is lost is revoked; a token that is lost ends by itself."""

SERVICE_SECONDS_MAX: Final = 600
"""Of what a service signs for itself, as often as it likes."""

LEEWAY_SECONDS: Final = 5
"""Two machines' clocks may be so far apart."""

_FORM: Final = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+")
"""Of ours; one text for one token, without padding or blanks."""

_JWS: Final = PyJWS(algorithms=[ALGORITHM])

Now = Callable[[], float]
"""Seconds since 1970."""


class Claims(Value, frozen=True):
    """What is signed."""

    aud: Literal["tavolata"]
    iat: int
    exp: int
    grant: Grant


class Token(Value, frozen=True):
    """One that was read and believed."""

    kid: str
    grant: Grant
    expires_at: int
    """In seconds since 1970."""


def is_token(text: str) -> bool:
    """Whether it looks like one; what does not is in no letters that every header of a call may have."""
    return len(text) <= TOKEN_BYTES_MAX and _FORM.fullmatch(text) is not None


def issue(key: SigningKey, grant: Grant, life_s: int, now: Now = time.time) -> str:
    """A token that holds from now for ``life_s`` seconds. Raises ``Refusal`` for what nobody would believe."""
    limit = SERVICE_SECONDS_MAX if isinstance(grant, ServiceGrant) else LIFE_SECONDS_MAX
    if not 1 <= life_s <= limit:
        raise Refusal("bad_life", f"Such a token holds for 1 second to {limit // 60} minutes.", Kind.INVALID)
    if kind_of(grant) not in key.signs:
        raise Refusal("not_yours_to_sign", f"Key {key.kid} signs no {kind_of(grant)} tokens.", Kind.DENIED)
    at = int(now())
    payload = msgspec.json.encode(Claims(AUDIENCE, at, at + life_s, grant))
    return _JWS.encode(payload, key.private(), ALGORITHM, {"kid": key.kid, "typ": "JWT"})


def read(text: str, trust: Trust, now: Now = time.time) -> Token:
    """What a token says, if it is to be believed now. Raises ``Refusal`` (UNAUTHENTICATED) or ``Unavailable``."""
    if not text:
        raise missing()
    if not is_token(text):
        raise _invalid()
    try:
        kid = jwt.get_unverified_header(text).get("kid")
    except jwt.PyJWTError:
        raise _invalid() from None
    key = trust.key(kid) if isinstance(kid, str) else None
    if key is None:
        raise _invalid()
    claims = _verified(text, key)
    if kind_of(claims.grant) not in key.signs:
        raise _invalid()
    if isinstance(claims.grant, ServiceGrant) and claims.grant.service != key.service:
        raise _invalid()
    limit = SERVICE_SECONDS_MAX if isinstance(claims.grant, ServiceGrant) else LIFE_SECONDS_MAX
    if not 0 < claims.exp - claims.iat <= limit or claims.iat > now() + LEEWAY_SECONDS:
        raise _invalid()
    token = Token(key.kid, claims.grant, claims.exp)
    check(token, trust, now)
    return token


def check(token: Token, trust: Trust, now: Now = time.time) -> None:
    """Whether one that was believed is to be believed still. Raises ``Refusal`` (UNAUTHENTICATED)."""
    key = trust.key(token.kid)
    if key is None or key.revoked:
        raise Refusal("token_revoked", "This token counts no more; ask for another.", Kind.UNAUTHENTICATED)
    if token.expires_at + LEEWAY_SECONDS <= now():
        raise Refusal("token_expired", "This token has expired; ask for another.", Kind.UNAUTHENTICATED)


def missing() -> Refusal:
    return Refusal("token_missing", "For this one has to say who one is, with a token.", Kind.UNAUTHENTICATED)


def _invalid() -> Refusal:
    """One answer to everything that is no token of ours: whoever makes one up learns nothing."""
    return Refusal("token_invalid", "This is no token of this house.", Kind.UNAUTHENTICATED)


def _verified(text: str, key: TrustedKey) -> Claims:
    try:
        payload = _JWS.decode(text, key.public(), algorithms=[ALGORITHM])
        return msgspec.json.decode(payload, type=Claims)
    except (jwt.PyJWTError, msgspec.MsgspecError, ValueError, Refusal):
        raise _invalid() from None
