"""``explain``: why somebody stands where they stand, or sits where they sit, down to every summand."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Annotated

import msgspec
import typer
from tavolata.tournament.v1 import tournament_pb2 as pb

from cli.client import ask
from cli.output import DEFAULT_SERVER, Json, Server, console, print_json, print_table
from cli.tournament.asking import EntryNumber, Event
from cli.tournament.audit import problem_in
from cli.tournament.look import StageNumber
from cli.tournament.present import figure, names_of, who
from engine.kernel.refusal import Kind, Refusal
from engine.tournament.exact import exact_of, shown
from engine.tournament.pairing.explain import Explanation as PairingExplained
from engine.tournament.pairing.quality import Terms
from engine.tournament.standings.explained import Behind, KeyExplained, Part
from engine.tournament.standings.explained import Explanation as StandingExplained
from engine.tournament.standings.ranking import Figure
from services.kit.wire.house import HouseClients

TERMS = {
    "repeats": "repeats",
    "gaps": "gaps in points",
    "apart": "kept apart",
    "short": "short again",
    "misplaced_short": "short table elsewhere",
}
"""What a table costs, as the explanation names it and as people read it."""


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
        _explain_pairing(event, entry, pairing, server, as_json=as_json)
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
    print_standing(msgspec.json.decode(text, type=StandingExplained), names_of(found.entrants))


async def _last_explanation(clients: HouseClients, event: str, entry: int, newest: int) -> tuple[str, int]:
    """Of the last stage that the entrant is in, and which it is, from 1. Raises ``Refusal``."""
    for stage in range(newest, 0, -1):
        try:
            return await clients.tournament.explain_standing(event, entry, stage=stage), stage
        except Refusal as refusal:
            if refusal.code != "not_in_stage":
                raise
    raise Refusal("has_not_played", f"Entrant {entry} stands in no standings: they have not played.", Kind.MISSING)


def _explain_pairing(event: str, entry: int, number: int, server: str, *, as_json: bool) -> None:
    """The house counts in parts of a point; how many there are in one, the log says."""

    async def use(clients: HouseClients) -> tuple[str, list[bytes], dict[int, str]]:
        names = names_of((await clients.tournament.tournament(event)).entrants)
        text = await clients.tournament.explain_pairing(event, entry, number=number)
        return text, await clients.tournament.export(event), names

    text, lines, names = ask(server, use)
    unit = problem_in(lines, number).unit
    if as_json:
        print_json({**msgspec.json.decode(text), "unit": unit})
    else:
        print_pairing(msgspec.json.decode(text, type=PairingExplained), unit, names)


def print_standing(found: StandingExplained, names: Mapping[int, str]) -> None:
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


def print_pairing(found: PairingExplained, unit: int, names: Mapping[int, str]) -> None:
    """Who sits there, what each meeting costs, and what the nearest other places would have cost more, in points."""
    where = f"sits at table {found.table}" if found.table else "has a bye"
    by = f"{shown(Fraction(found.paired_by.points, unit))} points, then {found.paired_by.then}"
    console.print(
        f"{who(found.entry, names)} {where}: number {found.paired_by.place} of the round by {by}.",
        markup=False,
        soft_wrap=True,
    )
    if found.meetings:
        title = "At the table, and what it costs"
        met = [(who(each.entry, names), str(each.times), each.terms) for each in found.meetings]
        print_terms(title, ("with", "met before"), met, unit)
        console.print(f"The whole table costs {shown(Fraction(found.total.total, unit))}.", markup=False)
    if found.alternatives:
        title = "Instead, and what the round would cost more"
        others = [(who(each.entry, names), str(each.table or "bye"), each.change) for each in found.alternatives]
        print_terms(title, ("change places with", "of table"), others, unit)
    if found.passed_over:
        out = [(who(each.entry, names), each.because.replace("_", " "), each.change) for each in found.passed_over]
        print_terms("Who has no bye instead", ("who", "because"), out, unit)


def print_terms(title: str, heads: tuple[str, str], rows: Sequence[tuple[str, str, Terms]], unit: int) -> None:
    """Terms in points; one that is nowhere more than nothing has no column."""
    used = [name for name in TERMS if any(getattr(terms, name) for _, _, terms in rows)]
    columns = [*heads, *(TERMS[name] for name in used), "in all"]
    cells = [
        (
            first,
            second,
            *(shown(Fraction(amount, unit)) for amount in (*(getattr(terms, n) for n in used), terms.total)),
        )
        for first, second, terms in rows
    ]
    print_table(title, columns, cells)
