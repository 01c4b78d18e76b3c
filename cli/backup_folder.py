"""What a backup is on disk: files, and a manifest that is written last and vouches for them.

    manifest.json        when, by which version, and every file with its length and SHA-256
    MATCHES_00.tar.s2    the server's own archive of a stream
    MATCHES_00.json      its configuration and state, and its epoch
    MATCHES_00.jsonl     its lines, if they were asked for
    people.jsonl         who the players are
    keys/                master keys, if they were asked for

A folder without a manifest is a backup that was broken off: nothing takes it for one. Whoever makes a backup makes the
folder, and only its owner may read it and its files: a copy of the log holds every hand of the matches that run.

Whoever restores may have been given a folder by somebody else. So a manifest names the files above and no others: with
``..`` in a name, a key would be written to where it is none.
"""

import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from engine.kernel.ports import Position
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Value
from services.kit.secret_files import new_private

FORMAT: Final = 1
MANIFEST: Final = "manifest.json"
PEOPLE: Final = "people.jsonl"
KEYS: Final = "keys"

_STREAM: Final = re.compile(r"BEATS|(MATCHES|TOURNAMENTS)_[0-9]{2,4}")
_FILE: Final = re.compile(rf"({_STREAM.pattern})\.(tar\.s2|json|jsonl)|people\.jsonl")
_KEY: Final = re.compile(rf"{KEYS}/(deck|tournament)/master\.key")

PIECE_BYTES: Final = 1024 * 1024
"""Read at once while a digest is made."""


class File(Value, frozen=True):
    """One file of a backup; ``name`` is its path in the folder."""

    name: str
    bytes: int
    sha256: str

    def __post_init__(self) -> None:
        if not (_FILE.fullmatch(self.name) or _KEY.fullmatch(self.name)):
            raise ValueError("a backup has no such file")


class Copied(Value, frozen=True):
    """One stream. ``lines`` is ``None`` where they were not asked for, and for beats."""

    stream: str
    created: str
    """The epoch that it was taken from; what is restored has another."""
    last: Position
    messages: int
    things: int
    """Matches or events in it."""
    digest: str
    """Of all lines up to ``last``, in order, as they were read from the log; empty for beats."""
    archive: File
    about: File
    lines: File | None = None

    def __post_init__(self) -> None:
        if not _STREAM.fullmatch(self.stream):
            raise ValueError("a house has no such stream")

    @property
    def files(self) -> tuple[File, ...]:
        return (self.archive, self.about, *((self.lines,) if self.lines is not None else ()))


class People(Value, frozen=True):
    file: File
    count: int


class Manifest(Value, frozen=True):
    """``partitions`` is the layout of the log; ``keys`` are the master keys that lie in the backup, often none."""

    format: int
    tavolata: str
    taken_at: str
    partitions: int
    streams: tuple[Copied, ...]
    people: People
    keys: tuple[File, ...] = ()

    def __post_init__(self) -> None:
        if not all(_KEY.fullmatch(file.name) for file in self.keys):
            raise ValueError("a backup has no such key")

    @property
    def files(self) -> Iterator[File]:
        for copied in self.streams:
            yield from copied.files
        yield self.people.file
        yield from self.keys

    @property
    def bytes(self) -> int:
        return sum(file.bytes for file in self.files)


def make_folder(folder: Path) -> None:
    """A new folder for a backup. Raises ``Refusal`` (``backup_exists``, ``backup_unfinished``)."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        if (folder / MANIFEST).exists():
            raise Refusal("backup_exists", f"{folder} holds a backup; take another folder.", Kind.EXISTS)
        raise Refusal(
            "backup_unfinished",
            f"{folder} is not empty, and no finished backup: one was broken off there, or it holds something else.",
            Kind.EXISTS,
        )
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder.chmod(0o700)  # also where it was there


def describe(folder: Path, name: str) -> File:
    """A file of the backup, as the manifest vouches for it."""
    digest, size = hashlib.sha256(), 0
    with (folder / name).open("rb") as file:
        while piece := file.read(PIECE_BYTES):
            digest.update(piece)
            size += len(piece)
    return File(name, size, digest.hexdigest())


def write_file(folder: Path, name: str, content: bytes) -> File:
    """A new file, on disk when this returns."""
    with new_private(folder / name) as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    return File(name, len(content), hashlib.sha256(content).hexdigest())


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """The last file: it is there whole or not at all."""
    draft = folder / f"{MANIFEST}.draft"
    with new_private(draft) as file:
        file.write(msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n")
        file.flush()
        os.fsync(file.fileno())
    draft.replace(folder / MANIFEST)
    directory = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def read_manifest(folder: Path) -> tuple[Manifest, str]:
    """The manifest, and its digest, which names the backup.

    Raises ``Refusal`` (``no_backup``, ``backup_unfinished``, ``backup_damaged``, ``backup_newer``).
    """
    path = folder / MANIFEST
    if not folder.is_dir() or not any(folder.iterdir()):
        raise Refusal("no_backup", f"There is no backup in {folder}.", Kind.MISSING)
    if not path.exists():
        raise Refusal("backup_unfinished", f"The backup in {folder} was broken off; take another.", Kind.INVALID)
    content = path.read_bytes()
    try:
        found = msgspec.json.decode(content)["format"]
        if found != FORMAT:
            raise Refusal(
                "backup_newer",
                f"{folder} was written by another Tavolata (format {found}, here {FORMAT}); restore it with that one.",
                Kind.INVALID,
            )
        return msgspec.json.decode(content, type=Manifest), hashlib.sha256(content).hexdigest()
    except (msgspec.MsgspecError, KeyError, TypeError) as error:
        raise Refusal("backup_damaged", f"{path} is damaged.", Kind.INVALID) from error


def check_files(folder: Path, manifest: Manifest) -> None:
    """Every file is there as it was written. Raises ``Refusal`` (``backup_damaged``)."""
    for file in manifest.files:
        try:
            same = describe(folder, file.name) == file
        except FileNotFoundError:
            same = False
        if not same:
            raise Refusal("backup_damaged", f"{file.name} is not what was written to {folder}.", Kind.INVALID)
