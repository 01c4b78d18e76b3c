"""The master key: 32 bytes from the operating system, in a file that only a service that draws from it reads.

The file is made at the first start, mode 0600, and its name goes to disk before anything can depend on it. A file that
others may read, or that is damaged, is refused rather than replaced: a new key would orphan all that is running.
"""

import secrets
from pathlib import Path

import msgspec

from engine.kernel.refusal import Kind, Refusal
from engine.luck.seeds import SEED_BYTES
from services.kit.secret_files import read_secret, write_secret


class MasterKey(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``key`` is hex; ``key_id`` names it without telling it. Its repr is empty, so it cannot land in a log."""

    key_id: str
    key: str

    def __post_init__(self) -> None:
        if len(bytes.fromhex(self.key)) != SEED_BYTES:
            raise ValueError(f"a master key has {SEED_BYTES} bytes")

    @property
    def secret(self) -> bytes:
        return bytes.fromhex(self.key)

    def __repr__(self) -> str:
        return f"MasterKey({self.key_id})"

    def __rich_repr__(self) -> list[tuple[str, str]]:
        return [("key_id", self.key_id)]


def load_or_make(path: Path) -> MasterKey:
    """The key of this house. Raises ``Refusal`` for a file that cannot be trusted."""
    if not path.exists():
        write(path, MasterKey(secrets.token_hex(4), secrets.token_hex(SEED_BYTES)))
    try:
        return msgspec.json.decode(read_secret(path), type=MasterKey)
    except (msgspec.MsgspecError, ValueError):
        raise Refusal(
            "key_file_damaged", f"{path} holds no master key; restore it from a copy.", Kind.INVALID
        ) from None


def write(path: Path, key: MasterKey) -> None:
    """All of it on disk, or nothing; never over a key that is there."""
    write_secret(path, msgspec.json.encode(key))
