"""A stream from a snapshot. It appears when all of the archive has come, or not at all.

What is restored names the backup it came from in its metadata (``RESTORED_KEY``), so that a restore that was broken off
finds what it has done already. Sequences and lines are those of the snapshot. The creation time is not: it is a new
epoch, which tells every reader that what it remembers of positions is void.
"""

from pathlib import Path
from typing import Any, Final

import msgspec

from engine.kernel.ports import Unavailable
from engine.kernel.refusal import Kind, Refusal
from services.kit.jetstream.backup import Snapshot, Told
from services.kit.jetstream.connection import NOT_FOUND, ApiError, Connection, Unanswered, raise_failure

CHUNK_BYTES: Final = 128 * 1024

RESTORED_KEY: Final = "tavolata.restored"
"""In the metadata of a stream: the digest of the manifest of the backup that it was restored from."""


class _Begun(msgspec.Struct, frozen=True):
    deliver_subject: str


class _Info(msgspec.Struct, frozen=True):
    config: dict[str, Any]


async def restored_from(connection: Connection, stream: str) -> str | None:
    """The backup that a stream says it came from, empty if it came from none; ``None`` if there is no such stream.

    Raises ``Unavailable``.
    """

    async def ask() -> str | None:
        try:
            info = msgspec.json.decode(await connection.api(f"STREAM.INFO.{stream}", {}), type=_Info)
        except ApiError as error:
            if error.code == NOT_FOUND:
                return None
            raise Unanswered(str(error)) from error
        said: str = info.config.get("metadata", {}).get(RESTORED_KEY, "")
        return said

    return await connection.persist(ask)


async def restore(
    connection: Connection,
    stream: str,
    snapshot: Snapshot,
    archive: Path,
    *,
    backup: str,
    replicas: int,
    told: Told = lambda so_far: None,
) -> None:
    """Make ``stream`` from its archive, on ``replicas`` nodes, as part of the restore of ``backup``.

    Raises ``Refusal`` (``restore_failed``) if the server does not take it, and ``Unavailable`` if it falls silent. Then
    there is no such stream; or, after a silence at the very end, all of it.
    """
    metadata = {**snapshot.config.get("metadata", {}), RESTORED_KEY: backup}
    config = {**snapshot.config, "num_replicas": replicas, "metadata": metadata}
    body = {"config": config, "state": snapshot.state}
    try:
        begun = msgspec.json.decode(await connection.api(f"STREAM.RESTORE.{stream}", body), type=_Begun)
        sent = 0
        with archive.open("rb") as file:
            while chunk := file.read(CHUNK_BYTES):
                await _send(connection, begun.deliver_subject, chunk)
                sent += len(chunk)
                told(sent)
        await _send(connection, begun.deliver_subject, b"")
    except ApiError as error:
        raise Refusal("restore_failed", f"The server does not take {stream}: {error}.", Kind.INVALID) from error
    except Unanswered as error:
        raise Unavailable("log_unavailable", f"The server fell silent while {stream} was restored: {error}.") from error


async def _send(connection: Connection, subject: str, chunk: bytes) -> None:
    """One chunk and its acknowledgement, which is empty, or an error, or, for the last one, the stream as it is."""
    answer = await connection.ask(subject, chunk)
    if answer.data:
        raise_failure(answer.data)


async def delete(connection: Connection, stream: str) -> None:
    """Take a stream away. Raises ``Unavailable`` if that cannot be done; it is there then, as it was."""
    try:
        await connection.api(f"STREAM.DELETE.{stream}", {})
    except (ApiError, Unanswered) as error:
        raise Unavailable("log_unavailable", f"{stream} could not be taken away: {error}.") from error
