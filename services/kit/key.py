"""The master keys: 32 bytes each from the operating system, in a file that only a service that draws from it reads.

The file is a ring, the newest key first. What has been promised under a key is kept under it, so a key stays in the
ring as long as anything runs that was; what is promised now is promised under the newest key that is in force. A new
key comes into force some time after it was written: by then every replica has it, also where the file is handed to
each machine anew, so nobody is asked to draw under a key that he has not heard of.

The file is made at the first start. One that others may read, or that is damaged, is refused rather than replaced: a
new key would orphan all that is running.
"""

import fcntl
import os
import secrets
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec
import structlog

from engine.kernel.refusal import Kind, Refusal
from engine.luck.seeds import SEED_BYTES
from services.kit.config import Settings
from services.kit.secret_files import read_secret, replace_secret, write_secret

IN_FORCE_AFTER_S: Final = 300
"""How long a new key waits. A cluster takes a minute or two to bring a changed secret to every machine."""

logger = structlog.get_logger()


class MasterKey(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``key`` is hex; ``key_id`` names it without telling it. Its repr is empty, so it cannot land in a log.

    ``since`` is the second of the Unix epoch from which it is in force.
    """

    key_id: str
    key: str
    since: int = 0

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


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    keys: tuple[MasterKey, ...]

    def __post_init__(self) -> None:
        if not self.keys:
            raise ValueError("a ring has a key")


class KeyRing:
    """The keys of a service, the newest first. Those of a file are read again when the file has changed."""

    def __init__(self, *keys: MasterKey, path: Path | None = None, now: Callable[[], float] = time.time) -> None:
        self._keys = keys
        self._path = path
        self._read = None if path is None else _version(path)
        self._now = now

    @property
    def keys(self) -> tuple[MasterKey, ...]:
        """All that anything may have been promised under."""
        if self._path is not None:
            self._look(self._path)
        return self._keys

    @property
    def newest(self) -> MasterKey:
        """What is promised now is promised under this one: the first in force, or the oldest if none is."""
        keys, now = self.keys, self._now()
        return next((key for key in keys if key.since <= now), keys[-1])

    def find(self, fits: Callable[[MasterKey], bool]) -> MasterKey | None:
        """The key that something was promised under; ``None`` if it is not here."""
        return next((key for key in self.keys if fits(key)), None)

    def __repr__(self) -> str:
        return f"KeyRing({', '.join(key.key_id for key in self._keys)})"

    def _look(self, path: Path) -> None:
        """A file that cannot be used is told of once, and changes nothing: what we know goes on."""
        try:
            version = _version(path)
            if version == self._read:
                return
            self._read = version
            self._keys = _decode(read_secret(path), path)
        except (OSError, Refusal) as error:
            logger.error("key_file_refused", path=str(path), reason=str(error))
        else:
            logger.info("keys_read", keys=[key.key_id for key in self._keys])


def keys_of(settings: Settings) -> KeyRing:
    """Of this process: what it was handed as a variable, or the file, which is made if it is not there.

    Raises ``Refusal`` (``key_file_open``, ``key_file_damaged``).
    """
    if settings.master_key:
        return KeyRing(*_decode(settings.master_key.encode(), "TAVOLATA_MASTER_KEY"))
    return load_or_make(settings.key_file)


def load_or_make(path: Path) -> KeyRing:
    """The keys of this house. Raises ``Refusal`` for a file that cannot be trusted."""
    if not path.exists():
        write(path, _new_key(since=0))
    return KeyRing(*_decode(read_secret(path), path), path=path)


def write(path: Path, *keys: MasterKey) -> None:
    """All of it on disk, or nothing; never over a file that is there."""
    write_secret(path, msgspec.json.encode(_File(keys)))


def rotate(path: Path, *, in_force_after_s: int = IN_FORCE_AFTER_S) -> MasterKey:
    """Put a new key in front of those of a file. Raises ``Refusal`` for a file that cannot be trusted."""
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)  # of two at the same time, neither loses the other's key
        keys = _decode(read_secret(path), path)
        key = _new_key(since=int(time.time()) + in_force_after_s if in_force_after_s else 0)
        replace_secret(path, msgspec.json.encode(_File((key, *keys))))
    finally:
        os.close(folder)
    return key


def _new_key(since: int) -> MasterKey:
    return MasterKey(secrets.token_hex(4), secrets.token_hex(SEED_BYTES), since)


def _decode(content: bytes, where: object) -> tuple[MasterKey, ...]:
    """A ring, or the one key that such a file held before there were rings."""
    try:
        fields = msgspec.json.decode(content, type=dict[str, msgspec.Raw])
        if "keys" in fields:
            return msgspec.json.decode(content, type=_File).keys
        return (msgspec.json.decode(content, type=MasterKey),)
    except (msgspec.MsgspecError, ValueError):
        raise Refusal(
            "key_file_damaged", f"{where} holds no master key; restore it from a copy.", Kind.INVALID
        ) from None


def _version(path: Path) -> tuple[int, int, int]:
    """Another for another content: a file is replaced and never written into."""
    status = path.stat()
    return status.st_ino, status.st_mtime_ns, status.st_size
