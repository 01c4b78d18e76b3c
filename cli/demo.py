"""The demo: a round of tables, played by bots through the same calls as anybody's, watched, exported and verified.

Master key and match ids are derived from the seed text, and bots draw their lots by seat and move, so the same text
gives the same matches whatever the timing.
"""

import asyncio
import hashlib
import secrets
import sys
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, aclosing
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TypeVar

import msgspec
from rich.live import Live
from rich.text import Text

from bots.brains import brain_named
from bots.player import Player
from cli.output import console, errors, print_json, print_table
from engine.games import find_game, game_of_rules
from engine.kernel.commit import actor_seat
from engine.kernel.game import AnyGame
from engine.kernel.official import EVENTS, MatchEnded, SeedRevealed
from engine.kernel.ports import Unavailable
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Revision, Spectator
from engine.luck.verifier import Report, verify
from services.kit.config import settings
from services.kit.key import MasterKey, load_or_make, write
from services.kit.wire.house import HouseClients, connect
from services.local.folder import check_folder
from services.local.house import House
from services.local.plan import plan_house

T = TypeVar("T")


class DemoPlan(msgspec.Struct, frozen=True):
    """What to play. Without a ``seed`` one is made up."""

    games: list[str]
    tables: int
    seats: int
    seed: str
    bots: str
    data: Path


class Seen:
    """One table as its spectator has followed it."""

    def __init__(self, match_id: str, game: AnyGame, seats: int) -> None:
        self.match_id = match_id
        self.game = game
        self.seats = seats
        self.revision: Revision = 0
        self.moves = 0
        self.ended: MatchEnded | None = None
        self.complete = False


async def run_demo(plan: DemoPlan, *, as_json: bool) -> None:
    """Raises ``Refusal``, ``Unavailable`` or ``VerificationFailed`` if anything is not as it must be."""
    seed = plan.seed or secrets.token_hex(4)
    for game in plan.games:
        brain_named(plan.bots, find_game(game), 0)
    check_folder(plan.data)
    if plan.seed:
        _derive_key(plan.data, plan.seed)
    tables = _tables(plan, seed)
    async with (
        House(plan_house(plan.data, 0), durability=settings().durability) as house,
        connect(house.url) as clients,
    ):
        started = monotonic()
        await _play(clients, tables, plan, seed)
        seconds = monotonic() - started
        exports = await _exports(clients, tables)
    files = _write(tables, exports, plan.data / "exports")
    reports = [_verify(file) for file in files]
    _print(plan, seed, tables, files, reports, seconds, as_json=as_json)


def _derive_key(data: Path, seed: str) -> None:
    path = data / "deck" / "master.key"
    key = MasterKey("demo", hashlib.sha256(b"tavolata-demo-key\x00" + seed.encode()).hexdigest())
    if not path.exists():
        write(path, key)
    elif load_or_make(path) != key:
        raise Refusal(
            "other_key",
            f"{data} has another master key than --seed {seed} asks for; take another --data folder.",
            Kind.INVALID,
        )


def _tables(plan: DemoPlan, seed: str) -> list[Seen]:
    name = hashlib.sha256(seed.encode()).hexdigest()[:6]
    tables = []
    for number in range(plan.tables):
        game = find_game(plan.games[number % len(plan.games)])
        seats = max(game.seats.start, min(plan.seats, game.seats.stop - 1))
        tables.append(Seen(f"demo-{name}-t{number + 1:02d}", game, seats))
    return tables


async def _play(clients: HouseClients, tables: list[Seen], plan: DemoPlan, seed: str) -> None:
    async with AsyncExitStack() as stack:
        progress = await stack.enter_async_context(_Progress(tables))
        async with asyncio.TaskGroup() as group:
            for table in tables:
                group.create_task(_play_table(clients, table, plan.bots, seed))
        progress.show()


async def _play_table(clients: HouseClients, table: Seen, level: str, seed: str) -> None:
    rules = clients.rules(table.game.key)
    nonces = [hashlib.sha256(f"{seed}/{seat}".encode()).hexdigest()[:16] for seat in range(table.seats)]
    await _patiently(
        lambda: rules.open(
            table.match_id, table.game.key, table.seats, nonces=nonces, players=[f"bot:{level}"] * table.seats
        )
    )
    async with asyncio.TaskGroup() as group:
        group.create_task(_watch(clients, table))
        for seat in range(table.seats):
            brain = brain_named(level, table.game, seat)
            name = f"{seed}/{table.match_id}/{seat}"
            player = Player(table.game, table.match_id, seat, brain, name, rules, clients.spectator)
            group.create_task(player.play())


async def _watch(clients: HouseClients, table: Seen) -> None:
    """Follow a table to its end as anybody may, over whatever breaks on the way; every revision once, no gaps."""
    while not table.complete:
        try:
            async with aclosing(clients.spectator.facts(table.match_id, Spectator(), after=table.revision)) as facts:
                async for fact in facts:
                    assert fact.revision == table.revision + 1, "a revision is missing or came twice"
                    table.revision = fact.revision
                    table.moves += actor_seat(fact.actor) is not None
                    for recorded in fact.events:
                        if recorded.type == MatchEnded.name:
                            ended = EVENTS.decode(recorded)
                            assert isinstance(ended, MatchEnded)
                            table.ended = ended
                        table.complete |= recorded.type == SeedRevealed.name
        except Unavailable:
            await asyncio.sleep(0.2)


async def _exports(clients: HouseClients, tables: list[Seen]) -> list[list[bytes]]:
    return [await _patiently(partial(clients.spectator.export, table.match_id)) for table in tables]


def _write(tables: list[Seen], exports: list[list[bytes]], folder: Path) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for table, lines in zip(tables, exports, strict=True):
        path = folder / f"{table.match_id}.jsonl"
        path.write_bytes(b"".join(line + b"\n" for line in lines))
        files.append(path)
    return files


def _verify(file: Path) -> Report:
    with file.open("rb") as lines:
        return verify(lines, game_of_rules)


async def _patiently(call: Callable[[], Awaitable[T]]) -> T:
    """Again while a service is being started anew."""
    for _ in range(60):
        try:
            return await call()
        except Unavailable:
            await asyncio.sleep(0.25)
    return await call()


class _Progress:
    """Tables, moves, moves a second; on stderr, and only on a terminal."""

    def __init__(self, tables: list[Seen]) -> None:
        self._tables = tables
        self._started = monotonic()
        self._live = Live(console=errors, auto_refresh=False, transient=True) if sys.stderr.isatty() else None
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> "_Progress":
        if self._live is not None:
            self._live.start()
            self._task = asyncio.create_task(self._tick())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._task is not None:
            self._task.cancel()
        if self._live is not None:
            self._live.stop()

    def show(self) -> None:
        if self._live is None:
            return
        moves = sum(table.moves for table in self._tables)
        done = sum(table.complete for table in self._tables)
        seconds = monotonic() - self._started
        marks = "".join("●" if table.complete else "◐" if table.revision else "○" for table in self._tables[:64])
        line = (
            f"{marks}  {done} of {len(self._tables)} tables · {moves} moves · {moves / max(seconds, 0.1):.0f} moves/s"
        )
        self._live.update(Text(line), refresh=True)

    async def _tick(self) -> None:
        while True:
            self.show()
            await asyncio.sleep(0.1)


def _print(
    plan: DemoPlan,
    seed: str,
    tables: list[Seen],
    files: list[Path],
    reports: list[Report],
    seconds: float,
    *,
    as_json: bool,
) -> None:
    moves = sum(table.moves for table in tables)
    size = sum(file.stat().st_size for file in files) // len(files)
    results = [
        {
            "match": table.match_id,
            "game": table.game.key,
            "ranks": table.ended.ranks if table.ended else (),
            "totals": table.ended.totals if table.ended else (),
            "reason": table.ended.reason if table.ended else "",
            "commits": report.commits,
            "draws": report.draws,
            "root": report.root_hash,
            "export": str(file),
        }
        for table, file, report in zip(tables, files, reports, strict=True)
    ]
    if as_json:
        print_json({"seed": seed, "seconds": round(seconds, 2), "moves": moves, "matches": results})
        return
    rows = []
    for table, report in zip(tables, reports, strict=True):
        ended = table.ended
        assert ended is not None
        places = sorted(zip(ended.ranks, range(table.seats), ended.totals, strict=True))
        ranking = "  ".join(f"{rank}. seat {seat} ({total})" for rank, seat, total in places)
        rows.append((table.match_id, ranking, ended.reason, report.commits, report.draws))
    print_table(
        "Final rankings, every export verified", ["match", "ranking (points)", "won by", "commits", "draws"], rows
    )
    first = files[0]
    console.print(
        f"{len(files)} matches, {moves} moves in {seconds:.1f} s ({moves / seconds:.0f} a second), seed {seed}\n"
        f"verified: {sum(report.commits for report in reports)} commits chained, "
        f"{sum(report.decisions for report in reports)} decisions decided again, "
        f"{sum(report.draws for report in reports)} draws drawn again\n"
        f"exports:  {first.parent}/ ({size / 1024:.0f} KiB each on average)\n"
        f"replay:   tavolata replay {first} --at 20 --svg board.svg\n"
        f"verify:   tavolata verify {first}\n"
        f"watch:    tavolata up --data {plan.data}, then tavolata watch {tables[0].match_id}",
        markup=False,
        soft_wrap=True,
    )
