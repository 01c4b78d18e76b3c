"""Moves of people at the other end of the house: whatever may be done first."""

from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

from playwright.sync_api import APIRequestContext


def first_move(request: APIRequestContext, match: str, seat: int) -> int:
    """Makes the first move that ``seat`` may make, and tells the revision it made."""
    path: list[str] = []
    while True:
        query = urlencode([("seat", seat), *(("path", key) for key in path)])
        asked = request.get(f"/api/matches/{match}/choices?{query}")
        found: dict[str, Any] = asked.json()
        if found["command"]:
            break
        path.append(found["choices"][0]["key"])
    done = request.post(
        f"/api/matches/{match}/commands",
        data={"seat": seat, "command": found["command"]},
        headers={"Idempotency-Key": f"k{uuid4().hex}"},
    )
    assert done.ok, done.text()
    revision: int = done.json()["revision"]
    return revision


def asked_seat(request: APIRequestContext, match: str) -> int:
    """The seat that the match waits for."""
    while True:
        position: dict[str, Any] = request.get(f"/api/matches/{match}").json()
        if position["pending_seats"]:
            seat: int = position["pending_seats"][0]
            return seat
