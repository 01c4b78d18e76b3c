"""``up``, ``serve`` and ``demo``."""

import asyncio
import signal
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
import uvloop

from cli.demo_plan import TARGET, DemoPlan
from cli.output import Json, console, note, print_json
from engine.games import all_games, find_game
from engine.kernel.refusal import Kind, Refusal
from services.kit.config import settings
from services.kit.sockets import LOOPBACK
from services.kit.telemetry import configure_logging
from services.local.plan import plan_house

Data = Annotated[Path, typer.Option("--data", help="The folder that everything is kept in.")]


class ServiceName(StrEnum):
    deck = "deck"
    door = "door"
    gateway = "gateway"
    rules = "rules"
    scoring = "scoring"
    spectator = "spectator"
    tournament = "tournament"


def add_to(app: typer.Typer) -> None:
    app.command()(up)
    app.command()(serve)
    app.command()(demo)


def up(
    data: Data = Path("data/house"),
    port_base: Annotated[int, typer.Option(help="The first port; the house takes this and the next few.")] = 7400,
    exhibition: Annotated[bool, typer.Option("--exhibition", help="Keep one table of bots going.")] = False,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Where browsers find it; another than loopback needs --keys.")
    ] = LOOPBACK,
    keys: Annotated[
        Path | None, typer.Option(help="The folder of `tavolata keys init`; everybody has to say who they are.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Run the whole house on this machine until Ctrl-C."""
    asyncio.run(_up(data, port_base, exhibition, host, keys, as_json))


def serve(
    service: ServiceName,
    game: Annotated[str, typer.Option(help="Of a rules service: which game.")] = "",
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Of scoring and tournament: fold the read model anew.")
    ] = False,
) -> None:
    """Run one service, configured by TAVOLATA_* variables."""
    here = settings()
    if (service is ServiceName.rules) != bool(game):
        raise Refusal("bad_game", "A rules service needs --game, the others take none.", Kind.INVALID)
    match service:
        case ServiceName.deck:
            from services.deck.main import main as deck

            uvloop.run(deck(here))
        case ServiceName.door:
            from services.door.main import main as door

            uvloop.run(door(here))
        case ServiceName.gateway:
            from services.gateway.main import main as gateway

            uvloop.run(gateway(here))
        case ServiceName.rules:
            from services.rules.main import main as rules

            uvloop.run(rules(here, find_game(game).key))
        case ServiceName.scoring:
            from services.scoring.main import main as scoring

            uvloop.run(scoring(here, rebuild=rebuild))
        case ServiceName.spectator:
            from services.spectator.main import main as spectator

            uvloop.run(spectator(here))
        case ServiceName.tournament:
            from services.tournament.main import main as tournament

            uvloop.run(tournament(here, rebuild=rebuild))


def demo(
    game: Annotated[str, typer.Option(help="One game; without it, all of them in turn.")] = "",
    players: Annotated[int, typer.Option(min=TARGET, max=2_000, help="How many enter.")] = 48,
    seed: Annotated[str, typer.Option(help="Any text; the same text gives the same event.")] = "",
    bots: Annotated[str, typer.Option(help="greedy or random.")] = "greedy",
    data: Data = Path("data/demo"),
    server: Annotated[str, typer.Option(help="A house that is open, host:port, instead of one of its own.")] = "",
    as_json: Json = False,
) -> None:
    """Play a small tournament with bots; watch, export and verify all of it."""
    from cli.demo import run_demo

    games = [find_game(game).key] if game else sorted(all_games())
    # Not uvloop: its way of starting processes runs Python's fork hooks among gRPC's threads.
    asyncio.run(run_demo(DemoPlan(games, players, seed, bots, data, server), as_json=as_json))


async def _up(data: Path, port_base: int, exhibition: bool, host: str, keys: Path | None, as_json: bool) -> None:
    from services.local.house import House

    configure_logging("warning")
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    here = settings()
    common = {
        "log_level": here.log_level,
        "grace_s": here.grace_s,
        "hosts": here.hosts,
        "origins": here.origins,
        "proxies": here.proxies,
    }
    plan = plan_house(data, port_base, bots=True, exhibition=exhibition, settings=common, host=host, keys=keys)
    async with House(plan, durability=here.durability) as house:
        if as_json:
            print_json(
                {
                    "web": house.web_url,
                    "url": house.url,
                    "data": str(data),
                    "services": {s.label: s.address for s in house.plan.services if s.port},
                }
            )
        else:
            console.print(f"The house is open: [bold]{house.web_url}[/] (its data is in {data}; Ctrl-C closes it)")
        waiting = asyncio.ensure_future(stop.wait())
        watched: set[asyncio.Future[Any]] = {waiting, house.failed}
        await asyncio.wait(watched, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        if house.failed.done():
            house.failed.result()
        note("closing")
