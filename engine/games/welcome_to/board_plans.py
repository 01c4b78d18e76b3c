"""The three city plans: what each asks for, what it is worth, and who has it for how much."""

from engine.games.welcome_to.labels import plan_text
from engine.games.welcome_to.language import CATALOGUE
from engine.games.welcome_to.model import NO_PLAN, State
from engine.games.welcome_to.pieces import GREEN, Sign, chip, icon, number, width_of, wrapped
from engine.games.welcome_to.plans import progress
from engine.games.welcome_to.printed import PLANS, Plan
from engine.kernel.picture import INK, LINE, MUTED, PALE, SAND, group, path, rect, text
from engine.kernel.value import Seat, SeatView, Viewer

WIDTH, HEIGHT = 229, 180
STEP = WIDTH + 10
CHIPS_MAX = 7
"""Seats named on a plan, of each value; of more only how many."""
_HOUSE = 14


def plans(state: State, viewer: Viewer, x: int, y: int, language: str) -> str:
    return "".join(_plan(state, viewer, plan, x + plan * STEP, y, language) for plan in range(len(state.plans)))


def _signs(plan: Plan) -> tuple[Sign, ...]:
    match plan.kind:
        case "bis_on_one_street":
            return ("bis",)
        case "temps":
            return ("temp",)
        case "parks_on_streets":
            return ("landscaper",)
        case "pools_on_streets":
            return ("pool",)
        case "parks_and_pools":
            return ("landscaper", "pool")
        case "parks_pools_roundabout":
            return ("landscaper", "pool", "roundabout")
        case _:
            return ()


def _plan(state: State, viewer: Viewer, at: int, x: int, y: int, language: str) -> str:
    if state.plans[at] == NO_PLAN:
        title = CATALOGUE.say(language, "City plan {number}: not dealt yet", number=at + 1)
        return group(f"plan{at}", title, rect(x, y, WIDTH, HEIGHT, 12, SAND))
    plan = PLANS[state.plans[at]]
    asked = plan_text(plan, language)
    claimed = [(seat, sheet.plans[at]) for seat, sheet in enumerate(state.sheets) if sheet.plans[at]]
    title = CATALOGUE.say(
        language,
        "City plan {number}: {asked}; points {first}, later {later}; completed by {count}",
        number=at + 1,
        asked=asked,
        first=plan.first,
        later=plan.later,
        count=len(claimed),
    )
    heading = CATALOGUE.say(language, "Plan {number}", number=at + 1)
    own = viewer.seat if isinstance(viewer, SeatView) else -1
    large = 0 if state.solo else own if own >= 0 else None
    reached = ""
    if large is not None:
        sheet = state.sheets[large]
        have, need = progress(plan, sheet, state.options)
        reached = CATALOGUE.say(language, "{have} of {need}", have=need if sheet.plans[at] else have, need=need)
    first = [seat for seat, points in claimed if points == plan.first]
    later = [seat for seat, points in claimed if points != plan.first]
    return group(
        f"plan{at}",
        title,
        rect(x, y, WIDTH, HEIGHT, 12, PALE, GREEN if any(seat == own for seat, _ in claimed) else LINE, 3),
        icon("plan", x + 22, y + 22, 22),
        text(x + 40, y + 22, heading, size=15, weight=700),
        text(x + WIDTH - 14, y + 22, reached, size=14, anchor="end", fill=MUTED),
        text(x + 48 + width_of(heading, 15), y + 22, "★", size=14, fill=MUTED) if plan.advanced else "",
        _estates(plan.sizes, x, y + 46) if plan.sizes else _asked(plan, asked, x, y + 42),
        _value(plan.first, first, own, x + 12, y + 110, struck=state.lowered[at]),
        _value(plan.later, later, own, x + 12, y + 146, struck=False),
        "" if first else text(x + 60, y + 124, CATALOGUE.say(language, "first"), size=13, fill=MUTED),
        "" if later else text(x + 60, y + 160, CATALOGUE.say(language, "later"), size=13, fill=MUTED),
    )


def _estates(sizes: tuple[int, ...], x: int, y: int) -> str:
    """Rows of little houses, one row an estate, between their fences."""
    across = sum(sizes) * _HOUSE + len(sizes) * 8
    left, parts = x + (WIDTH - across) // 2, []
    for size in sizes:
        width = size * _HOUSE + 2
        roofs = "".join(f"M{left + 1 + at * _HOUSE} {y + 27}v-13l6-9 6 9v13Z" for at in range(size))
        parts.append(path(roofs, "#4488c4", INK, 1))
        parts.append(path(f"M{left - 1} {y + 28}V{y + 5}M{left + width - 1} {y + 28}V{y + 5}", "none", "#7a5230", 2))
        parts.append(number(left + width // 2, y + 41, size, 17))
        left += width + 6
    return "".join(parts)


def _asked(plan: Plan, asked: str, x: int, y: int) -> str:
    signs = _signs(plan)
    left = x + 14 + len(signs) * 26
    lines = wrapped(asked, 14, x + WIDTH - 12 - left - (6 if signs else 0))
    top = y + 28 - (len(lines) - 1) * 9
    return "".join(icon(sign, x + 24 + at * 26, y + 28, 24) for at, sign in enumerate(signs)) + "".join(
        text(left + (6 if signs else 0), top + at * 18, line, size=14, weight=700) for at, line in enumerate(lines)
    )


def _value(points: int, seats: list[Seat], own: Seat, x: int, y: int, *, struck: bool) -> str:
    """A value and the seats that have it; struck out once later ones get less."""
    parts = [
        rect(x, y, 40, 28, 6, SAND if struck else "#1d4580"),
        number(x + 20, y + 14, points, 18, MUTED if struck else PALE),
        path(f"M{x + 5} {y + 23}L{x + 35} {y + 5}", "none", INK, 3) if struck else "",
    ]
    shown = sorted(seats, key=lambda seat: seat != own)[: CHIPS_MAX if len(seats) <= CHIPS_MAX else CHIPS_MAX - 1]
    parts += (chip(seat, x + 58 + at * 23, y + 14, 10, own=seat == own) for at, seat in enumerate(sorted(shown)))
    if len(shown) < len(seats):
        parts.append(text(x + 48 + len(shown) * 23, y + 14, f"+{len(seats) - len(shown)}", size=14, weight=700))
    return "".join(parts)
