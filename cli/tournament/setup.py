"""``create``, ``configure``, ``list``, and opening and closing the registration."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from tavolata.tournament.v1 import tournament_pb2 as pb

from cli.client import ask
from cli.output import DEFAULT_SERVER, Json, Server, console, note, print_json, print_table
from cli.tournament.asking import DEFAULT_BY, By, CommandId, Event, Reason, carry_out
from cli.tournament.present import event_fields
from engine.kernel.refusal import Kind, Refusal
from engine.tournament import commands as c
from engine.tournament.config import config_of
from engine.tournament.limits import CONFIG_BYTES_MAX
from services.kit.wire.house import HouseClients


def create(
    event: Event,
    file: Annotated[Path, typer.Argument(metavar="FILE.toml", help="The configuration.")],
    check: Annotated[bool, typer.Option("--check", help="Only say what is wrong with it.")] = False,
    entrants: Annotated[int, typer.Option(min=0, help="With --check: how many are expected.")] = 0,
    by: By = DEFAULT_BY,
    server: Server = DEFAULT_SERVER,
    as_json: Json = False,
) -> None:
    """Create an event from its configuration."""
    text = configuration_in(file)
    if check:
        checked = ask(server, lambda clients: clients.tournament.check(text, entrants=entrants))
        _print_warnings(checked.warnings, as_json=as_json)
        if as_json:
            config = msgspec.json.decode(checked.config_json)
            print_json({"config": config, "warnings": [_warning_fields(each) for each in checked.warnings]})
        else:
            console.print(f"{file} holds.", markup=False)
        return
    created = ask(server, lambda clients: clients.tournament.create(event, text, by))
    _print_warnings(created.warnings, as_json=as_json)
    if as_json:
        print_json(
            {
                "event": event,
                "revision": created.revision,
                "duplicate": created.duplicate,
                "warnings": [_warning_fields(each) for each in created.warnings],
            }
        )
        return
    already = " already" if created.duplicate else ""
    console.print(f"{event} is{already} created. Next: tavolata tournament open {event}", markup=False)


def configure(
    event: Event,
    file: Annotated[Path, typer.Argument(metavar="FILE.toml", help="The whole configuration, with what is changed.")],
    by: By = DEFAULT_BY,
    reason: Reason = "",
    command_id: CommandId = "",
    server: Server = DEFAULT_SERVER,
    as_json: Json = False,
) -> None:
    """Change the configuration: all of it before the first round, later what was not played yet."""
    command = c.Configure(config_of(configuration_in(file)), reason)
    carry_out(event, command, by, command_id, server, as_json=as_json)


def list_events(server: Server = DEFAULT_SERVER, as_json: Json = False) -> None:
    """The events of a house, newest first."""

    async def use(clients: HouseClients) -> list[pb.Tournament]:
        return [each async for each in clients.tournament.tournaments()]

    events = ask(server, use)
    if as_json:
        print_json([event_fields(each) for each in events])
        return
    rows = [
        (each.tournament_id, each.name, each.phase, each.entrants, each.stage_name, each.round or "-", each.round_phase)
        for each in events
    ]
    print_table("Events", ["event", "name", "phase", "entrants", "stage", "round", "round is"], rows)


def configuration_in(file: Path) -> str:
    """The text of a configuration. Raises ``Refusal`` for a file that cannot be one."""
    if file.stat().st_size > CONFIG_BYTES_MAX:
        raise Refusal("bad_config", f"{file} has more than {CONFIG_BYTES_MAX} bytes.", Kind.INVALID)
    try:
        return file.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Refusal("bad_config", f"{file} is no UTF-8 text.", Kind.INVALID) from error


def _print_warnings(warnings: Sequence[pb.Warning], *, as_json: bool) -> None:
    for each in warnings if not as_json else ():
        note(f"{each.code}: {each.sentence}")


def _warning_fields(warning: pb.Warning) -> dict[str, str]:
    return {"code": warning.code, "sentence": warning.sentence}
