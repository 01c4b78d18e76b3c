"""What people write for a time."""

import pytest

from cli.durations import milliseconds_of
from engine.kernel.refusal import Refusal


@pytest.mark.parametrize(
    ("text", "ms"),
    [("0", 0), ("1500ms", 1500), ("30s", 30_000), ("10m", 600_000), ("2h", 7_200_000), ("1h30m", 5_400_000), ("0s", 0)],
)
def test_a_duration_has_a_number_and_a_unit(text: str, ms: int) -> None:
    assert milliseconds_of(text) == ms


@pytest.mark.parametrize("text", ["", "30", "s", "-5s", "1.5m", "5 s", "5w", "5S", "\u0663s", "m30s", "1" * 13 + "h"])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(Refusal) as refused:
        milliseconds_of(text)
    assert refused.value.code == "bad_duration"
