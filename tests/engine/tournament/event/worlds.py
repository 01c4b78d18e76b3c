"""Events that a fuzzer plays: every format, odd fields, tables of two to six, rules of every kind."""

from typing import Any

from hypothesis import strategies as st

from engine.kernel.refusal import Refusal
from engine.tournament.config import Config
from tests.kit.tournaments import Section, event, stage

FORMATS = ("swiss", "planned", "groups", "elimination", "heats", "arena")

PLACES = {"kind": "places", "places": [["5", "2", "1", "0", "0", "0"][:size] for size in range(2, 7)]}
"""Points for tables of two to six; where some did not come to a table of two, the other plays for its first place."""

FIXED = (PLACES, "win-heavy", "normalised-place", "commander")
"""Schemes in which a win has fixed points; the others need awards in numbers."""
OPEN = ("share", "match-points", "squares", "wager")
ODD = range(5, 31)
LADDERS = (7, 9, 10, 13, 16, 20, 27)
"""Fields that most eliminations bring down to a final."""
GROUPS = {2: (5, 6, 9), 3: (9, 15, 18), 4: (16, 28)}
"""By table size: fields that make round robins."""
ELIMINATIONS = (
    ((3, 4, 4), 1, 4, 0),
    ((3, 4, 4), 2, 4, 0),
    ((3, 4, 5), 2, 3, 8),
    ((2, 2, 2), 1, 2, 0),
    ((2, 2, 3), 1, 2, 8),
    ((3, 3, 3), 1, 3, 0),
    ((4, 4, 4), 1, 4, 4),
)
"""Table sizes, how many of each advance, the final, and what byes lead to."""
ORDERS = (
    ("TP", "SOS", "PSB", "RAW", "LOT"),
    ("TP", "WINS", "PLACES", "H2H", "SOS-M1", "XSOS"),
    ("WINS", "TP", "VSWIN", "VSOPP", "NORM", "LOT"),
    ("TP", "DROP1", "PROG", "BEAT", "AVGPLACE", "SHARE", "LINES"),
)
WIN_ORDERS = (("TP", "BH", "BH-C1", "SB", "OMW", "LOT"),)
"""Keys that only make sense where a win has fixed points."""


@st.composite
def worlds(draw: st.DrawFn, format_: str) -> tuple[Config, int]:
    """A configuration that begins with a stage of the format, and may be followed by a cut; and how many enter."""
    while True:
        try:
            config = _world(draw, format_)
        except Refusal:  # what was drawn does not go together
            continue
        fields = {"groups": GROUPS.get(config.stages[0].target, ODD), "elimination": LADDERS}.get(format_, ODD)
        return config, draw(st.sampled_from(fields) | st.sampled_from(ODD))


def _world(draw: st.DrawFn, format_: str) -> Config:
    fixed = draw(st.booleans()) or format_ == "elimination"
    scheme = draw(st.sampled_from(FIXED if fixed else OPEN))
    numbers = {"bye": "1", "no_show": "-1/2", "late": "1/3"}
    sizes = 5 if scheme == "win-heavy" else 6
    return event(
        *_stages(draw, format_, sizes),
        registration={
            "cap": draw(st.sampled_from((0, 0, 12, 6))),
            "waiting_list": draw(st.booleans()),
            "check_in": draw(st.booleans()),
            "late_until": draw(st.integers(0, 1)),
        },
        awards={"bye": "average", "late": "half", "no_show": "-1"} if fixed and draw(st.booleans()) else numbers,
        scoring={
            "scheme": scheme,
            "order": draw(st.sampled_from(ORDERS + WIN_ORDERS if fixed else ORDERS)),
            "refund_disqualified": draw(st.booleans()),
            "rank_disqualified": draw(st.booleans()),
            "substitutes_count": draw(st.booleans()),
            "bye_opponent": draw(st.sampled_from(("none", "dummy", "virtual"))) if fixed else "none",
        },
        clocks={"round_ms": draw(st.sampled_from((0, 60_000))), "no_show_ms": 5_000},
    )


def _stages(draw: st.DrawFn, format_: str, sizes: int) -> list[Section]:
    stages = [_stage(draw, format_, sizes)]
    if draw(st.booleans()):
        after = _stage(draw, draw(st.sampled_from(FORMATS)), sizes)
        after["entrants"] = draw(st.sampled_from((0, 4, 6, 9)))
        after["carry"] = draw(st.booleans())
        after["cut_ties"] = draw(st.sampled_from(("refuse", "expand", "lot")))
        stages.append(after)
    return stages


def _stage(draw: st.DrawFn, format_: str, sizes: int) -> dict[str, Any]:
    smallest = draw(st.integers(2, 4))
    target = draw(st.integers(smallest, min(smallest + 1, sizes)))
    settings: dict[str, Any] = {
        "smallest": smallest,
        "target": target,
        "largest": draw(st.integers(target, min(target + 1, sizes))),
        "first_table": draw(st.sampled_from((1, 101))),
        "games": draw(st.sampled_from((["memcel"], ["memcel", "just4fun"]))),
    }
    match format_:
        case "swiss" | "planned" | "heats":
            settings["rounds"] = draw(st.integers(1, 4))
        case "groups":
            settings["group_size"] = draw(st.sampled_from((0, 0, 3, 5, 9)))
            settings["smallest"] = settings["target"] = min(smallest, 3)
        case "elimination":
            sizes_of, advance, final, byes_to = draw(st.sampled_from(ELIMINATIONS))
            settings.update(zip(("smallest", "target", "largest"), sizes_of, strict=True))
            settings |= {"advance": advance, "final": final, "byes_to": byes_to}
            settings["on_draw"] = draw(st.sampled_from(("seed", "referee")))
        case "arena":
            settings["horizon_ms"] = 600_000
            settings["typical_ms"] = 60_000
            settings["wait_ms"] = draw(st.sampled_from((0, 30_000)))
            settings["pool"] = draw(st.sampled_from((0, 4, 9)))
        case _:
            raise AssertionError(f"{format_} is no format")
    if format_ == "swiss":
        settings["power_last_round"] = draw(st.booleans())
        settings["first_round"] = draw(st.sampled_from(("lots", "seed")))
        settings["repeat_points"] = draw(st.sampled_from((0, 10)))
    if format_ != "arena":
        settings["duplicate"] = draw(st.booleans())
    if format_ == "heats":
        settings["qualify"] = draw(st.sampled_from(("HMW", "HMW-P", "best")))
    return stage(format_, **settings)
