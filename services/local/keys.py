"""The folder that holds every key of a house: made once, kept for ever, and handed out a file at a time.

``tavolata keys init`` makes all of it, for a house on many machines; ``tavolata up`` makes what it needs in the data
folder. What is there is never made anew. Only what follows from it, and holds no secret, is written again each time.

    nats/<user>.seed     who a service is to NATS
    nats/auth.conf       who may do what there, for every NATS server to include
    deck/master.key      all luck of the matches
    tournament/master.key   all lots of the pairings
    postgres/password    of the databases
"""

import os
import secrets
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

import msgspec

from engine.games import all_games
from engine.kernel.refusal import Kind, Refusal
from services.kit.jetstream.credentials import new_seed, public_key, read_seed
from services.kit.jetstream.users import authorization, users
from services.kit.key import load_or_make
from services.kit.secret_files import read_secret, write_secret

PASSWORD_BYTES: Final = 32


class Kept(msgspec.Struct, frozen=True):
    """One file of the folder. ``id`` tells it from others of its kind, and tells nothing else."""

    path: str
    what: str
    id: str = ""


Part = Callable[[Path, int], list[Kept]]
"""Makes what is missing of one part of the folder, for a log of so many partitions; what of it is there."""


def nats_users(folder: Path, partitions: int) -> list[Kept]:
    """A seed for every user, and what they may do."""
    everybody = users(all_games(), partitions)
    keys = make_seeds(folder / "nats", [user.name for user in everybody])
    write_public(folder / "nats" / "auth.conf", authorization(everybody, keys))
    return [
        Kept("nats/auth.conf", "users of NATS"),
        *(Kept(f"nats/{name}.seed", "seed of a user of NATS", key) for name, key in keys.items()),
    ]


def master_keys(folder: Path, _: int) -> list[Kept]:
    paths = [f"{service}/master.key" for service in ("deck", "tournament")]
    return [Kept(path, "master key", load_or_make(folder / path).key_id) for path in paths]


def database_password(folder: Path, _: int) -> list[Kept]:
    path = folder / "postgres" / "password"
    if not path.exists():
        write_secret(path, secrets.token_urlsafe(PASSWORD_BYTES).encode())
    read_secret(path)
    return [Kept("postgres/password", "password of the databases")]


PARTS: Final[tuple[Part, ...]] = (nats_users, master_keys, database_password)


def make_keys(folder: Path, partitions: int, *, owner: int | None = None) -> list[Kept]:
    """Make what is missing of the folder; all that is there. ``owner`` is the user id that is to own it.

    Raises ``Refusal`` for a file that cannot be trusted, or (``keys_owner``) if it is not ours to give away.
    """
    if owner is not None and os.geteuid() not in (0, owner):
        raise Refusal("keys_owner", "Only root can give the keys to another user.", Kind.DENIED)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    kept = [each for part in PARTS for each in part(folder, partitions)]
    if owner is not None:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, owner, -1)
    return kept


def make_seeds(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """The public key of each user; who has no seed yet gets one."""
    keys = {}
    for name in names:
        path = seed_file(folder, name)
        if not path.exists():
            write_secret(path, f"{new_seed()}\n".encode())
        keys[name] = public_key(read_seed(path))
    return keys


def seed_file(folder: Path, user: str) -> Path:
    return folder / f"{user}.seed"


def write_public(path: Path, text: str) -> None:
    """Something without a secret that follows from the keys; a reader sees the old one or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    draft.write_text(text)
    draft.chmod(0o644)
    draft.replace(path)
