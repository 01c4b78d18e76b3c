"""Matches in a whole house, by HTTP: one that is over, one that goes on."""

from time import monotonic, sleep
from typing import Any

import httpx

from tests.e2e.command import Up

DEADLINE_S = 20.0


def post(house: Up, path: str, body: Any, key: str) -> httpx.Response:
    headers = {"Idempotency-Key": key}
    return httpx.post(f"{house.web}api/{path}", json=body, headers=headers, timeout=DEADLINE_S, trust_env=False)


def running_match(house: Up, match: str = "goes-on") -> str:
    assert post(house, "matches", {"match": match, "game": "just4fun", "seats": 3}, "open").status_code == 201
    return match


def complete_match(house: Up, match: str = "is-over") -> str:
    """Known for ever: asked again, it is the same."""
    assert post(house, "matches", {"match": match, "game": "just4fun", "seats": 2}, "open").status_code == 201
    leave = {"seat": 0, "command": {"type": "tavolata.leave", "v": 1, "data": {"seat": 0}}}
    assert post(house, f"matches/{match}/commands", leave, "leave").status_code == 200
    deadline = monotonic() + DEADLINE_S
    while not httpx.get(f"{house.web}api/matches/{match}", timeout=DEADLINE_S, trust_env=False).json()["complete"]:
        assert monotonic() < deadline, "the match is not complete"
        sleep(0.02)
    return match
