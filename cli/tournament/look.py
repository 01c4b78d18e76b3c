"""``rounds``, ``round``, ``standings``, ``what-if`` and ``ratings``: commands that change nothing."""

from typing import Annotated, Any

import msgspec
import typer
from tavolata.tournament.v1 import tournament_pb2 as pb

from cli.client import ask
from cli.output import DEFAULT_SERVER, Json, Server, console, print_json, print_table
from cli.tournament.asking import Event, scores_in
from cli.tournament.changes import change_fields, names_for, print_changes
from cli.tournament.present import entrant_fields, names_of, print_round, standings_table, who
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import clip
from services.kit.paper.archive import all_rounds
from services.kit.paper.figures import fields_of, figure, quality_text, round_fields, standings_fields, standings_title
from services.kit.wire.house import HouseClients

PAGE = 500
StageNumber = Annotated[int, typer.Option("--stage", min=0, help="The stage, from 1; 0 is the newest that was played.")]


def entrants(
    event: Event,
    missing: Annotated[bool, typer.Option("--missing", help="Only who is in and has not checked in.")] = False,
    server: Server = DEFAULT_SERVER,
    as_json: Json = False,
) -> None:
    """Everybody who has entered, by number: how they stand, whether they are there, their seed and table; and the
    penalties that stand.
    """
    found = ask(server, lambda clients: clients.tournament.tournament(event))
    listed = [each for each in found.entrants if not missing or (each.standing == "in" and not each.present)]
    here = {each.entry for each in listed}
    penalties = [each for each in found.penalties if each.entry in here]
    if as_json:
        print_json(
            [
                entrant_fields(each) | {"penalties": [fields_of(one) for one in penalties if one.entry == each.entry]}
                for each in listed
            ]
        )
        return
    rows = [
        (
            each.entry,
            each.name or each.player,
            each.standing if each.ranked else f"{each.standing}, not ranked",
            "yes" if each.present else "no",
            each.seed or "-",
            each.fixed_table or "-",
        )
        for each in listed
    ]
    print_table("Entrants", ["no.", "name", "is", "checked in", "seed", "always at table"], rows)
    if penalties:
        names = names_of(listed)
        given = [
            (each.number, who(each.entry, names), each.kind, points_text(each), each.round or "-") for each in penalties
        ]
        print_table("Penalties that stand", ["no.", "whose", "kind", "points", "round"], given)
        console.print(f"To take one back: tavolata tournament revoke {event} NUMBER", markup=False, soft_wrap=True)


def points_text(penalty: pb.Penalty) -> str:
    """What is taken away; nothing for a warning."""
    return figure(penalty.points) if penalty.points not in ("", "0") else "-"


def rounds(event: Event, server: Server = DEFAULT_SERVER, as_json: Json = False) -> None:
    """All rounds of an event: game, state, tables, quality."""
    found = ask(server, lambda clients: all_rounds(clients.tournament, event))
    if as_json:
        print_json([round_fields(each) for each in found])
        return
    rows = [
        (each.round, each.game, each.phase, len(each.tables), len(each.byes), quality_text(each.quality))
        for each in found
    ]
    print_table("Rounds", ["round", "game", "is", "tables", "byes", "quality"], rows)


def show_round(
    event: Event,
    number: Annotated[int, typer.Argument(metavar="[ROUND]", min=0, help="0 is the newest.")] = 0,
    draft: Annotated[bool, typer.Option("--draft", help="The draft instead.")] = False,
    server: Server = DEFAULT_SERVER,
    as_json: Json = False,
) -> None:
    """One round: who sits where, results, byes, quality."""
    found = ask(server, lambda clients: _round(clients, event, number, draft=draft))
    if as_json:
        print_json(round_fields(found))
        return
    print_round(found)


async def _round(clients: HouseClients, event: str, number: int, *, draft: bool) -> pb.GetRoundResponse:
    """Raises ``Refusal``; where there is nothing but a draft, it says how to see that."""
    try:
        return await clients.tournament.round(event, number, draft=draft)
    except Refusal as refusal:
        if refusal.code != "unknown_round" or number:
            raise
        if not (await clients.tournament.tournament(event)).tournament.drafted:
            raise
        sentence = f"No round is published, but one is drafted: tavolata tournament round {event} --draft."
        raise Refusal("unknown_round", sentence, Kind.MISSING) from refusal


def standings(
    event: Event,
    stage: StageNumber = 0,
    after: Annotated[int, typer.Option(min=0, help="As after this round; 0 is now.")] = 0,
    server: Server = DEFAULT_SERVER,
    as_json: Json = False,
) -> None:
    """The order, every column, what decided, and who has moved."""
    found = ask(server, lambda clients: clients.tournament.standings(event, stage=stage, after_round=after))
    if as_json:
        print_json(standings_fields(found))
        return
    console.print(standings_table(found, standings_title(found)))


def what_if(
    event: Event,
    results: Annotated[list[str], typer.Option("--set", help="table=7:61,58: as often as needed.")] = [],  # noqa: B006 - Typer only reads it
    round_number: Annotated[int, typer.Option("--round", min=0, help="Of these tables; 0: the newest closed.")] = 0,
    config: Annotated[list[str], typer.Option(help="scoring.scheme=commander: as often as needed.")] = [],  # noqa: B006 - Typer only reads it
    server: Server = DEFAULT_SERVER,
    as_json: Json = False,
) -> None:
    """Standings and later pairings as they would have been. Nothing changes."""
    if not results and not config:
        raise Refusal(
            "bad_option", "Suppose something: --set table=7:61,58 or --config scoring.best_of=3.", Kind.INVALID
        )
    supposed = [supposed_result(text, round_number) for text in results]
    other = msgspec.json.encode(supposed_config(config)).decode() if config else ""

    async def use(clients: HouseClients) -> tuple[pb.WhatIfResponse, dict[int, str]]:
        answer = await clients.tournament.what_if(event, supposed, config_json=other)
        return answer, await names_for(clients, event, answer.changes)

    answer, names = ask(server, use)
    if as_json:
        print_json(
            {
                "standings": standings_fields(answer.standings),
                "changes": [change_fields(each, names) for each in answer.changes],
                "rounds": [
                    {
                        "round": each.round,
                        "moved": each.moved,
                        "pods": [{"table": pod.table, "entries": list(pod.entries)} for pod in each.pods],
                    }
                    for each in answer.rounds
                ],
            }
        )
        return
    console.print(standings_table(answer.standings, "Standings as they would be"))
    print_changes(answer.changes, names)
    for each in answer.rounds:
        console.print(f"Round {each.round} would have sat {each.moved} entrants with others.", markup=False)


def supposed_result(text: str, round_number: int) -> pb.SupposedResult:
    """``table=7:61,58`` → table 7. Raises ``Refusal``."""
    name, _, rest = text.partition("=")
    table, colon, scores = rest.partition(":")
    if name != "table" or not colon or not (table.isascii() and table.isdigit() and len(table) < 7):
        raise Refusal("bad_option", f"A supposed result is table=7:61,58, not {clip(text)}.", Kind.INVALID)
    return pb.SupposedResult(round=round_number, table=int(table), scores=scores_in(scores))


def supposed_config(parts: list[str]) -> dict[str, Any]:
    """``scoring.best_of=3`` → ``{"scoring": {"best_of": 3}}``; values are JSON or text. Raises ``Refusal``."""
    merged: dict[str, Any] = {}
    for text in parts:
        key, equals, value = text.partition("=")
        *sections, name = key.split(".")
        if not equals or not all((*sections, name)):
            raise Refusal("bad_option", f"A supposed part is SECTION.KEY=VALUE, not {clip(text)}.", Kind.INVALID)
        into = merged
        for section in sections:
            into = into.setdefault(section, {})
            if not isinstance(into, dict):
                raise Refusal("bad_option", f"{clip(key)} lies inside a value that is supposed already.", Kind.INVALID)
        try:
            into[name] = msgspec.json.decode(value)
        except msgspec.DecodeError:
            into[name] = value
    return merged


def ratings(
    game: Annotated[str, typer.Option(help="The key of a game; without it, all games together.")] = "",
    top: Annotated[int, typer.Option(min=1, help="At most this many.")] = 100,
    server: Server = DEFAULT_SERVER,
    as_json: Json = False,
) -> None:
    """Ratings from all events that count for them, the best first."""
    found = ask(server, lambda clients: ratings_of(clients, game, top))
    if as_json:
        print_json(
            [
                {
                    "player": each.player,
                    "name": each.name,
                    "mu_milli": each.mu_milli,
                    "sigma_milli": each.sigma_milli,
                    "games": each.games,
                }
                for each in found
            ]
        )
        return
    rows = [
        (number, each.name or each.player, thousandths(each.mu_milli), thousandths(each.sigma_milli), each.games)
        for number, each in enumerate(found, 1)
    ]
    print_table("Ratings", ["", "player", "strength", "± sigma", "games"], rows)


def thousandths(value: int) -> str:
    """25012 → ``25.01``: two decimals say all that a rating knows."""
    hundredths = (abs(value) + 5) // 10
    sign = "-" if value < 0 and hundredths else ""
    return f"{sign}{hundredths // 100}.{hundredths % 100:02d}"


async def ratings_of(clients: HouseClients, game: str, top: int = 0) -> list[pb.Rating]:
    """The best first, at most ``top`` of them; 0: all."""
    found: list[pb.Rating] = []
    token = ""
    while not top or len(found) < top:
        page = await clients.tournament.ratings(game, page_size=PAGE, page_token=token)
        found.extend(page.ratings)
        token = page.next_page_token
        if not token:
            break
    return found[: top or None]
