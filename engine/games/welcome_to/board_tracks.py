"""The tracks of a large sheet: what is crossed, what it is worth now, what comes next."""

from collections.abc import Sequence

from engine.games.welcome_to.language import CATALOGUE, effect_name
from engine.games.welcome_to.model import Sheet
from engine.games.welcome_to.pieces import EFFECT_FILL, EFFECT_PALE, Sign, cross, fitting, icon, number, wrapped
from engine.games.welcome_to.printed import (
    BIS_COST,
    ESTATE_POINTS,
    ESTATE_SIZES,
    POOL_POINTS,
    REFUSAL_COST,
    ROUNDABOUT_COST,
    TEMP_BOXES,
    Effect,
)
from engine.games.welcome_to.streets import counts_by_size, roundabouts
from engine.kernel.picture import INK, LINE, MUTED, PALE, SAND, group, path, rect, text

HEIGHT = 166
BOX_WIDTH, BOX_HEIGHT = 38, 40
HEAD = 40
PAD = 14
WIDE = 5 * BOX_WIDTH + 2 * PAD
NARROW = 4 * BOX_WIDTH + 2 * PAD
GAP = 10


def tracks(sheet: Sheet, temp_points: int, x: int, y: int, width: int, advanced: bool, language: str) -> str:
    """Pools, temps, bis, refusals and roundabouts, and as wide as there is room for it, real estate."""
    pools, bis, turned = sum(map(len, sheet.pools)), sum(map(len, sheet.bis)), roundabouts(sheet)
    bis_at = min(bis, len(BIS_COST) - 1)
    at = (x, x + WIDE + GAP, x + 2 * (WIDE + GAP), x + 3 * (WIDE + GAP), x + 3 * (WIDE + GAP) + NARROW + GAP)
    pool_title = CATALOGUE.say(language, "Pools: {have}, points {points}", have=pools, points=POOL_POINTS[pools])
    temp_title = CATALOGUE.say(language, "Temps: {have}, points {points}", have=sheet.temps, points=temp_points)
    bis_title = CATALOGUE.say(language, "Bis: {have}, points -{points}", have=bis, points=BIS_COST[bis_at])
    return "".join(
        (
            group(
                "pools",
                pool_title,
                _frame("pool", effect_name("pool", language), at[0], y, WIDE),
                _values(POOL_POINTS, pools, "pool", at[0] + PAD, y + HEAD + 14, 5),
            ),
            group(
                "temps",
                temp_title,
                _frame("temp", effect_name("temp", language), at[1], y, WIDE),
                _boxes(sheet.temps, at[1] + PAD, y + HEAD + 14),
                number(at[1] + WIDE - PAD - BOX_WIDTH // 2, y + HEAD + 86, f"+{temp_points}", 18),
            ),
            group(
                "bis",
                bis_title,
                _frame("bis", effect_name("bis", language), at[2], y, WIDE),
                _values(BIS_COST, bis_at, "bis", at[2] + PAD, y + HEAD + 14, 5, "-"),
            ),
            _refusals(sheet, at[3], y, HEIGHT if not advanced else HEIGHT // 2 - 4, language),
            _roundabouts(turned, at[3], y + HEIGHT // 2 + 4, language) if advanced else "",
            _promotions(sheet, at[4], y, x + width - at[4], language),
        )
    )


def _frame(sign: Sign, name: str, x: int, y: int, width: int, height: int = HEIGHT) -> str:
    size = fitting(name, 14, width - 54)
    return (
        rect(x, y, width, height, 10, PALE, LINE, 2)
        + icon(sign, x + 24, y + 24, 28)
        + text(x + 44, y + 24, name, size=size, weight=700)
    )


def _values(
    values: Sequence[int],
    have: int,
    effect: Effect,
    x: int,
    y: int,
    across: int,
    sign: str = "",
    height: int = BOX_HEIGHT,
) -> str:
    """The values in rows: those left behind struck out, the current one in full colour."""
    parts = []
    for at, value in enumerate(values):
        left = x + at % across * BOX_WIDTH
        top = y + at // across * (height + 12)
        parts.append(_value(f"{sign if value else ''}{value}", at - have, effect, left, top, height))
    return "".join(parts)


def _value(words: str, ahead: int, effect: Effect, x: int, y: int, height: int) -> str:
    width, middle = BOX_WIDTH - 4, (x + BOX_WIDTH // 2 - 2, y + height // 2)
    if not ahead:
        ink = INK if effect == "temp" else PALE
        return rect(x, y, width, height, 6, EFFECT_FILL[effect], INK, 2) + number(*middle, words, 16, ink)
    if ahead > 0:
        return rect(x, y, width, height, 6, PALE, LINE, 1) + number(*middle, words, 14, MUTED)
    strike = path(f"M{x + 4} {y + height - 4}L{x + width - 4} {y + 4}", "none", EFFECT_FILL[effect], 3)
    return rect(x, y, width, height, 6, EFFECT_PALE[effect]) + number(*middle, words, 14, MUTED) + strike


def _boxes(crossed: int, x: int, y: int) -> str:
    """The boxes of the temp agency have no values: what they are worth depends on the others."""
    parts = []
    for at in range(TEMP_BOXES):
        left, top = x + at % 6 * 32, y + at // 6 * (BOX_HEIGHT + 12)
        done = at < crossed
        parts.append(rect(left, top, 28, BOX_HEIGHT, 6, EFFECT_PALE["temp"] if done else PALE, LINE, 1))
        if done:
            parts.append(cross(left + 14, top + BOX_HEIGHT // 2, 8))
    return "".join(parts)


def _refusals(sheet: Sheet, x: int, y: int, height: int, language: str) -> str:
    have = sheet.refusals
    title = CATALOGUE.say(
        language, "Permit refusals: {have} of 3, points -{points}", have=have, points=REFUSAL_COST[have]
    )
    name = CATALOGUE.say(language, "Permit refusals")
    top, box = (y + HEAD + 2, 30) if height < HEIGHT else (y + HEAD + 14, BOX_HEIGHT)
    return group(
        "refusals",
        title,
        _frame("refusal", name, x, y, NARROW, height),
        _values(REFUSAL_COST, have, "surveyor", x + PAD, top, 4, "-", box),
    )


def _roundabouts(have: int, x: int, y: int, language: str) -> str:
    title = CATALOGUE.say(language, "Roundabouts: {have}, points -{points}", have=have, points=ROUNDABOUT_COST[have])
    name = CATALOGUE.say(language, "Roundabouts")
    return group(
        "roundabouts",
        title,
        _frame("roundabout", name, x, y, NARROW, HEIGHT // 2 - 4),
        _values(ROUNDABOUT_COST, have, "surveyor", x + PAD, y + HEAD + 2, 4, "-", 30),
    )


def _promotions(sheet: Sheet, x: int, y: int, width: int, language: str) -> str:
    """A column a size: what such an estate is worth, from the top; below the size, how many there are."""
    counts = counts_by_size(sheet)
    name = effect_name("real_estate", language)
    parts = [
        rect(x, y, width, HEIGHT, 10, PALE, LINE, 2),
        icon("real_estate", x + 24, y + 22, 28),
        *(text(x + 12, y + 56 + at * 18, line, size=14, weight=700) for at, line in enumerate(wrapped(name, 14, 104))),
    ]
    step = (width - 130) // len(ESTATE_SIZES)
    for size in ESTATE_SIZES:
        left, values, have = x + 124 + (size - 1) * step, ESTATE_POINTS[size - 1], sheet.promotions[size - 1]
        title = CATALOGUE.say(
            language,
            "Estates of size {size}: {count}, points {points} each",
            size=size,
            count=counts[size - 1],
            points=values[have],
        )
        boxes = (
            _value(str(value), at - have, "real_estate", left, y + 34 + at * 26, 24) for at, value in enumerate(values)
        )
        head = number(left + 17, y + 18, size, 17) + rect(left, y + 30, BOX_WIDTH - 4, 2, 0, SAND)
        parts.append(group(f"estate{size}", title, head, *boxes))
    return "".join(parts)
