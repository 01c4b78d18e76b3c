"""What the processes of the bare way share: names, and how each is started and told to end."""

import asyncio
import json
import sys
from typing import Any, Final

STREAM: Final = "BARE"
SUBJECTS: Final = "bare.>"
LIVE: Final = "live."
"""Before a subject: where the log says what it has stored."""
PLAY: Final = ("bare.Bare", "Play")
WATCH: Final = ("bare.Bare", "Watch")
TABLE: Final = "table"
"""The key of a stream's metadata that says which table it is of."""
COMMAND_BYTES: Final = 200
"""Of a command; the commit that is made of it is a little longer."""


def say(**said: Any) -> None:
    print(json.dumps(said), flush=True)


async def heard() -> str:
    """A line of standard input; empty at its end, which means that it is time to go."""
    return await asyncio.to_thread(sys.stdin.readline)
