"""``explain --pairing``: why these people sit together, down to every point, and what other places would have cost."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

import msgspec

from cli.client import ask
from cli.output import console, print_json, print_table
from cli.tournament.present import names_of, who
from engine.tournament.exact import shown
from engine.tournament.pairing.explain import Explanation
from engine.tournament.pairing.quality import Terms
from services.kit.wire.house import HouseClients

TERMS = {
    "repeats": "repeats",
    "gaps": "gaps in points",
    "apart": "kept apart",
    "short": "short again",
    "misplaced_short": "short table elsewhere",
}
"""What a table costs, as the explanation names it and as people read it."""


def explain_pairing(event: str, entry: int, number: int, server: str, *, as_json: bool) -> None:
    async def use(clients: HouseClients) -> tuple[str, dict[int, str]]:
        names = names_of((await clients.tournament.tournament(event)).entrants)
        return await clients.tournament.explain_pairing(event, entry, number=number), names

    text, names = ask(server, use)
    if as_json:
        print_json(msgspec.json.decode(text))
    else:
        print_pairing(msgspec.json.decode(text, type=Explanation), names)


def print_pairing(found: Explanation, names: Mapping[int, str]) -> None:
    """Who sits there, what each meeting costs, and what the nearest other places would have cost more, in points."""
    unit = found.unit
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
