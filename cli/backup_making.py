"""Making a backup of a house that is open.

Every stream is copied by the server, and read as well: the server's check of its own archive does not find everything,
so what is read is what the restored stream has to come to. Nobody waits for it. What happens meanwhile is in the next
backup.
"""

import hashlib
import os
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

from cli.backup_folder import (
    FORMAT,
    KEYS,
    PEOPLE,
    Copied,
    File,
    Manifest,
    describe,
    make_folder,
    write_file,
    write_manifest,
)
from cli.backup_folder import People as CopiedPeople
from cli.log_place import log_connection
from cli.progress import Progress
from engine.kernel.ports import Position
from engine.kernel.refusal import Kind, Refusal
from services.kit.clock import SystemClock
from services.kit.config import Settings
from services.kit.jetstream.backup import Snapshot, snapshot, streams_of_the_house
from services.kit.jetstream.beats import BEATS
from services.kit.jetstream.connection import Connection
from services.kit.jetstream.replicas import pages, replicas_of
from services.kit.secret_files import new_private, read_secret
from services.tournament.people import People
from services.tournament.people_copy import dump

MASTER_KEYS: Final = ("deck/master.key", "tournament/master.key")
"""By service, below a folder of keys: a data folder is one, and what ``tavolata keys init`` makes."""


async def make_backup(here: Settings, folder: Path, *, lines: bool, keys: Path | None, progress: Progress) -> Manifest:
    """``keys`` is the folder whose master keys go into the backup; without it none do.

    Raises ``Refusal`` (``no_log``, ``no_master_keys``, ``backup_exists``, ``backup_unfinished``, ``stream_damaged``),
    and ``Unavailable``.
    """
    secrets = {} if keys is None else _master_keys(keys)
    async with log_connection(here) as connection:
        streams = await streams_of_the_house(connection)
        if not streams:
            raise Refusal("no_log", f"There is no log at {here.nats_url}.", Kind.MISSING)
        make_folder(folder)
        copied = [await _copy(connection, stream, folder, progress, lines=lines) for stream in streams]
        partitions = next(taken.partitions for _, taken in copied if taken.partitions)
    people = await _copy_people(here, folder)  # behind the log: whoever is named there is in the copy
    manifest = Manifest(
        format=FORMAT,
        tavolata=version("tavolata"),
        taken_at=datetime.now(UTC).isoformat(timespec="seconds"),
        partitions=partitions,
        streams=tuple(one for one, _ in copied),
        people=people,
        keys=tuple(_write_key(folder, name, content) for name, content in secrets.items()),
    )
    write_manifest(folder, manifest)
    return manifest


async def _copy(
    connection: Connection, stream: str, folder: Path, progress: Progress, *, lines: bool
) -> tuple[Copied, Snapshot]:
    archive = f"{stream}.tar.s2"
    progress.begin(f"copying {stream}", 0)
    taken = await snapshot(connection, stream, folder / archive, progress.reach)
    digest, text = "", None
    if stream != BEATS:  # which keeps the newest only: what is read is not what was copied a moment ago
        name = f"{stream}.jsonl"
        if lines:
            with new_private(folder / name) as file:
                digest = await digest_of(connection, stream, taken.last, progress, file)
                file.flush()
                os.fsync(file.fileno())
            text = describe(folder, name)
        else:
            digest = await digest_of(connection, stream, taken.last, progress)
    about = write_file(folder, f"{stream}.json", msgspec.json.encode(taken))
    copied = Copied(
        stream=stream,
        created=taken.created,
        last=taken.last,
        messages=taken.messages,
        things=taken.things,
        digest=digest,
        archive=describe(folder, archive),
        about=about,
        lines=text,
    )
    return copied, taken


async def digest_of(
    connection: Connection, stream: str, last: Position, progress: Progress, file: BinaryIO | None = None
) -> str:
    """SHA-256 of all lines up to ``last`` as the stream's leader has stored them; they go to ``file``, too.

    Raises ``Refusal`` (``stream_damaged``) for a position that has no line, and ``Unavailable``.
    """
    progress.begin(f"reading {stream}", last)
    replicas = await replicas_of(connection, stream)
    digest, position = hashlib.sha256(), 0
    async for page in pages(connection, stream, replicas.leader, until=last):
        for stored in page:
            position += 1
            if stored.position != position:
                raise _unreadable(stream, position, replicas.leader)
            digest.update(len(stored.line).to_bytes(4))
            digest.update(stored.line)
            if file is not None:
                file.write(stored.line + b"\n")
        progress.reach(position)
    if position != last:
        raise _unreadable(stream, position + 1, replicas.leader)
    return digest.hexdigest()


def _unreadable(stream: str, position: Position, node: str) -> Refusal:
    return Refusal(
        "stream_damaged",
        f"Line {position} of {stream} cannot be read on node {node}; tavolata audit says which match it is of.",
        Kind.INVALID,
    )


async def _copy_people(here: Settings, folder: Path) -> CopiedPeople:
    people = await People.open(here.people_url, SystemClock(), password_file=here.database_password_file)
    try:
        rows = await dump(people)
    finally:
        await people.close()
    return CopiedPeople(write_file(folder, PEOPLE, b"".join(row + b"\n" for row in rows)), len(rows))


def _master_keys(keys: Path) -> dict[str, bytes]:
    """Raises ``Refusal`` (``no_master_keys``)."""
    found = {name: read_secret(keys / name) for name in MASTER_KEYS if (keys / name).is_file()}
    if len(found) < len(MASTER_KEYS):
        raise Refusal("no_master_keys", f"{keys} does not hold {' and '.join(MASTER_KEYS)}.", Kind.MISSING)
    return found


def _write_key(folder: Path, name: str, content: bytes) -> File:
    (folder / KEYS / name).parent.mkdir(parents=True, mode=0o700)
    return write_file(folder, f"{KEYS}/{name}", content)
