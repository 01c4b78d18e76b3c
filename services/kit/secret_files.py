"""Files of keys: written whole or not at all, and where they hold a secret, for their owner alone.

A secret that anybody else may read is refused rather than used. The name of a new file goes to disk before anything can
depend on it.
"""

import os
import secrets
from pathlib import Path
from typing import BinaryIO

from engine.kernel.refusal import Kind, Refusal

OWN = 0o600
PUBLIC = 0o644

ABROAD = 0o037
"""No mode of a secret file has these bits: others do nothing with it, the group reads at most. The group may, because
a pod reads the secrets that it is handed as a member of one.
"""


def read_secret(path: Path) -> bytes:
    """Raises ``Refusal`` (``key_file_open``) for a file that others may read, and ``OSError``."""
    if path.stat().st_mode & ABROAD:
        sentence = f"{path} may be read by others; it must have mode 0600, or 0640 where its group is only for it."
        raise Refusal("key_file_open", sentence, Kind.DENIED)
    return path.read_bytes()


def new_private(path: Path) -> BinaryIO:
    """A new file of mode 0600, to be written. Raises ``FileExistsError``."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWN), "wb")


def write_secret(path: Path, content: bytes) -> None:
    """A new file of mode 0600, in folders of mode 0700; never over one that is there, which another replica made."""
    draft = _draft(path, content)
    try:
        os.link(draft, path)
    except FileExistsError:
        pass  # somebody else was first: what they wrote holds
    finally:
        draft.unlink()
    _sync_folder(path.parent)


def put_file(path: Path, content: bytes, mode: int = OWN) -> None:
    """In folders of mode 0700; over one that is there: a reader sees the old one or the new one."""
    _draft(path, content, mode).replace(path)
    _sync_folder(path.parent)


def replace_secret(path: Path, content: bytes) -> None:
    """In place of a file that is there, with its owner and mode: a reader sees the old one or the new one."""
    before = path.stat()
    draft = _draft(path, content, before.st_mode & 0o777)
    if os.geteuid() == 0:
        os.chown(draft, before.st_uid, before.st_gid)
    draft.replace(path)
    _sync_folder(path.parent)


def _draft(path: Path, content: bytes, mode: int = OWN) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")  # in containers every replica is process 1
    with new_private(draft) as file:
        os.fchmod(file.fileno(), mode)
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    return draft


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
