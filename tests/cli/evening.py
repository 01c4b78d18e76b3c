"""One event as its organiser types it, with results by hand, so that every figure is known."""

import itertools
from pathlib import Path
from typing import Any

from tests.cli.here import Client
from tests.e2e.command import Ran

CONFIG = """
name = "Evening <b>one</b>"
[registration]
check_in = true
late_until = 2
[clocks]
round = "1h"
[[stages]]
name = "Swiss"
format = "swiss"
games = ["just4fun"]
rounds = 2
[[stages]]
name = "Final"
format = "elimination"
games = ["just4fun"]
entrants = 4
cut_ties = "lot"
"""
PEOPLE = "name,contact\nAna,a@x\nBea,b@x\n=cmd(),c@x\nDan,d@x\nEve,e@x\nFay,f@x\nGus,g@x\n"
numbers = itertools.count()


class Evening:
    """One event; every answer as JSON."""

    def __init__(self, client: Client, folder: Path, config: str = CONFIG) -> None:
        self.client = client
        self.folder = folder
        self.id = f"evening-{next(numbers)}"
        self.config = folder / "evening.toml"
        self.config.write_text(config)
        self.people = folder / "people.csv"
        self.people.write_text(PEOPLE)

    def ask(self, command: str, *arguments: object) -> Ran:
        return self.client.ask("tournament", command, self.id, *arguments)

    def json(self, command: str, *arguments: object) -> Any:
        return self.ask(command, *arguments, "--json").document

    def open(self) -> None:
        self.json("create", self.config)
        self.json("open")
        self.json("register", "--file", self.people)
        self.json("open-check-in")
        self.json("check-in", "--all")
        self.json("close")

    def play_round(self) -> dict[str, Any]:
        """Paired, published, started, and the lower entry number always better; the round as it was closed."""
        drafted = self.json("pair")
        self.json("publish")
        self.json("start")
        for table in drafted["tables"]:
            scores = ",".join(str(50 - place["entry"]) for place in table["places"])
            self.json("result", drafted["round"], table["number"], scores)
        closed: dict[str, Any] = self.json("round", drafted["round"])
        return closed
