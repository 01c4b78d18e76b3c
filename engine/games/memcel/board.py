"""The picture of a position."""

from typing import Any

from engine.kernel.game import Svg
from engine.kernel.value import Viewer


def board(view: Any, viewer: Viewer, language: str) -> Svg:
    return '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><title>MEMCEL</title></svg>'
