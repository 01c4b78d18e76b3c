"""The folder that holds every key of a house: made once, kept for ever, and handed out a file at a time.

``tavolata keys init`` makes all of it, for a house on many machines; ``tavolata up`` makes what it needs in the data
folder. What is there is never made anew. Only what follows from it, and holds no secret, is written again each time.

    nats/<user>.seed     who a service is to NATS
    nats/auth.conf       who may do what there, for every NATS server to include
    deck/master.key      all luck of the matches
    tournament/master.key   all lots of the pairings
    postgres/password    of the databases
    sign/<name>.json     what tokens are signed with
    trust.json           whose tokens are believed
    tls/<name>.pem, .key certificates, where they are asked for
"""

import os
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from engine.games import all_games
from engine.kernel.refusal import Kind, Refusal
from services.kit.access.making import write_signing_keys, write_tls, write_trust
from services.kit.access.signing import signing_key
from services.kit.jetstream.credentials import new_seed, public_key, read_seed
from services.kit.jetstream.users import authorization, users
from services.kit.key import load_or_make
from services.kit.secret_files import PUBLIC, put_file, read_secret, write_secret

MASTER_KEYS: Final = ("deck/master.key", "tournament/master.key")
DATABASE: Final = "postgres/password"
PASSWORD_BYTES: Final = 32


class Kept(msgspec.Struct, frozen=True):
    """One file of the folder. ``id`` tells it from others of its kind, and tells nothing else."""

    path: str
    what: str
    id: str = ""


class Part(NamedTuple):
    """One kind of keys: ``make`` makes what is missing of it, for a log of so many partitions; ``show`` lists it."""

    make: Callable[[Path, int], None]
    show: Callable[[Path], Iterator[Kept]]


def _make_users(folder: Path, partitions: int) -> None:
    everybody = users(all_games(), partitions)
    keys = make_seeds(folder / "nats", [user.name for user in everybody])
    put_file(folder / "nats" / "auth.conf", authorization(everybody, keys).encode(), PUBLIC)


def _show_users(folder: Path) -> Iterator[Kept]:
    if (folder / "nats" / "auth.conf").exists():
        yield Kept("nats/auth.conf", "users of NATS")
    for path in sorted((folder / "nats").glob("*.seed")):
        yield Kept(f"nats/{path.name}", "seed of a user of NATS", public_key(read_seed(path)))


def _make_master_keys(folder: Path, _: int) -> None:
    for path in MASTER_KEYS:
        load_or_make(folder / path)


def _show_master_keys(folder: Path) -> Iterator[Kept]:
    for path in MASTER_KEYS:
        if (folder / path).exists():
            for key in load_or_make(folder / path).keys:
                yield Kept(path, "master key", key.key_id)


def _make_password(folder: Path, _: int) -> None:
    path = folder / DATABASE
    if not path.exists():
        write_secret(path, secrets.token_urlsafe(PASSWORD_BYTES).encode())
    read_secret(path)


def _show_password(folder: Path) -> Iterator[Kept]:
    if (folder / DATABASE).exists():
        yield Kept(DATABASE, "password of the databases")


def _make_token_keys(folder: Path, _: int) -> None:
    write_signing_keys(folder)
    write_trust(folder)


def _show_certificates(folder: Path) -> Iterator[Kept]:
    for path in sorted((folder / "tls").glob("*.pem")):
        yield Kept(f"tls/{path.name}", "who signs certificates" if path.stem == "ca" else "certificate")


def _show_token_keys(folder: Path) -> Iterator[Kept]:
    if (folder / "trust.json").exists():
        yield Kept("trust.json", "whose tokens are believed")
    for path in sorted((folder / "sign").glob("*.json")):
        yield Kept(f"sign/{path.name}", "key that signs tokens", signing_key(path).kid)


PARTS: Final = (
    Part(_make_users, _show_users),
    Part(_make_master_keys, _show_master_keys),
    Part(_make_password, _show_password),
    Part(_make_token_keys, _show_token_keys),
)
"""All that there is in such a folder; another kind of keys is another line."""


def make_keys(
    folder: Path, partitions: int, *, owner: int | None = None, tls_for: Sequence[str] | None = None
) -> list[Kept]:
    """Make what is missing of the folder; all that is there. ``owner`` is the user id that is to own it. ``tls_for``
    asks for certificates, and has the names and addresses that they are for beside those of the services.

    Raises ``Refusal`` for a file that cannot be trusted, or (``keys_owner``) if it is not ours to give away.
    """
    if owner is not None and os.geteuid() not in (0, owner):
        raise Refusal("keys_owner", "Only root can give the keys to another user.", Kind.DENIED)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for part in PARTS:
        part.make(folder, partitions)
    if tls_for is not None:
        write_tls(folder, also=tls_for)
    if owner is not None:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, owner, -1, follow_symlinks=False)  # or its owner could be given any file of the machine
    return list_keys(folder)


def list_keys(folder: Path) -> list[Kept]:
    """What is there. Raises ``Refusal`` for a file that cannot be trusted."""
    return [*(kept for part in PARTS for kept in part.show(folder)), *_show_certificates(folder)]


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
