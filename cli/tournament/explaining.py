"""``explain``: why somebody stands where they stand, down to every summand."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated

import msgspec
import typer
from tavolata.tournament.v1 import tournament_pb2 as pb

from cli.client import ask
from cli.output import DEFAULT_SERVER, Json, Server, console, print_json, print_table
from cli.tournament.asking import EntryNumber, Event
from cli.tournament.look import StageNumber
from cli.tournament.present import names_of, who
from engine.kernel.refusal import Kind, Refusal
from engine.tournament.exact import exact_of, shown
from engine.tournament.standings.explained import Behind, Explanation, KeyExplained, Part
from engine.tournament.standings.ranking import Figure
from services.kit.paper.figures import figure
from services.kit.wire.house import HouseClients


def explain(
    event: Event,
    entry: EntryNumber,
    pairing: Annotated[int, typer.Option("--pairing", min=0, help="Why they sit there in this round.")] = 0,
    stage: StageNumber = 0,
    server: Server = DEFAULT_SERVER,
    as_json: Json = False,
) -> None:
    """Every figure of an entrant in its terms, of the last stage they were in; or why these people sit together."""
    if pairing:
        from cli.tournament.explaining_pairings import explain_pairing  # which takes a while to load

        explain_pairing(event, entry, pairing, server, as_json=as_json)
    else:
        _explain_standing(event, entry, stage, server, as_json=as_json)


def _explain_standing(event: str, entry: int, stage: int, server: str, *, as_json: bool) -> None:
    async def use(clients: HouseClients) -> tuple[str, int, pb.GetTournamentResponse]:
        found = await clients.tournament.tournament(event)
        if stage:
            return await clients.tournament.explain_standing(event, entry, stage=stage), stage, found
        text, last = await _last_explanation(clients, event, entry, found.tournament.stage + 1)
        return text, last, found

    text, explained, found = ask(server, use)
    if as_json:
        print_json({**msgspec.json.decode(text), "stage": explained - 1})
        return
    if explained != found.tournament.stage + 1:
        console.print(f"In stage {explained}:", markup=False)
    print_standing(msgspec.json.decode(text, type=Explanation), names_of(found.entrants))


async def _last_explanation(clients: HouseClients, event: str, entry: int, newest: int) -> tuple[str, int]:
    """Of the last stage that the entrant is in, and which it is, from 1. Raises ``Refusal``."""
    for stage in range(newest, 0, -1):
        try:
            return await clients.tournament.explain_standing(event, entry, stage=stage), stage
        except Refusal as refusal:
            if refusal.code != "not_in_stage":
                raise
    raise Refusal("has_not_played", f"Entrant {entry} stands in no standings: they have not played.", Kind.MISSING)


def print_standing(found: Explanation, names: Mapping[int, str]) -> None:
    """Each key with the terms that add up to it."""
    place = f"place {found.place}" if found.place else "no place"
    console.print(f"{who(found.entry, names)}: {place}.", markup=False)
    if found.behind is not None:
        console.print(behind_text(found.behind, names), markup=False, soft_wrap=True)
    for key in found.keys:
        rows = [term_row(part, names) for part in key.parts]
        title = f"{key.key} {figure_text(key.value)}: {key.label}"
        if rows:
            print_table(
                title, ["round", "table", "opponent", "what", "term"], [*rows, ("", "", "", "sum", sum_text(key))]
            )
        else:
            console.print(title, markup=False)


def behind_text(behind: Behind, names: Mapping[int, str]) -> str:
    """The sentence of the explanation with the name for the number."""
    return behind.sentence.replace(f"Behind {behind.entry}:", f"Behind {who(behind.entry, names)}:").replace(
        f"with {behind.entry}.", f"with {who(behind.entry, names)}."
    )


def term_row(part: Part, names: Mapping[int, str]) -> tuple[str, str, str, str, str]:
    return (
        str(part.round or ""),
        str(part.table or ""),
        who(part.opponent, names) if part.opponent else "",
        part.label,
        shown(exact_of(part.value)),
    )


def sum_text(key: KeyExplained) -> str:
    """What the terms add up to, added here and not believed; equal to the value above, or the house has a fault."""
    sums: dict[int, Fraction] = {}
    for part in key.parts:
        sums[part.component] = sums.get(part.component, Fraction()) + exact_of(part.value)
    width = len(key.value) if isinstance(key.value, tuple) else 1
    return "-".join(shown(sums.get(component, Fraction())) for component in range(width))


def figure_text(value: Figure) -> str:
    if value is None:
        return "-"
    return "-".join(shown(exact_of(part)) for part in value) if isinstance(value, tuple) else figure(value)
