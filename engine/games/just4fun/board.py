"""The picture of a position."""

from engine.games.just4fun.model import State
from engine.kernel.value import Viewer


def board(view: State, viewer: Viewer) -> str:
    cells = "".join(
        f'<text id="f{number}" x="{at % 6 * 60 + 30}" y="{at // 6 * 60 + 30}">{number}</text>'
        for at, number in enumerate(view.layout)
    )
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 360 360"><title>Just 4 Fun</title>{cells}</svg>'
