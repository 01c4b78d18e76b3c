"""``tavolata tournament``: which commands there are, in the order in which an event needs them."""

import typer

from cli.tournament import archive, explaining, live, look, people, rounds, setup, simulate, tables
from cli.tournament.steps import OF_ENTRANT, OF_EVENT, OF_TABLE


def add_to(app: typer.Typer) -> None:
    group = typer.Typer(help="Run events: entrants, rounds, results, standings, archive.", no_args_is_help=True)
    group.command("create")(setup.create)
    group.command("list")(setup.list_events)
    group.command("register")(people.register)
    group.command("check-in")(people.check_in)
    group.command("check-out")(people.check_out)
    group.command("seed")(people.seed)
    group.command("apart")(people.apart)
    group.command("together")(people.together)
    group.command("fix-table")(people.fix_table)
    group.command("heats")(people.heats)
    group.command("pair")(rounds.pair)
    group.command("extend")(rounds.extend)
    group.command("status")(live.status)
    group.command("rounds")(look.rounds)
    group.command("round")(look.show_round)
    group.command("standings")(look.standings)
    group.command("explain")(explaining.explain)
    group.command("what-if")(look.what_if)
    group.command("result")(tables.result)
    group.command("correct")(tables.correct)
    group.command("adjudicate")(tables.adjudicate)
    group.command("void")(tables.void)
    group.command("survivors")(tables.survivors)
    group.command("no-show")(tables.no_show)
    group.command("substitute")(tables.substitute)
    group.command("penalty")(people.penalty)
    group.command("revoke")(people.revoke)
    for name, run in (OF_EVENT | OF_ENTRANT | OF_TABLE).items():
        group.command(name)(run)
    group.command("comment")(rounds.comment)
    group.command("export")(archive.export)
    group.command("verify")(archive.verify)
    group.command("verify-pairing")(archive.verify_pairing)
    group.command("erase")(people.erase)
    group.command("ratings")(look.ratings)
    group.command("simulate")(simulate.simulate)
    app.add_typer(group, name="tournament")
