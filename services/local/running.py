"""A house that is open on a data folder, found by another process."""

import fcntl
import json
import os
from pathlib import Path

from engine.kernel.refusal import Kind, Refusal


def log_of(data: Path) -> str:
    """Where the log of the open house on ``data`` is. Raises ``Refusal`` (``house_closed``) if none is open."""
    closed = Refusal("house_closed", f"No house is open on {data}; open it with tavolata up.", Kind.MISSING)
    if not _is_held(data / "tavolata.lock"):
        raise closed
    try:
        [written] = (data / "nats").glob("*.ports")
        found: str = json.loads(written.read_text())["nats"][0]
    except (ValueError, KeyError, IndexError, OSError) as error:  # its log is being started
        raise closed from error
    return found


def _is_held(lock: Path) -> bool:
    try:
        opened = os.open(lock, os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(opened)
    return False
