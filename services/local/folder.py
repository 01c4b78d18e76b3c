"""The data folder of a house: ours or not, of which format, and in use by one house only.

Two event logs written by two servers into one folder destroy each other, so the folder is locked before anything is
started. The lock is handed on to nats-server: it is free again when the last process that writes there has ended,
also after the house was killed.
"""

import asyncio
import fcntl
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from engine.kernel.refusal import Kind, Refusal
from services.kit.jetstream.users import LOG

FORMAT = 2
"""Of the data folder; a folder of a newer format is refused, one of an older is taken over.

1: the log is in the account that nats-server keeps for everybody. 2: it is in one of its own, since there are users.
"""

EVERYBODY = "$G"
"""The account of a server without users, as a folder of its store."""

PATIENCE_S = 5.0
"""How long a killed house may take to let go."""


@asynccontextmanager
async def held(data: Path) -> AsyncIterator[int]:
    """The folder, checked and locked; its lock as a file descriptor. Raises ``Refusal``."""
    check_folder(data)
    lock = os.open(data / "tavolata.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        deadline = asyncio.get_running_loop().time() + PATIENCE_S
        while not _locked(lock):
            if asyncio.get_running_loop().time() > deadline:
                raise Refusal("data_folder_in_use", f"Another house is open on {data}; close it first.", Kind.EXISTS)
            await asyncio.sleep(0.1)
        take_over(data)
        yield lock
    finally:
        os.close(lock)


def check_folder(data: Path) -> None:
    """Make the data folder, or check that it is one of ours and not of a newer version. Raises ``Refusal``."""
    marker = data / "tavolata.json"
    try:
        data.mkdir(parents=True, exist_ok=True, mode=0o700)  # the log has every hand of the matches that run
        if not marker.exists():
            if any(data.iterdir()):
                raise Refusal(
                    "not_a_data_folder", f"{data} is not empty and not a data folder of Tavolata.", Kind.INVALID
                )
            marker.write_text(json.dumps({"format": FORMAT}) + "\n")
        found = json.loads(marker.read_text())["format"]
    except OSError as error:
        raise Refusal(
            "data_folder", f"The data folder {data} cannot be used: {error.strerror}.", Kind.INVALID
        ) from error
    except (ValueError, KeyError, TypeError) as error:
        raise Refusal("data_folder_damaged", f"{marker} is damaged.", Kind.INVALID) from error
    if type(found) is not int or not 1 <= found <= FORMAT:
        raise Refusal(
            "data_folder_newer",
            f"{data} was written by another Tavolata (format {found}, here {FORMAT}); run that one, or take another "
            "folder.",
            Kind.INVALID,
        )


def take_over(data: Path) -> None:
    """Bring a folder of an older format to ours; harmless to repeat, whenever it was interrupted."""
    store = data / "nats" / "jetstream"
    if (store / EVERYBODY).exists() and not (store / LOG).exists():
        (store / EVERYBODY).rename(store / LOG)
    marker = data / "tavolata.json"
    if json.loads(marker.read_text())["format"] != FORMAT:
        marker.write_text(json.dumps({"format": FORMAT}) + "\n")


def _locked(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
