"""What one seed decides before anything happens: tables, people, replicas, and the weather.

Everything is drawn from one ``random.Random`` here; what is drawn later, while the house runs, comes from generators
that are named by the seed, so that a change of the plan's order is the only thing that reshuffles the seeds.
"""

import random
from functools import cache
from typing import Any

import msgspec

from engine.games import all_games
from engine.kernel.game import AnyGame
from engine.kernel.official import DEFAULT, FORFEIT, CallTime, Directing, Extend, Leave, Pause, Resume
from tests.kit.cases import Case, cases_of
from tests.kit.duel import DUEL

MATCHES_MAX = 4
SEATS_MAX = 4
"""Each seat watches as itself, so a larger table costs its square and finds no more."""
DUELS: tuple[dict[str, Any], ...] = (
    {},
    {"rounds": 1},
    {"rounds": 4},
    {"charms": False},
    {"rounds": 5, "charms": False},
)
"""The dice duel's options are bounded by code, which looking at its type does not tell."""
STORM_S = (5.0, 40.0)
"""For how long things go wrong; after that the house must come to rest by itself."""
PEACE_S = 1800.0
"""How long it may take then. The slowest honest match, all defaults by the clock, takes a third of it."""


class Habits(msgspec.Struct, frozen=True):
    """How one person plays; the numbers are chances per move."""

    level: str
    think_s: float
    sleeps: float = 0.0
    """Thinks until the clock has surely run out, or for a while if there is none."""
    repeats: float = 0.0
    errs: float = 0.0
    hangs_up: float = 0.0
    leaves: float = 0.0
    careful: float = 0.0
    """Names the revision that the move was chosen on."""


class Clocks(msgspec.Struct, frozen=True):
    """What the opening says of time beside the turn time."""

    bank_ms: int = 0
    increment_ms: int = 0
    on_timeout: str = DEFAULT


class Direction(msgspec.Struct, frozen=True):
    """What the director asks for, so long after the one before."""

    after_s: float
    command: Directing


class MatchPlan(msgspec.Struct, frozen=True):
    match_id: str
    game: str
    seats: int
    options: dict[str, Any]
    turn_ms: int
    nonces: tuple[str, ...]
    opens_s: float
    habits: tuple[Habits, ...]
    viewers: tuple[str, ...]
    """Who looks on beside the players."""
    pesters: bool
    """Somebody opens the match again: the same, otherwise, and as another game."""
    clocks: Clocks = Clocks()
    directions: tuple[Direction, ...] = ()


class Rates(msgspec.Struct, frozen=True):
    """Chances per step, while the storm lasts."""

    crash: float = 0.0
    stays_down: float = 0.0
    """Of a crash, where another replica is left."""
    lost: float = 0.0
    """A request that never arrives."""
    answer_lost: float = 0.0
    """It was done, and nobody hears of it."""
    ghost: float = 0.0
    """The very same append arrives a second time, later."""
    stale: float = 0.0
    """A read that leaves out lines which are stored, and of which nobody has been told."""
    slow: float = 0.0
    hiccup: float = 0.0
    """A follower that is told late."""


CALM = Rates()


class Plan(msgspec.Struct, frozen=True):
    seed: int
    matches: tuple[MatchPlan, ...]
    partitions: int
    rules_replicas: dict[str, int]
    deck_replicas: int
    storm_s: float
    rates: Rates
    dark_s: tuple[float, float] = (0.0, 0.0)
    """From when until when nobody at all reaches the log."""

    @property
    def ends_s(self) -> float:
        return self.storm_s + PEACE_S


def plan_of(seed: int) -> Plan:
    dice = random.Random(f"plan {seed}")
    matches = tuple(_match(dice, seed, number) for number in range(1, dice.randint(1, MATCHES_MAX) + 1))
    return Plan(
        seed=seed,
        matches=matches,
        partitions=dice.choice((1, 1, 2, 3)),
        rules_replicas={key: dice.randint(1, 3) for key in games()},
        deck_replicas=dice.randint(1, 2),
        storm_s=dice.uniform(*STORM_S),
        rates=CALM if dice.random() < 0.1 else _rates(dice),
        dark_s=_dark_s(random.Random(f"dark {seed}")),
    )


@cache
def games() -> dict[str, AnyGame]:
    """Every game there is, and the dice duel: the smallest game with secrets and simultaneous turns."""
    return {**all_games(), DUEL.key: DUEL}


@cache
def _cases(key: str) -> tuple[Case, ...]:
    if key == DUEL.key:
        return tuple(Case(DUEL, seats, options) for seats in (2, 3) for options in DUELS)
    return tuple(Case(case.game, min(case.seats, SEATS_MAX), case.options) for case in cases_of(games()[key]))


def _match(dice: random.Random, seed: int, number: int) -> MatchPlan:
    key = DUEL.key if dice.random() < 0.6 else dice.choice(sorted(all_games()))
    case = dice.choice(_cases(key))
    turn_ms = dice.choice((0, 0, 500, 1500, 4000))
    viewers = ["spectator", "referee", *(f"seat:{seat}" for seat in range(case.seats))]
    return MatchPlan(
        match_id=f"m{seed}-{number}",
        game=key,
        seats=case.seats,
        options=case.options,
        turn_ms=turn_ms,
        nonces=tuple(dice.randbytes(4).hex() if dice.random() < 0.3 else "" for _ in range(case.seats)),
        opens_s=dice.uniform(0, 5),
        habits=tuple(_habits(dice) for _ in range(case.seats)),
        viewers=tuple(dice.choice(viewers) for _ in range(dice.randint(0, 2))),
        pesters=dice.random() < 0.3,
        clocks=_clocks(random.Random(f"clocks {seed} {number}"), turn_ms),
        directions=_directions(random.Random(f"directions {seed} {number}")),
    )


def _clocks(dice: random.Random, turn_ms: int) -> Clocks:
    bank_ms = dice.choice((0, 0, 1000, 6000))
    return Clocks(
        bank_ms=bank_ms,
        increment_ms=dice.choice((0, 300)) if bank_ms else 0,
        on_timeout=FORFEIT if (turn_ms or bank_ms) and dice.random() < 0.3 else DEFAULT,
    )


def _directions(dice: random.Random) -> tuple[Direction, ...]:
    """What is paused goes on again; of what is refused nothing comes."""
    directions: list[Direction] = []
    if dice.random() < 0.3:
        directions.append(Direction(dice.uniform(0, 10), Pause("A question for the judge")))
        if dice.random() < 0.3:
            directions.append(Direction(dice.uniform(0, 5), Leave(dice.randrange(2), "No show")))
        if dice.random() < 0.5:
            directions.append(Direction(dice.uniform(0, 5), Extend(dice.randrange(1, 5000))))
        directions.append(Direction(dice.uniform(0, 10), Resume()))
    if dice.random() < 0.3:
        directions.append(Direction(dice.uniform(0, 10), Extend(dice.randrange(1, 5000), dice.randrange(2))))
    if dice.random() < 0.2:
        directions.append(Direction(dice.uniform(0, 20), CallTime("The round is over")))
    return tuple(directions)


def _dark_s(dice: random.Random) -> tuple[float, float]:
    if dice.random() < 0.6:
        return (0.0, 0.0)
    begins_s = dice.uniform(3, 25)
    return (begins_s, begins_s + dice.uniform(1, 30))


def _habits(dice: random.Random) -> Habits:
    def some(often: float) -> float:
        return often if dice.random() < 0.3 else 0.0

    return Habits(
        level="greedy" if dice.random() < 0.05 else "random",
        think_s=dice.choice((0.0, 0.05, 0.4)),
        sleeps=some(0.2),
        repeats=some(0.3),
        errs=some(0.3),
        hangs_up=some(0.2),
        leaves=dice.choice((0, 0, 0, 0.02, 0.2)),
        careful=some(0.5),
    )


def _rates(dice: random.Random) -> Rates:
    def rate(*levels: float) -> float:
        return dice.choice((0.0, *levels))

    return Rates(
        crash=rate(0.001, 0.005, 0.02),
        stays_down=rate(0.3),
        lost=rate(0.01, 0.1),
        answer_lost=rate(0.01, 0.1),
        ghost=rate(0.05, 0.3),
        stale=rate(0.05, 0.3),
        slow=rate(0.02, 0.1),
        hiccup=rate(0.02, 0.2),
    )
