"""``log``: the event log of a house that is on more than one machine."""

import asyncio

import typer

from cli.output import Json, note, print_json
from services.kit.config import settings
from services.kit.jetstream.credentials import login_of
from services.kit.jetstream.making import make_log


def add_to(app: typer.Typer) -> None:
    log = typer.Typer(help="The event log of a house on many machines.", no_args_is_help=True)
    log.callback()(_log)
    log.command()(make)
    app.add_typer(log, name="log")


def _log() -> None:
    """The event log of a house on many machines."""


def make(as_json: Json = False) -> None:
    """Make its streams, as the operator; what is there is kept.

    TAVOLATA_NATS_URL, TAVOLATA_NATS_SEED_FILE, TAVOLATA_PARTITIONS and TAVOLATA_REPLICAS say where, as whom, and how.
    """
    here = settings()
    made = asyncio.run(make_log(here.nats_url, login_of(here), partitions=here.partitions, replicas=here.replicas))
    if as_json:
        print_json({"streams": made})
    else:
        note(f"The log is there: {', '.join(made)}.")
