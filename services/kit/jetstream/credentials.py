"""Who a process is to NATS: an NKEY, of which the server knows the public half, and what its certificate says.

The server sends a nonce, the client signs it; the seed never leaves this process. The public key is the user's name
there, and names its inboxes: ``_INBOX_<public key>.…`` is the only inbox that a user may listen to, so nobody reads the
answers to another's questions. Without a seed file a process is whoever the server takes strangers for.
"""

import secrets
import ssl
from pathlib import Path
from typing import Any, Final

import msgspec
import nkeys

from engine.kernel.refusal import Kind, Refusal
from services.kit.config import Settings
from services.kit.secret_files import read_secret

API_OF_USERS: Final = "log.api"


class Login(msgspec.Struct, frozen=True):
    """``seed`` is empty for a stranger. ``tls`` is used where the server asks for it; a URL with ``tls://`` insists."""

    seed: str = ""
    tls: ssl.SSLContext | None = None

    @property
    def api(self) -> str:
        """What the questions to JetStream begin with: users ask from accounts that have no JetStream of their own."""
        return API_OF_USERS if self.seed else "$JS.API"

    @property
    def options(self) -> dict[str, Any]:
        """What nats-py's ``connect`` is given."""
        options: dict[str, Any] = {}
        if self.seed:
            options |= {"nkeys_seed_str": self.seed, "inbox_prefix": inbox_of(public_key(self.seed))}
        if self.tls is not None:
            options["tls"] = self.tls
        return options

    def __repr__(self) -> str:
        return f"Login({public_key(self.seed) if self.seed else 'nobody'})"

    def __rich_repr__(self) -> list[tuple[str, str]]:
        return [("user", public_key(self.seed) if self.seed else "nobody")]


STRANGER: Final = Login()


def login_of(settings: Settings) -> Login:
    """Raises ``Refusal`` (``seed_file_damaged``, ``key_file_open``, ``bad_tls``)."""
    seed = "" if settings.nats_seed_file is None else read_seed(settings.nats_seed_file)
    return Login(seed, _tls_of(settings))


def read_seed(path: Path) -> str:
    """The seed of a user. Raises ``Refusal`` (``seed_file_damaged``, ``key_file_open``), and ``OSError``."""
    try:
        seed = read_secret(path).decode("ascii").strip()
        prefix, secret = nkeys.decode_seed(seed.encode())
        holds = prefix == nkeys.PREFIX_BYTE_USER and nkeys.encode_seed(secret, prefix) == seed.encode()  # its checksum
    except (ValueError, nkeys.NkeysError):
        holds = False
    if not holds:
        raise Refusal("seed_file_damaged", f"{path} holds no seed of a NATS user; restore or replace it.", Kind.INVALID)
    return seed


def new_seed() -> str:
    """``SU…``: 32 bytes of the operating system, as NKEYS writes the seed of a user."""
    seed: bytes = nkeys.encode_seed(secrets.token_bytes(32), nkeys.PREFIX_BYTE_USER)
    return seed.decode()


def public_key(seed: str) -> str:
    """``U…``. Raises ``nkeys.NkeysError`` or ``ValueError`` for what is no seed."""
    key: bytes = nkeys.from_seed(bytearray(seed.encode())).public_key
    return key.decode()


def inbox_of(user: str) -> str:
    """What the inboxes of a user begin with, who is named by a public key."""
    return f"_INBOX_{user}"


def _tls_of(settings: Settings) -> ssl.SSLContext | None:
    files = (settings.tls_ca_file, settings.tls_cert_file, settings.tls_key_file)
    if not any(files):
        return None
    if not all(files):
        raise Refusal("bad_tls", "TLS takes a CA, a certificate and its key: all three, or none.", Kind.INVALID)
    try:
        context = ssl.create_default_context(cafile=settings.tls_ca_file)
        assert settings.tls_cert_file is not None
        context.load_cert_chain(settings.tls_cert_file, settings.tls_key_file)
    except (OSError, ssl.SSLError) as error:
        raise Refusal("bad_tls", f"The certificates of this service cannot be used: {error}.", Kind.INVALID) from error
    return context
