"""A round as a picture: moves per second over time, and under them who was hit, how and for how long."""

from collections import Counter
from collections.abc import Callable, Sequence
from html import escape
from typing import Final, TypeAlias

from tests.chaos.faults import Kind, Strike
from tests.chaos.records import Notes

WIDTH: Final = 1200
LEFT: Final = 190
RIGHT: Final = 30
CHART: Final = 190
"""Height of the moves, in pixels."""
TOP: Final = 96
ROW: Final = 24
COLOURS: Final[dict[Kind, str]] = {
    "kill": "#c0392b",
    "pause": "#8e6bbf",
    "cut": "#d98324",
    "drop_acks": "#2f7fb8",
    "restart": "#3b8f5a",
}
SHORT: Final[dict[Kind, str]] = {
    "kill": "kill -9",
    "pause": "paused",
    "cut": "cut off",
    "drop_acks": "answers lost",
    "restart": "restarted",
}
_X: TypeAlias = Callable[[float], float]
"""Seconds of the round to pixels."""
FONT: Final = 'font-family="DejaVu Sans, Verdana, sans-serif"'


def timeline(title: str, told: str, notes: Notes, labels: Sequence[str]) -> str:
    """An SVG. ``labels`` are the rows: services and nodes; ``told`` is the line under the title."""
    seconds = max(1.0, notes.seconds)
    height = TOP + CHART + 40 + ROW * len(labels) + 40

    def x(at: float) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * at / seconds, 1)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}">',
        f'<rect width="{WIDTH}" height="{height}" fill="#fbfaf7"/>',
        _text(24, 34, title, size=20, weight="bold"),
        _text(24, 58, told, size=13, fill="#555"),
        *_legend(),
        *_moves(notes, x),
        *_silence(notes, x),
    ]
    for place, label in enumerate(labels):
        top = TOP + CHART + 40 + ROW * place
        parts.append(_text(LEFT - 12, top + 16, label, size=12, anchor="end", fill="#333"))
        parts.append(
            f'<rect x="{LEFT}" y="{top + 3}" width="{WIDTH - LEFT - RIGHT}" height="{ROW - 6}" fill="#eeece6"/>'
        )
        parts.extend(_bar(strike, x, top) for strike in notes.strikes if strike.target == label)
    return "\n".join([*parts, *_axis(seconds, x, height - 28), "</svg>"]) + "\n"


def _moves(notes: Notes, x: _X) -> list[str]:
    by_second = Counter(int(each.at) for each in notes.told)
    most = max(by_second.values(), default=1)
    bottom = TOP + CHART
    parts = [
        f'<line x1="{LEFT}" y1="{bottom}" x2="{WIDTH - RIGHT}" y2="{bottom}" stroke="#999"/>',
        _text(LEFT - 12, TOP + 12, f"{most}", size=12, anchor="end", fill="#333"),
        _text(LEFT - 12, bottom, "0", size=12, anchor="end", fill="#333"),
        _text(LEFT - 12, TOP + CHART / 2 + 4, "moves a second", size=12, anchor="end", fill="#333"),
    ]
    for strike in notes.strikes:
        width = max(1.5, x(strike.ended) - x(strike.began))
        parts.append(
            f'<rect x="{x(strike.began)}" y="{TOP}" width="{width:.1f}" height="{CHART}" '
            f'fill="{COLOURS[strike.fault.kind]}" opacity="0.12"/>'
        )
    for second, moves in sorted(by_second.items()):
        high = CHART * moves / most
        width = max(1.0, x(second + 1) - x(second) - 0.6)
        parts.append(
            f'<rect x="{x(second)}" y="{bottom - high:.1f}" width="{width:.1f}" height="{high:.1f}" fill="#3f5a73"/>'
        )
    return parts


def _silence(notes: Notes, x: _X) -> list[str]:
    """The longest, with its length."""
    length, began = notes.silence
    if not length:
        return []
    y = TOP + CHART + 16
    middle = (x(began) + x(began + length)) / 2
    return [
        f'<line x1="{x(began)}" y1="{y - 9}" x2="{x(began + length)}" y2="{y - 9}" stroke="#c0392b" stroke-width="2"/>',
        _text(min(max(middle, LEFT + 90), WIDTH - 120), y + 6, f"longest silence {length:.1f} s", size=12,
              anchor="middle", fill="#c0392b"),
    ]  # fmt: skip


def _bar(strike: Strike, x: _X, top: int) -> str:
    width = max(4.0, x(strike.ended) - x(strike.began))
    said = f"{SHORT[strike.fault.kind]}, {strike.began:.1f} to {strike.ended:.1f} s"
    return (
        f'<rect x="{x(strike.began)}" y="{top + 3}" width="{width:.1f}" height="{ROW - 6}" rx="2" '
        f'fill="{COLOURS[strike.fault.kind]}"><title>{escape(said)}</title></rect>'
    )


def _legend() -> list[str]:
    parts = []
    left = float(LEFT)
    for kind, colour in COLOURS.items():
        parts.append(f'<rect x="{left}" y="72" width="12" height="12" rx="2" fill="{colour}"/>')
        parts.append(_text(left + 18, 83, SHORT[kind], size=12, fill="#333"))
        left += 42 + 8 * len(SHORT[kind])
    return parts


def _axis(seconds: float, x: _X, y: int) -> list[str]:
    step = next(step for step in (5, 10, 20, 30, 60, 120, 300, 600) if seconds / step <= 14 or step == 600)
    return [
        _text(x(at), y + 14, f"{at} s", size=12, anchor="middle", fill="#555")
        for at in range(0, int(seconds) + 1, step)
    ]


def _text(
    x: float, y: float, text: str, *, size: int, anchor: str = "start", fill: str = "#222", weight: str = "normal"
) -> str:
    return (
        f'<text x="{x}" y="{y}" {FONT} font-size="{size}" font-weight="{weight}" fill="{fill}" '
        f'text-anchor="{anchor}">{escape(text)}</text>'
    )
