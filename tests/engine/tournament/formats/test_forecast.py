"""The forecast: known figures for the slowest of many tables, and an interval that keeps its word."""

from math import erfc, exp, log, sqrt
from random import Random

import pytest

from engine.kernel.refusal import Refusal
from engine.tournament.formats.forecast import MINUTE_US, Forecast, forecast, schedule, slowest
from engine.tournament.formats.normal import TAIL, UNIT, WHOLE, above, exponential, logarithm, power

TABLES = (1, 4, 16, 64, 250, 2500)
EXPECTED = {15: (61, 71, 78, 86, 92, 102), 25: (60, 79, 95, 108, 121, 144), 35: (63, 88, 115, 137, 161, 205)}
"""Spread in hundredths → minutes until the slowest of so many tables of 60 minutes is done: means of simulations."""
LATE = (80, 98, 111, 126, 138, 159)
"""The ninetieth percentile with a spread of 0.25."""


@pytest.mark.parametrize("spread", EXPECTED)
def test_the_slowest_of_many_tables(spread: int) -> None:
    for tables, minutes in zip(TABLES, EXPECTED[spread], strict=True):
        assert slowest(tables, 60, spread)[0] / MINUTE_US == pytest.approx(minutes, rel=0.05)


def test_the_slowest_nine_times_of_ten() -> None:
    for tables, minutes in zip(TABLES, LATE, strict=True):
        assert slowest(tables, 60)[1] / MINUTE_US == pytest.approx(minutes, rel=0.04)


def test_sixty_four_tables_take_nearly_eighteen_tenths_of_one() -> None:
    assert slowest(64, 60)[0] / MINUTE_US / 60 == pytest.approx(1.8, abs=0.05)


def seen(tables: int, median: float, spread: float, at: int, seed: int) -> tuple[Forecast, int]:
    """The forecast after ``at`` minutes, when the usual game takes 60, and what came true (microseconds from then)."""
    random = Random(seed)
    lengths = [int(median * MINUTE_US * exp(spread * random.gauss(0, 1))) for _ in range(tables)]
    now = at * MINUTE_US
    running = sum(length > now for length in lengths)
    found = forecast([length for length in lengths if length <= now], [now] * running, 60)
    return found, max(0, max(lengths) - now)


@pytest.mark.parametrize(("median", "spread", "at"), [(60, 0.25, 60), (75, 0.25, 70), (60, 0.35, 90), (45, 0.2, 50)])
def test_nine_in_ten_ends_are_within_the_interval(median: float, spread: float, at: int) -> None:
    runs = [seen(64, median, spread, at, seed) for seed in range(20)]
    held = sum(found.early_us <= true <= found.late_us for found, true in runs)
    assert held >= 16, f"{held} of 20"
    assert all(found.early_us <= found.expected_us <= found.late_us for found, _ in runs)


def test_the_more_is_seen_the_narrower_it_is() -> None:
    widths = []
    for at in (0, 60, 90):
        found, _ = seen(64, 60, 0.25, at, 1)
        widths.append(found.late_us - found.early_us)
    assert widths[0] > widths[1] > widths[2]


def test_slow_tables_that_still_run_are_heard() -> None:
    """One was quick; that the others are not done after two hours says more."""
    quick = forecast([50 * MINUTE_US], [55 * MINUTE_US] * 8, 60)
    slow = forecast([50 * MINUTE_US], [120 * MINUTE_US] * 8, 60)
    assert slow.expected_us > quick.expected_us


def test_before_anything_is_done_the_usual_length_and_spread_stand_in() -> None:
    """Not knowing the pace costs up to a fifth more than the slowest of 64 whose pace is known."""
    sure = slowest(64, 60)[0]
    assert sure < forecast([], [0] * 64, 60).expected_us < sure * 6 // 5


def test_nothing_running_is_done() -> None:
    assert forecast([60 * MINUTE_US], [], 60) == Forecast(0, 0, 0)


def test_a_table_that_is_long_overdue_still_has_a_forecast() -> None:
    found = forecast([60 * MINUTE_US] * 63, [3000 * MINUTE_US], 60)
    assert 0 < found.early_us < found.late_us < 600 * MINUTE_US


def test_a_schedule_adds_rounds_and_breaks() -> None:
    rounds = schedule(0, 3, 16, 60, 10)
    expected, late = slowest(16, 60)
    assert [r.number for r in rounds] == [1, 2, 3]
    assert [r.start for r in rounds] == [0, expected + 10 * MINUTE_US, 2 * (expected + 10 * MINUTE_US)]
    assert rounds[0].late == late
    assert rounds[2].end == 3 * expected + 20 * MINUTE_US
    assert (rounds[2].late - rounds[2].end) / (late - expected) == pytest.approx(sqrt(3), rel=0.001)


def test_a_clock_ends_a_round_at_the_latest() -> None:
    (only,) = schedule(0, 1, 64, 60, 10, clock_minutes=75)
    assert (only.end, only.late) == (75 * MINUTE_US, 75 * MINUTE_US)


def test_integers_agree_with_the_mathematics() -> None:
    for number in (1, 2, 3, 10, 999, 60_000_000, 2**40 + 12_345, 10**18):
        assert logarithm(number) / UNIT == pytest.approx(log(number), abs=3e-6)
    for step, share in enumerate(TAIL):
        assert share / WHOLE == pytest.approx(erfc(step / 16 / sqrt(2)) / 2, abs=1e-18, rel=1e-6)
    for sixtieths in range(-240, 241, 7):
        share = above(sixtieths * UNIT // 60)
        assert share / WHOLE == pytest.approx(erfc(sixtieths / 60 / sqrt(2)) / 2, rel=0.01, abs=1e-6)
    assert power(WHOLE // 2, 10) == WHOLE // 1024
    assert exponential(-3 * 1024 * 1024) / WHOLE == pytest.approx(exp(-3), rel=0.01)


def test_nonsense_is_refused() -> None:
    for nonsense in (
        lambda: forecast([0], [], 60),
        lambda: forecast([], [-1], 60),
        lambda: forecast([], [], 0),
        lambda: schedule(0, 0, 1, 60, 0),
        lambda: schedule(0, 1, 1, 60, -1),
    ):
        with pytest.raises(Refusal) as refused:
            nonsense()
        assert refused.value.code == "bad_format"
