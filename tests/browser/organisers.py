"""An event that is prepared over HTTP, to be looked at by the tests of the organisers' page."""

import json
import urllib.request
from itertools import count
from typing import Any

from tests.e2e.command import Up

CONFIG = """
name = "Cup of the house"

[registration]
check_in = false

[clocks]
round = "50m"

[[stages]]
name = "Swiss"
format = "swiss"
games = ["just4fun"]
rounds = 2
"""


class Cup:
    """One event. Its people are no bots, so nothing moves unless somebody moves it."""

    _numbers = count(1)

    def __init__(self, house: Up, token: str = "") -> None:
        """``token`` is the organiser's, in a house that asks for one."""
        self._web = house.web
        self._says = {"Authorization": f"Bearer {token}"} if token else {}
        self.event = f"cup-{next(self._numbers)}"
        self._keys = count(1)
        self.post("", {"id": self.event, "config_toml": CONFIG, "organiser": "ana"}, at="/api/tournaments")

    def post(self, path: str, body: dict[str, Any], *, at: str = "") -> Any:
        request = urllib.request.Request(
            f"{self._web.rstrip('/')}{at or f'/api/tournaments/{self.event}'}{path}",
            json.dumps(body).encode(),
            {"Content-Type": "application/json", "Idempotency-Key": f"{self.event}-{next(self._keys)}"} | self._says,
        )
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def do(self, command: str, *, by: str = "ana", **data: Any) -> Any:
        body = {"actor": f"organiser:{by}", "command": {"type": f"tournament.{command}", "v": 1, "data": data}}
        return self.post("/commands", body)

    def ready(self, people: int) -> None:
        self.do("open_registration")
        named = [{"name": f"Person {number}"} for number in range(1, people + 1)]
        self.post("/people", {"actor": "organiser:ana", "people": named})
        self.do("close_registration")

    def draft(self) -> Any:
        return self.post("/draft", {"actor": "organiser:ana"})

    def play_round(self) -> None:
        """The next round, every result written down: 40, 30, 20, 10 in seat order."""
        number = self.draft()["round"]
        self.do("publish_round")
        self.do("start_round")
        for table in self.desk()["round"]["tables"]:
            places = enumerate(table["places"], 1)
            seated = [[seat["entry"], place, 50 - 10 * place] for place, seat in places]
            self.do("report_result", round=number, table=table["number"], seated=seated)

    def desk(self) -> Any:
        with urllib.request.urlopen(f"{self._web.rstrip('/')}/api/tournaments/{self.event}/desk") as answer:
            return json.load(answer)
