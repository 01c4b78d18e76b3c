"""What the demo plays, apart from how: the command that asks for it starts without all that it takes."""

from pathlib import Path

import msgspec

TARGET = 4
"""Seats of a table."""


class DemoPlan(msgspec.Struct, frozen=True):
    """What to play. Without a ``seed`` one is made up; without a ``server`` there is a house of its own in ``data``."""

    games: list[str]
    players: int
    seed: str
    bots: str
    data: Path
    server: str = ""
