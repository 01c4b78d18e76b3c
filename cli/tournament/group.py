"""``tavolata tournament``: which commands there are, by what they are for, in the order in which an event needs
them.
"""

import typer

from cli.tournament import (
    archive,
    explaining,
    finding,
    journal,
    live,
    look,
    people,
    rounds,
    setup,
    simulate,
    slips,
    tables,
)
from cli.tournament.steps import OF_ENTRANT, OF_EVENT, OF_TABLE, Run

COMMANDS: dict[str, dict[str, Run]] = {
    "Before": {
        "create": setup.create,
        "configure": setup.configure,
        "open": OF_EVENT["open"],
        "register": people.register,
        "admit": OF_ENTRANT["admit"],
        "withdraw": OF_ENTRANT["withdraw"],
        "seed": people.seed,
        "apart": people.apart,
        "together": people.together,
        "fix-table": people.fix_table,
        "heats": people.heats,
        "close": OF_EVENT["close"],
    },
    "People, at any time": {
        "open-check-in": OF_EVENT["open-check-in"],
        "check-in": people.check_in,
        "check-out": people.check_out,
        "close-check-in": OF_EVENT["close-check-in"],
        "drop": OF_ENTRANT["drop"],
        "return": OF_ENTRANT["return"],
        "penalty": people.penalty,
        "revoke": people.revoke,
    },
    "Rounds": {
        "pair": rounds.pair,
        "publish": OF_EVENT["publish"],
        "start": OF_EVENT["start"],
        "pause": OF_EVENT["pause"],
        "resume": OF_EVENT["resume"],
        "extend": rounds.extend,
        "cancel": OF_EVENT["cancel"],
        "cut": rounds.cut,
        "revoke-cut": OF_EVENT["revoke-cut"],
        "decline": OF_ENTRANT["decline"],
        "close-arena": OF_EVENT["close-arena"],
        "finish": OF_EVENT["finish"],
        "reopen": OF_EVENT["reopen"],
        "comment": rounds.comment,
    },
    "Tables": {
        "result": tables.result,
        "results": slips.results,
        "correct": tables.correct,
        "dispute": OF_TABLE["dispute"],
        "confirm": OF_TABLE["confirm"],
        "adjudicate": tables.adjudicate,
        "void": tables.void,
        "no-show": tables.no_show,
        "substitute": tables.substitute,
        "survivors": tables.survivors,
    },
    "To look at": {
        "list": setup.list_events,
        "status": live.status,
        "entrants": look.entrants,
        "rounds": look.rounds,
        "round": look.show_round,
        "standings": look.standings,
        "bracket": finding.bracket,
        "entrant": finding.entrant,
        "find": finding.find,
        "explain": explaining.explain,
        "what-if": look.what_if,
        "ratings": look.ratings,
        "log": journal.log,
    },
    "Paper, files, afterwards": {
        "export": archive.export,
        "verify": archive.verify,
        "verify-pairing": archive.verify_pairing,
        "erase": people.erase,
        "simulate": simulate.simulate,
    },
}


def add_to(app: typer.Typer) -> None:
    group = typer.Typer(help="Run events: entrants, rounds, results, standings, archive.", no_args_is_help=True)
    for panel, commands in COMMANDS.items():
        for name, run in commands.items():
            group.command(name, rich_help_panel=panel)(run)
    app.add_typer(group, name="tournament")
