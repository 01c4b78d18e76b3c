"""``log``: who did what, when and why, as the log of an event keeps it."""

from typing import Annotated, Any

import msgspec
import typer

from cli.client import ask
from cli.output import DEFAULT_SERVER, Json, Server, print_json, print_table
from cli.tournament.asking import Event
from cli.tournament.times import here_and_now, local_day_and_time
from engine.kernel.commit import HOUSE, Commit, decode_line
from engine.tournament.actors import ORGANISER
from engine.tournament.commands import COMMANDS, Command
from engine.tournament.wording import reason_of, sentence_of


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
    rows = []
    for commit in shown:
        command = _command(commit)
        when = local_day_and_time(commit.at, now)
        rows.append((commit.revision, when, _who(commit), sentence_of(command), reason_of(command)))
    print_table(f"Log of {event}", ["revision", "when", "who", "what", "why"], rows)


def _is_wanted(commit: Commit, by: str, *, house: bool) -> bool:
    if by:
        return by in (_who(commit), commit.actor)
    return house or commit.actor != HOUSE


def _who(commit: Commit) -> str:
    return commit.actor.removeprefix(ORGANISER)


def _command(commit: Commit) -> Command:
    return COMMANDS.decode(commit.command)


def _fields(commit: Commit) -> dict[str, Any]:
    return {
        "revision": commit.revision,
        "at": commit.at,
        "actor": commit.actor,
        "command": commit.command.type,
        "sentence": sentence_of(_command(commit)),
        "data": msgspec.json.decode(commit.command.data),
        "events": [recorded.type for recorded in commit.events],
    }
