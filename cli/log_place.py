"""Where the log is that a command works on: by the settings, or that of a house on this machine."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Final

import msgspec
import structlog
import typer

from services.kit.config import Settings, settings
from services.kit.jetstream.connection import Connection
from services.kit.jetstream.credentials import login_of

HouseFolder = Annotated[
    Path | None, typer.Option("--data", help="The folder of a house on this machine; else TAVOLATA_* say where.")
]

ASK_S: Final = 30.0
"""One question about a whole stream may take the server some seconds."""
PATIENCE_S: Final = 60.0
"""An election of the servers is over by then."""


def open_house(data: Path | None) -> Settings:
    """Of the house that is open. Raises ``Refusal`` (``house_closed``)."""
    if data is None:
        return settings()
    from services.kit.jetstream.users import OPERATOR
    from services.local.keys import seed_file
    from services.local.plan import SEEDS
    from services.local.running import log_of

    return local(data, log_of(data), seed_file(data / SEEDS, OPERATOR))


def local(data: Path, nats_url: str, nats_seed_file: Path | None) -> Settings:
    """Of a house that has everything in one folder."""
    return msgspec.structs.replace(
        settings(), nats_url=nats_url, nats_seed_file=nats_seed_file, partitions=1, replicas=1,
        people_url=f"sqlite:///{data / 'tournament' / 'people.sqlite'}",
    )  # fmt: skip


@asynccontextmanager
async def log_connection(here: Settings, patience_s: float = PATIENCE_S) -> AsyncIterator[Connection]:
    """As the user of ``nats_seed_file``, who has to be the operator. Raises ``Unavailable`` and ``Failed``."""
    connection = await Connection.open(
        here.nats_url, login=login_of(here), logger=structlog.get_logger(), ask_s=ASK_S, patience_s=patience_s
    )
    try:
        yield connection
    finally:
        await connection.close()
