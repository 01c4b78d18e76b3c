"""``play``: a person at the terminal. What happens is told as it happens; a turn is led through ``choices``."""

import asyncio
from contextlib import aclosing
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from bots.mirror import Mirror
from cli.client import ask, game_of
from cli.output import DEFAULT_LANGUAGE, DEFAULT_SERVER, Language, Server, console, note
from cli.present import print_fact
from cli.typed import Typed
from engine.games import find_game
from engine.kernel.catalogue import language_named
from engine.kernel.game import Seats
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import SeatView
from services.kit.wire.clients import MatchClient
from services.kit.wire.house import HouseClients
from services.kit.wire.lasting import lasting_facts

BACK = "b"


def add_to(app: typer.Typer) -> None:
    app.command()(play)


def play(
    match_id: Annotated[str, typer.Argument(metavar="MATCH", help="The id of a match.")],
    seat: Annotated[int, typer.Option(min=0, help="Your seat.")],
    board: Annotated[Path | None, typer.Option(help="Keep the board in this SVG file; open it in a browser.")] = None,
    language: Language = DEFAULT_LANGUAGE,
    server: Server = DEFAULT_SERVER,
) -> None:
    """Play one seat of a match at the terminal."""
    ask(server, lambda clients: _play(clients, match_id, seat, board, language_named(language)))


async def _play(clients: HouseClients, match_id: str, seat: int, board: Path | None, language: str) -> None:
    game = find_game(await game_of(clients, match_id))
    rules = clients.rules(game.key)
    viewer = SeatView(seat)
    newest = (await clients.spectator.snapshot(match_id, viewer)).newest
    mirror = Mirror(game, seat)
    typed = Typed()
    follow = partial(lasting_facts, clients.spectator) if game.past_is_open else clients.spectator.facts
    async with aclosing(follow(match_id, viewer, language=language)) as facts:
        async for fact in facts:
            mirror.take(fact)
            print_fact(fact)
            if mirror.revision < newest:
                continue
            if board is not None:
                await asyncio.to_thread(board.write_text, game.board(mirror.state.game, viewer, language), "utf-8")
            pending = mirror.pending
            if isinstance(pending, Seats) and seat in pending.seats:
                await _move(rules, match_id, mirror, typed, language)
    note("The match is complete.")


async def _move(rules: MatchClient, match_id: str, mirror: Mirror, typed: Typed, language: str) -> None:
    """Lead through one turn; a refused command leads back to its beginning."""
    path: list[str] = []
    while True:
        try:
            menu = await rules.choices(match_id, mirror.seat, path, language=language)
        except Refusal as refusal:
            note(refusal.sentence)
            if not path:
                return  # the turn has passed meanwhile
            path.clear()
            continue
        console.print(menu.prompt, style="bold", markup=False)
        for number, choice in enumerate(menu.choices, start=1):
            console.print(f"  {number:>2}  {choice.label}", markup=False)
        hints = [*(["Enter confirms"] if menu.command_json else []), *([f"{BACK} goes back"] if path else [])]
        console.print(f"  {', '.join(hints)}: ", end="", markup=False)
        answer = await typed.line()
        if answer is None:
            raise Refusal("input_ended", "The input has ended; the match waits for your move.", Kind.INVALID)
        if answer == BACK:
            del path[-1:]
        elif not answer and menu.command_json:
            try:
                await rules.act(match_id, f"play-{mirror.seat}-{mirror.revision}", mirror.seat, menu.command_json)
                return
            except Refusal as refusal:
                note(refusal.sentence)
                path.clear()
        elif answer.isdigit() and 1 <= int(answer) <= len(menu.choices):
            path.append(menu.choices[int(answer) - 1].key)
        else:
            note(f"Type a number from 1 to {len(menu.choices)}." if menu.choices else "Enter confirms.")
