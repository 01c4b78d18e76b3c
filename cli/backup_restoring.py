"""Restoring a backup into a house that has no log yet.

Everything is checked before anything is written: the files of the backup, and that the house is empty. Then the
streams, each whole or not there at all, each read again and compared with what was read when the backup was made; then
people; then keys. Whatever breaks on the way, the same command goes on from there: what is restored names the backup
it came from, and is not restored again.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from cli.backup_folder import KEYS, Copied, Manifest, check_files, read_manifest
from cli.backup_making import digest_of
from cli.log_place import local, log_connection
from cli.progress import Progress
from engine.games import all_games
from engine.kernel.refusal import Kind, Refusal
from services.kit.clock import SystemClock
from services.kit.config import Settings, settings
from services.kit.jetstream.backup import Snapshot, streams_of_the_house
from services.kit.jetstream.connection import Connection
from services.kit.jetstream.restore import delete, restore, restored_from
from services.kit.jetstream.users import OPERATOR, authorization, users
from services.kit.secret_files import write_secret
from services.tournament.people import People
from services.tournament.people_copy import check_room, load


class Restored(msgspec.Struct, frozen=True):
    """What a restore has come to. ``kept`` are streams that an earlier run had restored."""

    manifest: Manifest
    streams: tuple[str, ...]
    kept: tuple[str, ...]
    keys: tuple[Path, ...]


@asynccontextmanager
async def closed_house(data: Path) -> AsyncIterator[Settings]:
    """The folder of a house that is not open, with nothing but its log running. Raises ``Refusal``."""
    from services.local.folder import held
    from services.local.keys import make_seeds, seed_file
    from services.local.nats_server import NatsServer
    from services.local.plan import SEEDS

    seeds = data / SEEDS
    async with held(data) as lock:
        everybody = users(all_games(), partitions=1)
        keys = make_seeds(seeds, [user.name for user in everybody])
        server = NatsServer(data / "nats", users=authorization(everybody, keys))
        server.keep_open = (lock,)
        async with server:
            yield local(data, server.url, seed_file(seeds, OPERATOR))


@asynccontextmanager
async def empty_house(data: Path | None) -> AsyncIterator[Settings]:
    """Where to restore to: a folder on this machine, or where the settings say."""
    if data is None:
        yield settings()
        return
    async with closed_house(data) as here:
        yield here


async def restore_backup(
    here: Settings, folder: Path, *, keys: Path | None, progress: Progress, done: list[str]
) -> Restored:
    """``keys`` is the folder that master keys go to; without it they stay in the backup. ``done`` are the streams that
    are there by now, also when this ends with an error.

    Before anything is written it raises ``Refusal`` (``no_backup``, ``backup_unfinished``, ``backup_newer``,
    ``backup_damaged``, ``partitions_fixed``, ``streams_exist``, ``people_exist``, ``keys_exist``); later
    ``restore_failed`` and ``restored_otherwise``; and ``Unavailable`` at any time.
    """
    manifest, name = read_manifest(folder)
    progress.begin("checking the backup", 0)
    check_files(folder, manifest)
    _check_partitions(here, manifest)
    written = _key_paths(folder, manifest, keys)
    rows = _people_lines(folder, manifest)
    people = await People.open(here.people_url, SystemClock(), password_file=here.database_password_file)
    try:
        await check_room(people, rows)
        async with log_connection(here) as connection:
            kept = await _check_empty(connection, manifest, name)
            done.extend(kept)
            for copied in manifest.streams:
                if copied.stream not in kept:
                    await _restore(connection, copied, folder, name, here.replicas, progress)
                    done.append(copied.stream)
        await load(people, rows)
    finally:
        await people.close()
    for path, content in written.items():
        if not path.exists():
            write_secret(path, content)
    streams = tuple(copied.stream for copied in manifest.streams)
    return Restored(manifest, streams, tuple(kept), tuple(written))


async def _restore(
    connection: Connection, copied: Copied, folder: Path, backup: str, replicas: int, progress: Progress
) -> None:
    snapshot = msgspec.json.decode((folder / copied.about.name).read_bytes(), type=Snapshot)
    progress.begin(f"restoring {copied.stream}", copied.archive.bytes)
    archive = folder / copied.archive.name
    await restore(connection, copied.stream, snapshot, archive, backup=backup, replicas=replicas, told=progress.reach)
    if not copied.digest:
        return
    try:
        found = await digest_of(connection, copied.stream, copied.last, progress)
    except Refusal:
        found = ""
    if found != copied.digest:
        await delete(connection, copied.stream)
        raise Refusal(
            "restored_otherwise",
            f"The archive of {copied.stream} does not hold what the log held, and was taken away again; restore an "
            "older backup.",
            Kind.INVALID,
        )


async def _check_empty(connection: Connection, manifest: Manifest, backup: str) -> Sequence[str]:
    """The streams that this very backup was restored to before. Raises ``Refusal`` if there is any other."""
    kept = []
    for stream in await streams_of_the_house(connection):
        if await restored_from(connection, stream) != backup:
            raise Refusal(
                "streams_exist",
                f"There is a stream {stream} already; a backup is restored where there is no log.",
                Kind.EXISTS,
            )
        kept.append(stream)
    return kept


def _check_partitions(here: Settings, manifest: Manifest) -> None:
    if here.partitions != manifest.partitions:
        raise Refusal(
            "partitions_fixed",
            f"The backup has {manifest.partitions} partitions, which cannot be changed to {here.partitions}.",
            Kind.INVALID,
        )


def _people_lines(folder: Path, manifest: Manifest) -> list[bytes]:
    return (folder / manifest.people.file.name).read_bytes().splitlines()


def _key_paths(folder: Path, manifest: Manifest, keys: Path | None) -> dict[Path, bytes]:
    """What to write where. Raises ``Refusal`` (``keys_exist``)."""
    if keys is None:
        return {}
    found = {}
    for file in manifest.keys:
        path, content = keys / file.name.removeprefix(f"{KEYS}/"), (folder / file.name).read_bytes()
        if path.exists() and path.read_bytes() != content:
            raise Refusal("keys_exist", f"{path} is another key than that of the backup.", Kind.EXISTS)
        found[path] = content
    return found
