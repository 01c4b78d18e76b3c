"""The sheets of the seats: one large, the others in a middle or a small size, each with its points line by line.

A viewer who knows a turn that is not revealed yet, its own or, for the referee, anybody's, sees the sheet as that turn
will leave it, and in lime what is new. The points are those that everybody sees.
"""

from typing import NamedTuple, TypeAlias

from engine.games.welcome_to.board_cards import small_hand
from engine.games.welcome_to.board_streets import LARGE, MIDDLE, SMALL, Look, park_track, streets, streets_size
from engine.games.welcome_to.board_tracks import HEIGHT as TRACKS_HEIGHT
from engine.games.welcome_to.board_tracks import tracks
from engine.games.welcome_to.language import CATALOGUE
from engine.games.welcome_to.model import HIDDEN, Sheet, State
from engine.games.welcome_to.pieces import EFFECT_PALE, GREEN, Sign, check, chip, icon, number, waiting
from engine.games.welcome_to.printed import STREETS
from engine.games.welcome_to.scoring import points, temp_points
from engine.games.welcome_to.streets import estates, roundabouts
from engine.games.welcome_to.writing import write
from engine.kernel.picture import INK, LINE, MUTED, PALE, SAND, group, rect, text
from engine.kernel.value import Seat, SeatView, Viewer

WIDTH = 1360
LARGE_HEIGHT = 60 + 3 * LARGE.row + TRACKS_HEIGHT + 22


Lines: TypeAlias = tuple[tuple[Sign, int, int | None], ...]


class Scale(NamedTuple):
    """How the sheets that are not the large one are laid out."""

    look: Look
    width: int
    across: int
    head: int
    strip: int

    @property
    def height(self) -> int:
        return self.head + 3 * self.look.row + self.strip + 6


MIDDLE_SCALE = Scale(MIDDLE, 674, 2, 50, 84)
SMALL_SCALE = Scale(SMALL, 331, 4, 34, 30)
GAP = 12


def large_sheet(state: State, viewer: Viewer, seat: Seat, x: int, y: int, language: str) -> str:
    """The sheet of one seat over the whole width, with all its tracks; its ids have no prefix."""
    sheet, turn = state.sheets[seat], state.turns[seat]
    planned = sheet if turn is None else write(sheet, turn, state.plans)
    width, _ = streets_size(LARGE)
    left, top = x + 18, y + 60
    parks = (
        park_track(planned, street, LARGE, left + width + 26, top + street * LARGE.row + 18, language)
        for street in STREETS
    )
    under = top + 3 * LARGE.row + 8
    return group(
        f"seat-{seat}",
        name_of(seat, viewer, language),
        rect(x, y, WIDTH, LARGE_HEIGHT, 14, PALE, INK, 3),
        _large_head(state, viewer, seat, x, y, language),
        streets(planned, estates(planned), LARGE, left, top, known=sheet, language=language),
        *parks,
        tracks(planned, temp_points(state)[seat], x + 12, under, WIDTH - 24, state.options.advanced, language),
    )


def sheets(state: State, viewer: Viewer, seats: list[Seat], scale: Scale, x: int, y: int, language: str) -> str:
    """The sheets of ``seats`` in rows."""
    temps = temp_points(state)
    step = scale.width + GAP
    return "".join(
        _sheet(
            state,
            viewer,
            seat,
            temps[seat],
            scale,
            x + at % scale.across * step,
            y + at // scale.across * (scale.height + GAP),
            language,
        )
        for at, seat in enumerate(seats)
    )


def sheets_height(count: int, scale: Scale) -> int:
    return (count + scale.across - 1) // scale.across * (scale.height + GAP) - GAP


def name_of(seat: Seat, viewer: Viewer, language: str) -> str:
    if viewer == SeatView(seat):
        return CATALOGUE.say(language, "Seat {seat} (you)", seat=seat)
    return CATALOGUE.say(language, "Seat {seat}", seat=seat)


def standing(state: State, seat: Seat, language: str) -> str:
    """Whether the seat is waited for; at the end, its rank."""
    if seat in state.left:
        return CATALOGUE.say(language, "has left")
    if state.ranks:
        return CATALOGUE.say(language, "rank {rank}", rank=state.ranks[seat])
    if not state.open:
        return ""
    if state.turns[seat] is not None:
        return CATALOGUE.say(language, "ready: in lime what is decided")
    if state.ready[seat]:
        return CATALOGUE.say(language, "ready")
    return CATALOGUE.say(language, "deciding")


def readiness(state: State, seat: Seat, x: int, y: int, size: int) -> str:
    """A tick for who is ready, three dots for who is not, nothing where nobody is asked."""
    if not state.open or seat in state.left or state.ranks:
        return ""
    return check(x, y, size) if state.ready[seat] else waiting(x, y, size)


def _large_head(state: State, viewer: Viewer, seat: Seat, x: int, y: int, language: str) -> str:
    temps = temp_points(state)[seat]
    total = points(state.sheets[seat]).total + temps
    lines = lines_of(state.sheets[seat], temps, state.options.advanced)
    name, said = name_of(seat, viewer, language), standing(state, seat, language)
    sum_said = CATALOGUE.count(language, "{n} point", "{n} points", total)
    return "".join(
        (
            chip(seat, x + 36, y + 29, 18, own=viewer == SeatView(seat)),
            text(x + 66, y + 29, name, size=20, weight=700),
            readiness(state, seat, x + 300, y + 29, 22),
            text(x + 322, y + 29, said, size=15, fill=MUTED),
            _lines(lines, x + 640, y + 29, 66, 15),
            text(x + WIDTH - 22, y + 29, sum_said, size=22, anchor="end", weight=700),
        )
    )


def _sheet(state: State, viewer: Viewer, seat: Seat, temps: int, scale: Scale, x: int, y: int, language: str) -> str:
    sheet, turn = state.sheets[seat], state.turns[seat]
    planned = sheet if turn is None else write(sheet, turn, state.plans)
    total, gone = points(sheet).total + temps, seat in state.left
    lines = lines_of(sheet, temps, state.options.advanced)
    known = any(card != HIDDEN for card in state.hands[seat])
    said = "" if known and scale.look is SMALL else standing(state, seat, language)
    won = bool(state.ranks) and state.ranks[seat] == 1
    wide = scale.look is MIDDLE
    middle, name = y + scale.head // 2, name_of(seat, viewer, language)
    size, radius = (18, 15) if wide else (14, 11)
    across, _ = streets_size(scale.look)
    left, top = x + (12 if wide else 8), y + scale.head
    parts = [
        rect(x, y, scale.width, scale.height, 10, SAND if gone else PALE, GREEN if won else LINE, 4 if won else 2),
        chip(seat, x + 10 + radius, middle, radius, own=viewer == SeatView(seat)),
        text(x + 20 + 2 * radius, middle, name, size=size, weight=700),
        readiness(state, seat, x + (160 if wide else 124), middle, size),
        text(x + (178 if wide else 138), middle, said, size=size - 4, fill=MUTED),
        text(x + scale.width - 12, middle, str(total), size=size + 4, anchor="end", weight=700),
        small_hand(seat, state.hands[seat], x + scale.width - (220 if wide else 184), middle, language),
        streets(
            planned,
            estates(planned),
            scale.look,
            left,
            top,
            known=sheet,
            prefix=f"p{seat}-",
            language=language,
        ),
    ]
    under = top + 3 * scale.look.row + (14 if wide else 10)
    if wide:
        parts += (
            _parks(planned.parks[street], street, left + across + 4, top + street * MIDDLE.row + 12)
            for street in STREETS
        )
        parts.append(_tallies(lines, left, under + 8, (scale.width - 20) // len(lines)))
        parts.append(_worths(state, seat, left, under + 46, (scale.width - 24) // 6, language))
    else:
        parts.append(_lines(lines, left + 8, under + 8, (scale.width - 14) // len(lines), 11))
    return group(f"seat-{seat}", name, *parts)


def lines_of(sheet: Sheet, temps: int, advanced: bool) -> Lines:
    """What the total is made of: sign, points, and how many boxes or cards there are behind it."""
    worth = points(sheet)
    got: Lines = (
        ("plan", sum(worth.plans), sum(map(bool, sheet.plans))),
        ("landscaper", sum(worth.parks), sum(sheet.parks)),
        ("pool", worth.pools, sum(map(len, sheet.pools))),
        ("temp", temps, sheet.temps),
        ("real_estate", sum(count * each for count, each in worth.estates), None),
        ("bis", worth.bis, sum(map(len, sheet.bis))),
        ("refusal", worth.refusals, sheet.refusals),
    )
    return (*got, ("roundabout", worth.roundabouts, roundabouts(sheet))) if advanced else got


def _lines(lines: Lines, x: int, y: int, step: int, size: int) -> str:
    """Sign and points, side by side."""
    return "".join(
        icon(sign, x + at * step, y, size + 5) + text(x + at * step + size * 3 // 4, y, str(got), size=size)
        for at, (sign, got, _) in enumerate(lines)
    )


def _tallies(lines: Lines, x: int, y: int, step: int) -> str:
    """Sign, points and boxes crossed of each line."""
    parts = []
    for at, (sign, got, count) in enumerate(lines):
        left = x + at * step
        parts.append(icon(sign, left + 12, y, 22))
        parts.append(text(left + 27, y, str(got), size=16, weight=700))
        if count is not None:
            parts.append(text(left + 30 + 10 * len(str(got)), y + 1, f"({count})", size=11, fill=MUTED))
    return "".join(parts)


def _worths(state: State, seat: Seat, x: int, y: int, step: int, language: str) -> str:
    """What estates of each size are worth, and how many there are."""
    parts = []
    for at, (count, each) in enumerate(points(state.sheets[seat]).estates):
        left = x + at * step
        title = CATALOGUE.say(
            language, "Estates of size {size}: {count}, points {points} each", size=at + 1, count=count, points=each
        )
        parts.append(
            group(
                f"p{seat}-estate{at + 1}",
                title,
                rect(left, y - 14, step - 6, 28, 6, EFFECT_PALE["real_estate"] if count else "#f3f1f6"),
                rect(left, y - 14, 26, 28, 6, "#65478f"),
                number(left + 13, y, at + 1, 15, PALE),
                text(left + 34, y, f"{count} × {each}", size=15, weight=700 if count else 400),
            )
        )
    return "".join(parts)


def _parks(have: int, street: int, x: int, y: int) -> str:
    """The parks of a street as trees that stand and trees to come."""
    boxes = street + 3
    return icon("landscaper", x + 14, y + 18, 26) + text(x + 30, y + 18, f"{have}/{boxes}", size=14, weight=700)
