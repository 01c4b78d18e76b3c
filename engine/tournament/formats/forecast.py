"""When will the last table be done? Expected end, and an interval that holds it nine times of ten.

The length of a game is taken to be log-normal: it has a median, and a spread of its logarithm. A round lasts as long as
its slowest table, so with 64 tables of one hour it takes nearly 1.8 hours without a clock. What has been seen tells
median and spread: finished tables by their length, running ones by having lasted so long already (without them the
quick tables, which finish first, would promise too early an end). Before anything is seen, ``PRIOR`` tables of the
typical length stand in. Every pace that fits what was seen has its say, by how well it fits; one alone, the best, would
be too sure of itself. All in whole numbers.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import isqrt

from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Instant, Value
from engine.tournament.formats.normal import UNIT, WHOLE, above, exponential, logarithm, power

MINUTE_US = 60_000_000
STEP_US = 15_000_000
"""Ends are found to a quarter of a minute."""
SPREAD = 25
"""The usual spread: hundredths of the standard deviation of the logarithm."""
PRIOR = 6
"""How many tables the typical length is worth against those that were seen."""
MEDIANS = range(10, 61)
"""Medians that are weighed: twentieths of the typical length, from a half to three times."""
SPREADS = (15, 20, 25, 30, 35, 40, 50)
"""Spreads that are weighed."""
HEARD = WHOLE // 100
"""A pace that is a hundred times less likely than the best has no say."""
AGES = 20
"""Ages are told apart to this part of the typical length, so that thousands of tables have few ages."""
OVERDUE = 3
"""A table that has lasted so many medians is thought no older: nothing is known of such tables. At the least of the
spreads it is 7.3 deviations, which the table of the normal distribution still holds."""
EARLY, MIDDLE, LATE, NINE_IN_TEN = WHOLE // 20, WHOLE // 2, WHOLE - WHOLE // 20, WHOLE - WHOLE // 10


class Forecast(Value, frozen=True):
    """Microseconds from now until the last running table is done: the middle, and nine in ten between the others."""

    expected_us: int
    early_us: int
    late_us: int


class RoundEstimate(Value, frozen=True):
    """One round of a schedule. ``late`` is when it is over nine times of ten."""

    number: int
    start: Instant
    end: Instant
    late: Instant


class Pace(Value, frozen=True):
    """How long games take, and how much this pace has to say beside others."""

    median_us: int
    spread: int
    """Hundredths of the standard deviation of the logarithm."""
    weight: int = WHOLE


def forecast(finished_us: Sequence[int], running_us: Sequence[int], typical_minutes: int) -> Forecast:
    """From the lengths of tables that are done, and the ages of those that run; all began in like conditions.

    Nothing running: zeros. Raises ``Refusal`` (``bad_format``) for lengths below 1, or negative ages.
    """
    if typical_minutes < 1 or min(finished_us, default=1) < 1 or min(running_us, default=0) < 0:
        raise Refusal("bad_format", "A game takes some time, and no table has a negative age.", Kind.INVALID)
    part = typical_minutes * MINUTE_US // AGES
    ages = Counter(age // part * part for age in running_us)
    paces = learned(finished_us, ages, typical_minutes * MINUTE_US)
    return Forecast(*(_done_by(ages, paces, share) for share in (MIDDLE, EARLY, LATE)))


def schedule(
    start: Instant, rounds: int, tables: int, typical_minutes: int, between_minutes: int, clock_minutes: int = 0
) -> tuple[RoundEstimate, ...]:
    """Rounds one after the other; a clock (0: none) ends them at the latest. Delays add up as independent ones do: by
    their squares. Raises ``Refusal`` (``bad_format``).
    """
    if min(rounds, tables, typical_minutes) < 1 or min(between_minutes, clock_minutes) < 0:
        raise Refusal("bad_format", "A schedule has rounds, tables and games that take time.", Kind.INVALID)
    expected, late = slowest(tables, typical_minutes)
    if clock_minutes:
        expected, late = min(expected, clock_minutes * MINUTE_US), min(late, clock_minutes * MINUTE_US)
    estimates = []
    for number in range(1, rounds + 1):
        end = start + expected
        estimates.append(RoundEstimate(number, start, end, end + isqrt(number * (late - expected) ** 2)))
        start = end + between_minutes * MINUTE_US
    return tuple(estimates)


def slowest(tables: int, typical_minutes: int, spread: int = SPREAD) -> tuple[int, int]:
    """How long a round of ``tables`` lasts, in microseconds: as often longer as shorter; and nine times of ten less."""
    paces = (Pace(typical_minutes * MINUTE_US, spread),)
    new = Counter({0: tables})
    return _done_by(new, paces, MIDDLE), _done_by(new, paces, NINE_IN_TEN)


def learned(finished_us: Sequence[int], ages: Mapping[int, int], typical_us: int) -> tuple[Pace, ...]:
    """The paces that fit, with their weights; ``ages`` → how many tables have run so long."""
    lengths = [logarithm(length) for length in finished_us]
    seen, total, squares = len(lengths), sum(lengths), sum(length * length for length in lengths)
    usual, typical = SPREAD * UNIT // 100, logarithm(typical_us)
    likelihoods = {}
    for twentieths in MEDIANS:
        median_us = typical_us * twentieths // 20
        median = logarithm(median_us)
        away = squares - 2 * median * total + seen * median * median + PRIOR * (usual**2 + (typical - median) ** 2)
        for spread in SPREADS:
            pace = Pace(median_us, spread)
            likely = -away * 10_000 // (2 * spread * spread * UNIT) - (seen + PRIOR) * logarithm(spread)
            for age, tables in ages.items():
                likely += tables * (logarithm(max(1, _still_running(age, pace))) - logarithm(WHOLE))
            likelihoods[pace] = likely
    best = max(likelihoods.values())
    weighed = [Pace(p.median_us, p.spread, exponential(likely - best)) for p, likely in likelihoods.items()]
    return tuple(pace for pace in weighed if pace.weight >= HEARD)


def _still_running(age_us: int, pace: Pace) -> int:
    """The share of tables that last longer than that."""
    if age_us < 1:
        return WHOLE
    return above((logarithm(age_us) - logarithm(pace.median_us)) * 100 // pace.spread)


def _done_by(ages: Mapping[int, int], paces: Sequence[Pace], wanted: int) -> int:
    """When all are done with probability ``wanted``; ``ages`` → how many tables have it. By halving."""
    if not ages:
        return 0
    low, high = 0, STEP_US
    while _all_done(ages, paces, high) < wanted:
        low, high = high, 2 * high
    while high - low > STEP_US:
        middle = (low + high) // 2
        low, high = (low, middle) if _all_done(ages, paces, middle) >= wanted else (middle, high)
    return high


def _all_done(ages: Mapping[int, int], paces: Sequence[Pace], after_us: int) -> int:
    """The share of cases in which all are done by then."""
    total = 0
    for pace in paces:
        share = pace.weight
        for age, tables in ages.items():
            known = min(age, OVERDUE * pace.median_us)
            still = _still_running(known + after_us, pace) * WHOLE // _still_running(known, pace)
            share = share * power(WHOLE - still, tables) // WHOLE
        total += share
    return total * WHOLE // sum(pace.weight for pace in paces)
