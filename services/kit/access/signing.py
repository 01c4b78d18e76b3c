"""A key that signs tokens: private, in a file of its own that only who signs with it reads.

Its repr shows the key's id alone, so that it cannot land in a log.
"""

from pathlib import Path

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Value
from services.kit.access.trust import KindName, TrustedKey, padless, unpadded


class SigningKey(Value, frozen=True):
    """``d`` is the private key as RFC 8037 writes it."""

    kid: str
    d: str
    signs: tuple[KindName, ...]
    service: str = ""

    def __post_init__(self) -> None:
        self.private()

    def private(self) -> Ed25519PrivateKey:
        return Ed25519PrivateKey.from_private_bytes(unpadded(self.d))

    def public(self) -> TrustedKey:
        """What others need, to believe what this key has signed."""
        raw = self.private().public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        return TrustedKey(self.kid, padless(raw), self.signs, self.service)

    def __repr__(self) -> str:
        return f"SigningKey({self.kid})"

    def __rich_repr__(self) -> list[tuple[str, str]]:
        return [("kid", self.kid)]


def signing_key(path: Path) -> SigningKey:
    """The key in a file. Raises ``Refusal`` for one that everybody may read, or that is none."""
    try:
        if path.stat().st_mode & 0o007:
            raise Refusal("signing_key_open", f"{path} may be read by anybody; mode 0600 is right.", Kind.DENIED)
        return msgspec.json.decode(path.read_bytes(), type=SigningKey)
    except OSError as error:
        raise Refusal("signing_key", f"{path} cannot be read: {error.strerror}.", Kind.INVALID) from error
    except (msgspec.MsgspecError, ValueError):
        raise Refusal("signing_key", f"{path} holds no key that signs tokens.", Kind.INVALID) from None
