"""``backup`` and ``restore``: everything that cannot be made again, in one folder."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.log_place import HouseFolder, open_house
from cli.output import Json, note, print_json, print_table
from cli.progress import Progress
from engine.kernel.ports import Unavailable
from engine.kernel.refusal import Refusal

if TYPE_CHECKING:
    from cli.backup_folder import Manifest
    from cli.backup_restoring import Restored

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the backup.")]


def add_to(app: typer.Typer) -> None:
    app.command()(backup)
    app.command()(restore)


def backup(
    folder: Folder,
    data: HouseFolder = None,
    lines: Annotated[bool, typer.Option("--lines", help="Write every line of the log as text, too.")] = False,
    keys: Annotated[
        Path | None, typer.Option("--keys", help="Put the master keys of this folder in; else none are in the backup.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Copy a house that is open: its log, and who the players are. Nobody has to wait for it."""
    from cli.backup_making import make_backup

    with Progress() as progress:
        manifest = asyncio.run(make_backup(open_house(data), folder, lines=lines, keys=keys, progress=progress))
    if as_json:
        print_json({"backup": str(folder), **_fields(manifest)})
        return
    _print(manifest)
    note(f"The backup is in {folder}: {manifest.bytes} bytes.")
    note(
        "The master keys are in it: keep it as safe as those."
        if manifest.keys
        else "The master keys are not in it; keep a copy of them elsewhere."
    )


def restore(
    folder: Folder,
    data: HouseFolder = None,
    keys: Annotated[
        Path | None, typer.Option("--keys", help="Where to put the master keys of the backup; with --data, there.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Bring a backup back, into a house that has no log yet. If it breaks off, the same command goes on."""
    from cli.backup_restoring import empty_house, restore_backup

    async def run() -> "Restored":
        async with empty_house(data) as here:
            return await restore_backup(here, folder, keys=keys or data, progress=progress, done=done)

    done: list[str] = []
    try:
        with Progress() as progress:
            restored = asyncio.run(run())
    except (Refusal, Unavailable):
        if done and not as_json:
            note(f"Restored so far: {', '.join(done)}. The same command goes on from there; nothing is to be undone.")
        raise
    if as_json:
        print_json({"backup": str(folder), **_fields(restored.manifest), "kept": list(restored.kept),
                    "keys": [str(key) for key in restored.keys]})  # fmt: skip
        return
    _print(restored.manifest)
    for stream in restored.kept:
        note(f"{stream} had been restored by an earlier run.")
    note("Read models are folded anew when the services start, and the public feed is published again.")
    if not restored.keys:
        note("Put the master keys of this house in their places before it is opened: running matches need them.")


def _fields(manifest: "Manifest") -> dict[str, Any]:
    return {
        "taken_at": manifest.taken_at,
        "bytes": manifest.bytes,
        "partitions": manifest.partitions,
        "streams": {
            copied.stream: {"things": copied.things, "lines": copied.messages, "last": copied.last}
            for copied in manifest.streams
        },
        "people": manifest.people.count,
    }


def _print(manifest: "Manifest") -> None:
    rows = [(copied.stream, copied.things, copied.messages) for copied in manifest.streams]
    print_table(
        f"Taken at {manifest.taken_at}",
        ("stream", "matches or events", "lines"),
        [*rows, ("people", manifest.people.count, "")],
    )
