"""What an event may choose about its standings. Every policy that can change a number is a field here, so that the same
results under other rules are another value and nothing else.
"""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias, get_args

import msgspec

from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Value
from engine.luck.seeds import SEED_BYTES
from engine.tournament.exact import Exact, exact_of
from engine.tournament.schemes import Scheme, Wager, scheme_of, win_points

Key: TypeAlias = Literal[
    "TP",
    "WINS",
    "PLACES",
    "RAW",
    "SHARE",
    "NORM",
    "VSWIN",
    "VSOPP",
    "SOS",
    "SOS-C1",
    "SOS-M1",
    "XSOS",
    "PSB",
    "BEAT",
    "PROG",
    "AVGPLACE",
    "DROP1",
    "H2H",
    "LOT",
    "LINES",
    "OMW",
    "BH",
    "BH-C1",
    "SB",
]
"""What standings can be ordered by; ``tiebreaks.TIEBREAKS`` says what each one is."""

KEYS: tuple[Key, ...] = get_args(Key)

BYE_OPPONENTS_MAX = 100


class StandingRules(Value, frozen=True):
    """How a stage is ranked. Raises ``ValueError`` for rules that contradict each other."""

    scheme: Scheme
    order: tuple[Key, ...] = ("TP", "SOS", "PSB", "RAW", "LOT")
    """What decides, first things first; each counts only among those who are equal in all before it. Usually begins
    with TP; where most wins qualify, with WINS."""
    best_of: int = 0
    """So many of the best rounds count as points; 0 is all of them."""
    bye_opponent: Literal["none", "dummy", "virtual"] = "none"
    """Whom BH and SB see in a round without a table. ``none``: nobody. ``dummy``: one with the entrant's own final
    points. ``virtual``: one with the entrant's points before the round, what the entrant lacked of a win, and half a
    win for every round that was still to come (FIDE 2009)."""
    match_win_floor: Exact = "1/5"
    """OMW takes no opponent for worse than this part of all wins."""
    match_win_bye: Exact = "1/5"
    """What each opponent of a bye counts in OMW."""
    match_win_bye_opponents: int = 3
    """How many opponents a bye has in OMW."""
    refund_disqualified: bool = False
    """Whether tables are reckoned as if the disqualified had come last there, with the lowest score."""
    rank_disqualified: bool = True
    """Whether the disqualified share the last place, or have none."""
    substitutes_count: bool = True
    """Whether those who are not ranked count as opponents in tie-breaks."""
    lot_seed: str = ""
    """64 hex digits, from which LOT is drawn; empty as long as it is secret, and LOT then decides nothing."""

    def __post_init__(self) -> None:
        if not self.order or len(set(self.order)) != len(self.order):
            raise ValueError("order names at least one key, and none of them twice")
        if self.best_of < 0 or not 0 <= self.match_win_bye_opponents <= BYE_OPPONENTS_MAX:
            raise ValueError(f"best_of is 0 or more, and match_win_bye_opponents is 0 to {BYE_OPPONENTS_MAX}")
        if any(not 0 <= exact_of(part) <= 1 for part in (self.match_win_floor, self.match_win_bye)):
            raise ValueError("match_win_floor and match_win_bye are parts from 0 to 1")
        if self.best_of and isinstance(self.scheme, Wager):
            raise ValueError("a wager is played with all that was won before, so best_of cannot leave a round out")
        if win_points(self.scheme) is None and (self.bye_opponent != "none" or "OMW" in self.order):
            raise ValueError("bye_opponent and OMW need a scheme in which a win has fixed points")
        if self.lot_seed and not _is_seed(self.lot_seed):
            raise ValueError(f"lot_seed is {2 * SEED_BYTES} hex digits, or empty")


def rules_of(data: Mapping[str, Any]) -> StandingRules:
    """Rules from decoded TOML or JSON, in which the scheme may be a name. Raises ``Refusal`` ``bad_scheme`` or
    ``bad_standing_rules``, saying what is wrong.
    """
    known = dict(data)
    if isinstance(known.get("scheme"), str | Mapping):
        known["scheme"] = msgspec.to_builtins(scheme_of(known["scheme"]))
    try:
        return msgspec.convert(known, StandingRules)
    except msgspec.ValidationError as error:
        raise Refusal(
            "bad_standing_rules", f"The rules of the standings are not valid: {error}.", Kind.INVALID
        ) from error


def _is_seed(text: str) -> bool:
    return len(text) == 2 * SEED_BYTES and set(text) <= set("0123456789abcdef")
