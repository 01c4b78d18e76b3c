"""The sums of a benchmark are right, whatever it measures."""

from io import StringIO

from rich.console import Console

from bench.kit.figures import Finding, Outcome, Skipped, Wanted, alternate, quantile, spread
from bench.kit.results import fields
from bench.kit.table import number, show


def test_works_take_turns_and_the_order_is_turned_round() -> None:
    order: list[str] = []

    def work(name: str) -> float:
        order.append(name)
        return float(len(order))

    measured = alternate(3, {"ours": lambda: work("ours"), "theirs": lambda: work("theirs")})

    assert order == ["ours", "theirs", "theirs", "ours", "ours", "theirs"]
    assert measured == {"ours": (1.0, 4.0, 5.0), "theirs": (2.0, 3.0, 6.0)}


def test_a_ratio_is_one_of_each_round_and_not_of_the_medians() -> None:
    line = Finding(
        row=1, what="moves", unit="moves/s", ours=(10.0, 40.0, 90.0), against="peer", theirs=(10.0, 10.0, 30.0),
        wanted=Wanted(3.0),
    )  # fmt: skip

    assert line.compared == (1.0, 4.0, 3.0)
    assert spread(line.compared) == (3.0, 1.0, 4.0)
    assert line.outcome is Outcome.MET
    assert fields(line)["ratio"] == {"median": 3.0, "min": 1.0, "max": 4.0, "runs": [1.0, 4.0, 3.0]}


def test_a_bound_without_a_peer_is_about_the_figure_itself() -> None:
    line = Finding(row=5, what="memory", unit="MiB", ours=(900.0, 1100.0, 1030.0), wanted=Wanted(1024, at_most=True))

    assert line.outcome is Outcome.MISSED
    assert (fields(line)["wanted"], fields(line)["outcome"]) == ("≤ 1024", "missed")


def test_nothing_wanted_is_nothing_missed() -> None:
    assert Finding(row=1, what="moves", unit="moves/s", ours=(1.0,)).outcome is Outcome.TOLD


def test_the_quantile_is_a_value_that_was_measured() -> None:
    values = [float(each) for each in range(100, 0, -1)]

    assert (quantile(values, 0.5), quantile(values, 0.99), quantile([7.0], 0.99)) == (51.0, 100.0, 7.0)


def test_the_table_says_what_was_missed_and_what_could_not_be_measured() -> None:
    missed = Finding(
        row=2, what="moves", unit="moves/s", ours=(1500.0,), against="peer", theirs=(1000.0,), wanted=Wanted(2)
    )
    out = StringIO()

    show([missed, Skipped(10, "playouts", "there is no Node.js here")], Console(file=out, width=160, color_system=None))

    assert "1.5 (1.5-1.5)  ≥ 2 missed" in out.getvalue()
    assert "not measured" in out.getvalue()
    assert "there is no Node.js here" in out.getvalue()


def test_numbers_have_three_digits_that_matter() -> None:
    assert [number(each) for each in (0, 0.01234, 1.5, 99.94, 1234.5, 2_000_000)] == [
        "0", "0.0123", "1.5", "99.9", "1,234", "2,000,000",
    ]  # fmt: skip
