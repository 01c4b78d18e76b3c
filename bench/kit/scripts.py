"""Matches that are played before they are measured: what their bots will say, move by move.

The deck's luck follows from its master key and the id of a match, so a match of the bench can be thought out before any
clock runs. What is measured then is the house, and not how long a bot thinks.
"""

import random
from pathlib import Path
from typing import Final, TypeAlias

import msgspec

from engine.games import find_game
from engine.kernel.game import Seats
from engine.kernel.value import Seat
from engine.luck.seeds import SEED_BYTES, match_seed
from services.kit.key import MasterKey, write
from tests.kit.table import Table, pick

Said: TypeAlias = tuple[str, Seat, str]
"""One command: its id, the seat that speaks, and the command as JSON."""

Script: TypeAlias = tuple[str, list[Said]]
"""A match id, and what is said in it."""

KEY: Final = MasterKey("bench", bytes(range(SEED_BYTES)).hex())


def give_key(data: Path) -> None:
    """Make the deck of a house that is not open yet draw what the scripts expect."""
    path = data / "deck" / "master.key"
    path.parent.mkdir(parents=True, exist_ok=True)
    write(path, KEY)


def scripts(game: str, seats: int, name: str, moves: int, *, each: int = 10_000) -> list[Script]:
    """Matches ``name-1``, ``name-2`` ... of random but legal moves, ``moves`` in all; ``each`` is the most of one."""
    made: list[Script] = []
    wanted = moves
    while wanted > 0:
        made.append(script(game, seats, f"{name}-{len(made) + 1}", min(each, wanted)))
        wanted -= len(made[-1][1])
    return made


def script(game: str, seats: int, match_id: str, moves: int) -> Script:
    rules = find_game(game)
    table = Table(rules, match_id, match_seed(KEY.secret, match_id)).open(seats).settle()
    lots = random.Random(match_id)
    said: list[Said] = []
    while len(said) < moves and isinstance(pending := table.pending, Seats):
        seat = pending.seats[0]
        command = pick(rules, table.state.game, seat, lots)
        table.move(seat, command)
        table.settle()
        said.append((f"b{len(said) + 1}", seat, msgspec.json.encode(rules.commands.encode(command)).decode()))
    return match_id, said
