"""``keys``: the keys of a house that is on more than one machine."""

from pathlib import Path
from typing import Annotated

import typer

from cli.output import Json, print_json, print_table
from services.kit.config import settings
from services.local.keys import Kept, make_keys

Folder = Annotated[Path, typer.Argument(help="The folder of the keys.")]


def add_to(app: typer.Typer) -> None:
    keys = typer.Typer(help="The keys of a house on many machines: made, listed, rotated.", no_args_is_help=True)
    keys.command()(init)
    app.add_typer(keys, name="keys")


def init(
    folder: Folder,
    owner: Annotated[int | None, typer.Option(help="The user id that is to own them; takes root.")] = None,
    as_json: Json = False,
) -> None:
    """Make every key that is missing; what is there is kept."""
    _print(make_keys(folder, settings().partitions, owner=owner), as_json)


def _print(kept: list[Kept], as_json: bool) -> None:
    if as_json:
        print_json([{"path": each.path, "what": each.what, "id": each.id} for each in kept])
    else:
        print_table("Keys", ["file", "what", "id"], [(each.path, each.what, each.id) for each in kept])
