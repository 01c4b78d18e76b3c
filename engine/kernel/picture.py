"""What all pictures are made with: the frame, text, boxes, lines. Presentation attributes and integers only.

So they look alike everywhere. A game draws its own pieces with them, and where it needs another ink or another box it
has one of its own.
"""

from collections.abc import Callable
from html import escape

from engine.kernel.catalogue import LANGUAGES
from engine.kernel.game import Svg

INK = "#13253d"
PALE = "#ffffff"
PAPER = "#f5f2ea"
MUTED = "#5c6875"
LINE = "#d8d3c6"
SAND = "#e6e1d4"
LIME = "#c8f04a"
"""Like nothing that is printed: for what has just happened."""
FONT = "Avenir Next, Segoe UI, Ubuntu, DejaVu Sans, Noto Sans KR, Malgun Gothic, sans-serif"


def frame(width: int, height: int, language: str, title: str, description: str, *parts: str) -> Svg:
    """The whole picture. ``title`` and ``description`` are markup: what may hold a ``<`` or ``&`` comes escaped."""
    spoken = language if language in LANGUAGES else LANGUAGES[0]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" lang="{spoken}"'
        f' font-family="{FONT}"><title>{title}</title><desc>{description}</desc>{"".join(parts)}</svg>'
    )


def text(x: int, y: int, words: str, *, size: int, fill: str = INK, anchor: str = "start", weight: int = 400) -> str:
    """Words whose capitals stand centred on ``y``."""
    return (
        f'<text x="{x}" y="{y + size * 36 // 100}" font-size="{size}" font-weight="{weight}" fill="{fill}"'
        f' text-anchor="{anchor}">{words if words.isalnum() else escape(words)}</text>'
    )


def wrapped(words: str, fits: Callable[[str], bool]) -> list[str]:
    """Words broken into lines that fit, but for a single word that does not."""
    lines = [""]
    for word in words.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and not fits(longer):
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def rect(
    x: int, y: int, width: int, height: int, radius: int, fill: str, stroke: str = "none", line: int = 1, more: str = ""
) -> str:
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="{radius}" fill="{fill}"'
        f"{_edge(stroke, line)}{more}/>"
    )


def circle(x: int, y: int, radius: int, fill: str, stroke: str = "none", line: int = 1, more: str = "") -> str:
    return f'<circle cx="{x}" cy="{y}" r="{radius}" fill="{fill}"{_edge(stroke, line)}{more}/>'


def path(d: str, fill: str = "none", stroke: str = "none", line: int = 1, more: str = "") -> str:
    return f'<path d="{d}" fill="{fill}"{_edge(stroke, line)}{more}/>'


def _edge(stroke: str, line: int) -> str:
    return "" if stroke == "none" else f' stroke="{stroke}" stroke-width="{line}"'


def group(id: str, title: str, *parts: str, mark: str = "") -> str:
    """A named element with what it says to those who listen, and its ``mark``, if it has one."""
    how = f' data-mark="{mark}"' if mark else ""
    return f'<g id="{id}"{how}><title>{escape(title)}</title>{"".join(parts)}</g>'


def marked(id: str, mark: str, *parts: str) -> str:
    """A named element that says nothing by itself.

    A page that shows one picture after another makes an element seen that has another ``mark`` than the one of the
    same name in the picture before, or had none there.
    """
    return f'<g id="{id}" data-mark="{mark}">{"".join(parts)}</g>'


def turned(id: str, part: int, whole: int, centre: tuple[int, int], *parts: str) -> str:
    """A named element that the last commit has turned by ``part`` / ``whole`` of a circle, clockwise; by 0 if not.

    A page may show it turning: from ``part`` / ``whole`` before, about ``centre``, to where it is drawn.
    """
    how = f' data-turned="{part}/{whole} {centre[0]} {centre[1]}"' if part else ""
    return f'<g id="{id}"{how}>{"".join(parts)}</g>'
