"""``log``: who did what, when and why, as the log of an event keeps it."""

from typing import Annotated, Any

import msgspec
import typer

from cli.client import ask
from cli.output import DEFAULT_SERVER, Json, Server, print_json, print_table
from cli.tournament.asking import Event
from cli.tournament.times import here_and_now, local_day_and_time
from engine.kernel.commit import HOUSE, Commit, decode_line
from engine.kernel.value import clip
from engine.tournament.actors import ORGANISER

DETAIL_MAX = 70
"""Characters of a command's fields in the table; --json has all of them."""


def log(
    event: Event,
    by: Annotated[str, typer.Option("--by", help="Only what this organiser, or player:ENTRY, has done.")] = "",
    house: Annotated[bool, typer.Option("--house", help="Also what the house did by itself.")] = False,
    server: Server = DEFAULT_SERVER,
    as_json: Json = False,
) -> None:
    """Who did what, when and why; the oldest first. Manual pairings, corrections and penalties are all in it."""
    commits = [decode_line(line) for line in ask(server, lambda clients: clients.tournament.export(event))]
    shown = [commit for commit in commits if _is_wanted(commit, by, house=house)]
    if as_json:
        print_json([_fields(commit) for commit in shown])
        return
    now = here_and_now()
    rows = [
        (commit.revision, local_day_and_time(commit.at, now), _who(commit), *_what(commit), _reason(commit))
        for commit in shown
    ]
    print_table(f"Log of {event}", ["revision", "when", "who", "what", "with", "why"], rows)


def _is_wanted(commit: Commit, by: str, *, house: bool) -> bool:
    if by:
        return by in (_who(commit), commit.actor)
    return house or commit.actor != HOUSE


def _who(commit: Commit) -> str:
    return commit.actor.removeprefix(ORGANISER)


def _what(commit: Commit) -> tuple[str, str]:
    """``drop``, and the fields of the command but its reason, where they are short."""
    data = {key: value for key, value in _data(commit).items() if key not in ("reason", "config", "seed", "commitment")}
    detail = ", ".join(f"{key} {_short(value)}" for key, value in data.items())
    return commit.command.type.removeprefix("tournament.").replace("_", " "), clip(detail, DETAIL_MAX).strip("'")


def _short(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _reason(commit: Commit) -> str:
    return str(_data(commit).get("reason", ""))


def _data(commit: Commit) -> dict[str, Any]:
    data: dict[str, Any] = msgspec.json.decode(commit.command.data)
    return data


def _fields(commit: Commit) -> dict[str, Any]:
    return {
        "revision": commit.revision,
        "at": commit.at,
        "actor": commit.actor,
        "command": commit.command.type,
        "data": _data(commit),
        "events": [recorded.type for recorded in commit.events],
    }
