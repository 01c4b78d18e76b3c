"""``token seat | player | organiser | referee | caster``: tokens for people; and ``--token``, for every command.

A token is printed and kept nowhere. It is signed with the operator's key, which no service has.
"""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final

import typer

from cli.durations import DURATIONS, milliseconds_of
from cli.output import Json, print_json
from engine.kernel.refusal import Kind, Refusal
from services.kit.access.carried import carry
from services.kit.access.grants import (
    ALL,
    CasterGrant,
    Grant,
    OrganiserGrant,
    PlayerGrant,
    RefereeGrant,
    SeatGrant,
)
from services.kit.access.signing import signing_key
from services.kit.access.tokens import is_token, issue

DEFAULT_KEY: Final = Path("keys/sign/operator.json")

Key = Annotated[Path, typer.Option("--key", help="The key to sign with.")]
Life = Annotated[str, typer.Option("--life", help=f"How long it holds, {DURATIONS}, at most 24h.")]
Event = Annotated[str, typer.Option("--event", help="All of its matches; * is every event.")]
Match = Annotated[str, typer.Option("--match", help="One match.")]


def add_to(app: typer.Typer) -> None:
    group = typer.Typer(help="Make tokens: who may play, run events, direct and look.", no_args_is_help=True)
    group.command("seat")(seat)
    group.command("player")(player)
    group.command("organiser")(organiser)
    group.command("referee")(referee)
    group.command("caster")(caster)
    app.add_typer(group, name="token")
    app.callback()(who)


def who(
    token: Annotated[
        str,
        typer.Option("--token", envvar="TAVOLATA_TOKEN", show_envvar=True, help="Who you are, to a house with keys."),
    ] = "",
) -> None:
    """Board-game tournaments whose every turn can be checked, watched and replayed."""
    if token and not is_token(token):
        raise Refusal("token_invalid", "What --token says is no token; copy it whole.", Kind.UNAUTHENTICATED)
    carry(lambda: token)


def seat(
    match: Annotated[str, typer.Argument(metavar="MATCH", help="The id of a match.")],
    seat: Annotated[int, typer.Argument(metavar="SEAT", min=0, help="Its seat, from 0.")],
    life: Life = "8h",
    key: Key = DEFAULT_KEY,
    as_json: Json = False,
) -> None:
    """For one seat of one match: to play it, and to look as it."""
    _make(lambda: SeatGrant(match, seat), life, key, as_json)


def player(
    player: Annotated[str, typer.Argument(metavar="PLAYER", help="The opaque id of a player.")],
    event: Event = ALL,
    life: Life = "8h",
    key: Key = DEFAULT_KEY,
    as_json: Json = False,
) -> None:
    """For every seat that the opening of a match gives to a player."""
    _make(lambda: PlayerGrant(player, event), life, key, as_json)


def organiser(
    event: Annotated[str, typer.Argument(metavar="[EVENT]", help="The id of an event; without it, of all.")] = ALL,
    life: Life = "8h",
    key: Key = DEFAULT_KEY,
    as_json: Json = False,
) -> None:
    """To run an event; all events, and single matches, too, if none is named."""
    _make(lambda: OrganiserGrant(event), life, key, as_json)


def referee(
    event: Event = "", match: Match = "", life: Life = "8h", key: Key = DEFAULT_KEY, as_json: Json = False
) -> None:
    """To direct the matches of an event, or one match, and to see every hand there."""
    _make(lambda: RefereeGrant(event, match), life, key, as_json)


def caster(
    event: Event = "", match: Match = "", life: Life = "8h", key: Key = DEFAULT_KEY, as_json: Json = False
) -> None:
    """To see every hand, as late as spectators do."""
    _make(lambda: CasterGrant(event, match), life, key, as_json)


def _make(grant: Callable[[], Grant], life: str, key: Path, as_json: bool) -> None:
    try:
        made = grant()
    except ValueError as error:
        raise Refusal("bad_token", f"There is no such token: {error}.", Kind.INVALID) from None
    life_s = milliseconds_of(life) // 1_000
    token = issue(signing_key(key), made, life_s)
    if as_json:
        until = datetime.fromtimestamp(int(time.time()) + life_s, UTC).isoformat()
        print_json({"token": token, "expires_at": until})
    else:
        typer.echo(token)
