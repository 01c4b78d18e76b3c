"""An organiser at the HTTP API of a whole small house: every service behind its real gRPC server, matches and all."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import httpx
from pydantic import BaseModel

from services.gateway.api import organise_models as models
from services.gateway.api.tournament_models import Round
from services.gateway.problems import MEDIA_TYPE
from tests.gateway.events import front
from tests.services.tournaments import CONFIG

EVENT = "cup"
BY = "organiser:ana"
MODELS: Final[dict[str, type[BaseModel]]] = {
    "tournaments": models.CreatedEvent,
    "check": models.CheckedConfiguration,
    "commands": models.CommandReceipt,
    "people": models.EnteredPeople,
    "what-if": models.SupposedEvent,
    "desk": models.OrganiserDesk,
    "actions": models.LogPage,
    "templates": models.Templates,
}
"""Of an answer, by the end of its path."""
TWO_WAYS: Final[dict[tuple[str, str], type[BaseModel]]] = {
    ("GET", "draft"): Round,
    ("POST", "draft"): models.DraftedRound,
    ("GET", "configuration"): models.Configuration,
    ("POST", "configuration"): models.CommandReceipt,
}


class Organiser:
    """Asks for things by their path below ``/api``; ``refused`` wants a problem, all else an answer."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self.http = http
        self._keys = 0

    async def get(self, path: str, **query: Any) -> Any:
        return answered(await self.http.get(f"/api{path}", params=query))

    async def post(self, path: str, body: dict[str, Any], key: str = "") -> Any:
        return answered(await self.send(path, body, key))

    async def send(self, path: str, body: dict[str, Any], key: str = "") -> httpx.Response:
        self._keys += 1
        return await self.http.post(f"/api{path}", json=body, headers={"Idempotency-Key": key or f"k{self._keys}"})

    async def do(self, command: str, key: str = "", *, expected: int = 0, by: str = BY, **data: Any) -> Any:
        return answered(await self.ask(command, key, expected=expected, by=by, **data))

    async def ask(self, command: str, key: str = "", *, expected: int = 0, by: str = BY, **data: Any) -> httpx.Response:
        named = {"type": f"tournament.{command}", "v": 1, "data": data}
        body = {"actor": by, "command": named, "expected_revision": expected}
        return await self.send(f"/tournaments/{EVENT}/commands", body, key)

    async def enter(self, *names: str) -> Any:
        return await self.post(
            f"/tournaments/{EVENT}/people", {"actor": BY, "people": [{"name": name} for name in names]}
        )

    async def desk(self, **query: Any) -> Any:
        return await self.get(f"/tournaments/{EVENT}/desk", **query)

    async def ready(self, people: int = 8, config_toml: str = CONFIG) -> None:
        """Created, so many entered, registration closed."""
        await self.post("/tournaments", {"id": EVENT, "config_toml": config_toml, "organiser": "ana"})
        await self.do("open_registration")
        await self.enter(*(f"Person {number}" for number in range(1, people + 1)))
        await self.do("close_registration")


def refused(response: httpx.Response, status: int, code: str) -> dict[str, Any]:
    """The problem that was told."""
    problem: dict[str, Any] = response.json()
    assert (response.status_code, problem["code"]) == (status, code), response.text
    assert response.headers["content-type"] == MEDIA_TYPE
    return problem


def answered(response: httpx.Response) -> Any:
    """The document of an answer, which has the fields of its model and no other."""
    assert response.is_success, response.text
    document = response.json()
    end = response.url.path.rpartition("/")[2]
    model = TWO_WAYS.get((response.request.method, end)) or MODELS[end]
    model.model_validate(document, strict=True)
    return document


@asynccontextmanager
async def organising(folder: Path) -> AsyncIterator[Organiser]:
    """A house that is gone when the context is left."""
    async with front(folder) as house:
        yield Organiser(house.web)
