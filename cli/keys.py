"""``keys``: the keys of a house that is on more than one machine."""

from pathlib import Path
from typing import Annotated

import typer

from cli.output import Json, note, print_json, print_table
from services.kit.access.making import revoke as revoke_key
from services.kit.config import settings
from services.kit.key import IN_FORCE_AFTER_S
from services.kit.key import rotate as rotate_key
from services.local.keys import Kept, list_keys, make_keys

Folder = Annotated[Path, typer.Argument(help="The folder of the keys.")]


def add_to(app: typer.Typer) -> None:
    keys = typer.Typer(help="The keys of a house on many machines: made, listed, rotated.", no_args_is_help=True)
    keys.command()(init)
    keys.command()(show)
    keys.command()(rotate)
    keys.command()(revoke)
    app.add_typer(keys, name="keys")


def init(
    folder: Folder,
    owner: Annotated[int | None, typer.Option(help="The user id that is to own them; takes root.")] = None,
    tls: Annotated[bool, typer.Option("--tls", help="Certificates, too, for a year.")] = False,
    name: Annotated[
        list[str], typer.Option(help="One more name or address that the certificates are for; as often as needed.")
    ] = [],  # noqa: B006 - Typer only reads it
    as_json: Json = False,
) -> None:
    """Make every key that is missing; what is there is kept."""
    made = make_keys(folder, settings().partitions, owner=owner, tls_for=name if tls or name else None)
    _print(made, as_json)


def show(folder: Folder, as_json: Json = False) -> None:
    """List the keys by what tells them apart; no secret is shown."""
    _print(list_keys(folder), as_json)


def revoke(
    folder: Folder,
    key: Annotated[str, typer.Argument(metavar="KEY", help="Its id, as `keys show` lists it.")],
) -> None:
    """Trust a key of tokens no more. What it has signed counts for nothing where this trust.json is read."""
    revoke_key(folder / "trust.json", key)
    note(f"{key} is trusted no more; bring {folder / 'trust.json'} to every service.")


def rotate(
    file: Annotated[Path, typer.Argument(help="A master key: deck/master.key or tournament/master.key.")],
    in_force_after_s: Annotated[
        int, typer.Option(min=0, help="Seconds until matches are promised under it; every replica has it by then.")
    ] = IN_FORCE_AFTER_S,
    as_json: Json = False,
) -> None:
    """Put a new master key in front of the others. What runs keeps the key that it was promised under."""
    key = rotate_key(file, in_force_after_s=in_force_after_s)
    if as_json:
        print_json({"path": str(file), "id": key.key_id, "since": key.since})
    else:
        note(
            f"New matches are promised under key {key.key_id} in {in_force_after_s} s; keep the older ones in the file."
        )


def _print(kept: list[Kept], as_json: bool) -> None:
    if as_json:
        print_json([{"path": each.path, "what": each.what, "id": each.id} for each in kept])
    else:
        print_table("Keys", ["file", "what", "id"], [(each.path, each.what, each.id) for each in kept])
