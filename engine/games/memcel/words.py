"""One sentence about an event, as the viewer may know it."""

from typing import Any


def words(event: Any, language: str) -> str:
    return ""
