"""The keys that are trusted: public ones, in a file that every service reads.

The file is a JSON Web Key Set with three members of ours: ``signs``, the kinds of token that a key may sign, so that
the stolen key of a service makes no seats; ``service``, the one service that its tokens may name; ``revoked``. The file
is read again whenever it is asked and a second has passed, so a key that is revoked there is revoked everywhere in
a moment. A file that can no longer be read is trusted no more: nobody is let in on what it said before.
"""

import base64
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Final, Literal

import msgspec
import structlog
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from engine.kernel.ports import Unavailable
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Value

LOOK_SECONDS: Final = 1.0
"""How long what the file said holds before it is looked at again."""

KEYS_MAX: Final = 1_000
KEY_BYTES: Final = 32

KindName = Literal["seat", "player", "organiser", "referee", "caster", "service"]

logger = structlog.get_logger()


class TrustedKey(Value, frozen=True):
    """A public key of Ed25519 as RFC 8037 writes it, and what it may sign."""

    kid: str
    x: str
    signs: tuple[KindName, ...]
    service: str = ""
    """Whose tokens it signs, if it signs those of a service."""
    revoked: bool = False
    kty: Literal["OKP"] = "OKP"
    crv: Literal["Ed25519"] = "Ed25519"

    def __post_init__(self) -> None:
        self.public()
        if ("service" in self.signs) != bool(self.service):
            raise ValueError(f"key {self.kid} has to name its service if it signs for one, and only then")

    def public(self) -> Ed25519PublicKey:
        return Ed25519PublicKey.from_public_bytes(unpadded(self.x))


class TrustFile(Value, frozen=True):
    """What stands in the file."""

    keys: tuple[TrustedKey, ...]

    def __post_init__(self) -> None:
        if len(self.keys) > KEYS_MAX:
            raise ValueError(f"at most {KEYS_MAX} keys are trusted")
        if len({each.kid for each in self.keys}) != len(self.keys):
            raise ValueError("two keys have the same kid")


class Trust:
    """``key`` finds a key that is trusted now."""

    def __init__(self, path: Path, elapsed: Callable[[], float] = monotonic) -> None:
        """Raises ``Refusal`` if the file cannot be read. ``elapsed`` counts seconds."""
        self._path = path
        self._elapsed = elapsed
        self._looked_at = elapsed()
        self._content: bytes | None = _content(path)
        self._keys: dict[str, TrustedKey] | None = _keys_in(self._content, path)

    def key(self, kid: str) -> TrustedKey | None:
        """``None`` for one that is not known; one that is revoked says so. Raises ``Unavailable`` if the file has been
        damaged since.
        """
        self._look()
        if self._keys is None:
            raise Unavailable("trust_file_damaged", "The keys of this house cannot be read just now.")
        return self._keys.get(kid)

    def _look(self) -> None:
        now = self._elapsed()
        if now - self._looked_at < LOOK_SECONDS:
            return
        self._looked_at = now
        before, self._content = self._content, None
        try:
            self._content = _content(self._path)
            if self._content == before:
                return
            self._keys = _keys_in(self._content, self._path)
            logger.info("trust_file_read", keys=len(self._keys))
        except Refusal as refusal:
            if self._content is not None or before is not None:
                logger.error("trust_file_damaged", reason=refusal.sentence)
            self._keys = None


def unpadded(text: str) -> bytes:
    """base64url without padding → 32 bytes. Raises ``ValueError``."""
    found = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    if len(found) != KEY_BYTES:
        raise ValueError(f"a key has {KEY_BYTES} bytes")
    return found


def padless(key: bytes) -> str:
    """The inverse of ``unpadded``."""
    return base64.urlsafe_b64encode(key).rstrip(b"=").decode()


def _content(path: Path) -> bytes:
    """All of it, a few kilobytes. Its time and length may stay as they were when a word of it changes."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise Refusal("trust_file", f"{path} cannot be read: {error.strerror}.", Kind.INVALID) from error


def _keys_in(content: bytes, path: Path) -> dict[str, TrustedKey]:
    try:
        return {each.kid: each for each in msgspec.json.decode(content, type=TrustFile).keys}
    except (msgspec.MsgspecError, ValueError) as error:
        raise Refusal("trust_file", f"{path} is no file of trusted keys: {error}.", Kind.INVALID) from error
