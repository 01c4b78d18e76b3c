"""``match open | list | show | choices | act``."""

import secrets
from typing import Annotated, Any

import msgspec
import typer
from tavolata.match.v1 import match_pb2
from tavolata.scoring.v1 import scoring_pb2
from tavolata.spectator.v1 import spectator_pb2

from bots.attendant import BOT, asked_of
from bots.brains import brain_named
from cli.client import ask, game_of, standing
from cli.durations import DURATIONS, milliseconds_of
from cli.output import DEFAULT_LANGUAGE, DEFAULT_SERVER, Json, Language, Server, console, print_json, print_table
from cli.present import match_fields, match_status, print_snapshot, seat_standing, snapshot_fields
from engine.games import find_game
from engine.kernel.game import AnyGame
from engine.kernel.history import Duplicate
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import clip
from services.kit.lookers import looker_named
from services.kit.wire.clients import Accepted
from services.kit.wire.house import HouseClients

MatchId = Annotated[str, typer.Argument(metavar="MATCH", help="The id of a match.")]
SeatNumber = Annotated[int, typer.Option("--seat", min=0, help="The seat that speaks.")]


def add_to(app: typer.Typer) -> None:
    group = typer.Typer(help="Open matches, look at them and move in them.", no_args_is_help=True)
    group.command("open")(open_match)
    group.command("list")(list_matches)
    group.command("show")(show)
    group.command("choices")(choices)
    group.command("act")(act)
    app.add_typer(group, name="match")


def open_match(
    game: Annotated[str, typer.Argument(help="The key of a game.")],
    seats: Annotated[int, typer.Option(min=1, help="How many seats.")],
    option: Annotated[list[str], typer.Option(help="KEY=VALUE, as often as needed; the value is JSON or text.")] = [],  # noqa: B006 - Typer only reads it
    bots: Annotated[str, typer.Option(help="greedy or random for all seats, or SEAT=LEVEL,SEAT=LEVEL.")] = "",
    nonce: Annotated[list[str], typer.Option(help="SEAT=TEXT: what a seat adds to the luck.")] = [],  # noqa: B006 - Typer only reads it
    turn: Annotated[str, typer.Option(help=f"Time for a turn, {DURATIONS}; 0 is no turn clock.")] = "0",
    bank: Annotated[str, typer.Option(help="What a seat may use beyond the turn time in the whole match.")] = "0",
    increment: Annotated[str, typer.Option(help="What each move adds to the bank of its seat.")] = "0",
    on_timeout: Annotated[str, typer.Option(help="default: a default move is played; forfeit: the seat leaves.")] = "",
    match_id: Annotated[str, typer.Option("--id", help="The match id; made up if it is left out.")] = "",
    server: Server = DEFAULT_SERVER,
    as_json: Json = False,
) -> None:
    """Open a match."""

    name = match_id or f"m{secrets.token_hex(6)}"
    options = dict(_option(text) for text in option)
    nonces = _by_seat("nonce", nonce, seats)
    players = _players(find_game(game), bots, seats)
    turn_ms, bank_ms, increment_ms = map(milliseconds_of, (turn, bank, increment))

    async def use(clients: HouseClients) -> Accepted | Duplicate:
        return await clients.rules(game).open(
            name,
            game,
            seats,
            options_json=msgspec.json.encode(options).decode(),
            nonces=[text.encode().hex() for text in nonces],
            players=players,
            turn_ms=turn_ms,
            bank_ms=bank_ms,
            increment_ms=increment_ms,
            on_timeout=on_timeout,
        )

    receipt = ask(server, use)
    if as_json:
        print_json({"match": name, "revision": receipt.revision, "duplicate": isinstance(receipt, Duplicate)})
    else:
        already = " already" if isinstance(receipt, Duplicate) else ""
        console.print(f"{name} is{already} open. tavolata watch {name}; tavolata play {name} --seat N", markup=False)


def list_matches(
    status: Annotated[str, typer.Option(help="running, ended or all.")] = "all",
    game: Annotated[str, typer.Option(help="Only this game.")] = "",
    server: Server = DEFAULT_SERVER,
    as_json: Json = False,
) -> None:
    """The matches of a house, newest first."""
    wanted = {
        "all": scoring_pb2.STATUS_UNSPECIFIED,
        "running": scoring_pb2.STATUS_RUNNING,
        "ended": scoring_pb2.STATUS_ENDED,
    }
    if status not in wanted:
        raise Refusal("bad_status", f"A status is running, ended or all, not {clip(status)}.", Kind.INVALID)

    async def use(clients: HouseClients) -> list[scoring_pb2.Match]:
        return [match async for match in clients.scoring.matches(status=wanted[status], game=game)]

    matches = ask(server, use)
    if as_json:
        print_json([match_fields(match) for match in matches])
        return
    rows = [
        (match.match_id, match.game, match_status(match), match.revision, "  ".join(map(seat_standing, match.seats)))
        for match in matches
    ]
    print_table("Matches", ["match", "game", "status", "revision", "seats (rank, points)"], rows)


def show(
    match_id: MatchId,
    as_viewer: Annotated[str, typer.Option("--as", help="spectator, seat:N, referee or caster.")] = "spectator",
    language: Language = DEFAULT_LANGUAGE,
    server: Server = DEFAULT_SERVER,
    as_json: Json = False,
) -> None:
    """A match as it stands: whose turn it is, scores, objectives, what has just happened."""
    viewer = looker_named(as_viewer)

    async def use(clients: HouseClients) -> tuple[scoring_pb2.Match, spectator_pb2.Position]:
        snapshot = await clients.spectator.snapshot(match_id, viewer, language=language)
        return await standing(clients, match_id, snapshot.revision), snapshot

    match, snapshot = ask(server, use)
    if as_json:
        print_json(match_fields(match) | snapshot_fields(snapshot))
        return
    print_snapshot(snapshot)


def choices(
    match_id: MatchId,
    seat: SeatNumber,
    path: Annotated[list[str], typer.Option(help="A key that has been chosen; as often as needed.")] = [],  # noqa: B006 - Typer only reads it
    language: Language = DEFAULT_LANGUAGE,
    server: Server = DEFAULT_SERVER,
    as_json: Json = False,
) -> None:
    """What a seat may do next, one step at a time."""

    async def use(clients: HouseClients) -> match_pb2.GetChoicesResponse:
        rules = clients.rules(await game_of(clients, match_id))
        return await rules.choices(match_id, seat, path, language=language)

    menu = ask(server, use)
    if as_json:
        print_json(
            {
                "revision": menu.revision,
                "prompt": menu.prompt,
                "choices": [{"key": each.key, "label": each.label, "place": each.place} for each in menu.choices],
                "command": msgspec.json.decode(menu.command_json) if menu.command_json else None,
            }
        )
        return
    console.print(menu.prompt, markup=False)
    if menu.choices:
        print_table("", ["key", "what"], [(each.key, each.label) for each in menu.choices])
    if menu.command_json:
        console.print(f"tavolata match act {match_id} --seat {seat} --command '{menu.command_json}'", markup=False)


def act(
    match_id: MatchId,
    seat: SeatNumber,
    command: Annotated[str, typer.Option(help='{"type": ..., "data": {...}}')],
    command_id: Annotated[str, typer.Option("--id", help="Kept for retries; made up if it is left out.")] = "",
    at: Annotated[int, typer.Option(min=0, help="Refuse unless the match stands at this revision.")] = 0,
    server: Server = DEFAULT_SERVER,
    as_json: Json = False,
) -> None:
    """Make a move, or leave with '{"type": "tavolata.leave", "data": {"seat": N}}'."""
    name = command_id or f"c{secrets.token_hex(8)}"

    async def use(clients: HouseClients) -> Accepted | Duplicate:
        rules = clients.rules(await game_of(clients, match_id))
        return await rules.act(match_id, name, seat, command, expected_revision=at)

    receipt = ask(server, use)
    duplicate = isinstance(receipt, Duplicate)
    if as_json:
        print_json({"match": match_id, "id": name, "revision": receipt.revision, "duplicate": duplicate})
    else:
        console.print(f"{'accepted before' if duplicate else 'accepted'} as revision {receipt.revision}")


def _option(text: str) -> tuple[str, Any]:
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise Refusal("bad_option", f"An option is KEY=VALUE, not {clip(text)}.", Kind.INVALID)
    try:
        return key, msgspec.json.decode(value)
    except msgspec.DecodeError:
        return key, value  # plain text: --option layout=random


def _by_seat(what: str, given: list[str], seats: int) -> list[str]:
    values = [""] * seats
    for text in given:
        seat, equals, value = text.partition("=")
        if not equals or not seat.isdigit() or int(seat) >= seats:
            raise Refusal(
                f"bad_{what}", f"A {what} is SEAT=TEXT with a seat below {seats}, not {clip(text)}.", Kind.INVALID
            )
        values[int(seat)] = value
    return values


def _players(game: AnyGame, bots: str, seats: int) -> list[str]:
    if not bots:
        return []
    levels = _by_seat("bot", bots.split(","), seats) if "=" in bots else [bots] * seats
    for level in levels:
        if level:
            brain_named(asked_of(f"{BOT}{level}").level, game, 0)
    return [f"{BOT}{level}" if level else "" for level in levels]
