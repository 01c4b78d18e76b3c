"""A configuration is written as a file that says the same."""

import pytest

from engine.tournament.config import config_of
from services.gateway.api.organise_desk import EXAMPLES
from services.gateway.api.organise_toml import toml_of

ODD = """
name = 'Ça "va" – 한국 \\\\ #1'
rated = false

[scoring]
scheme = {kind = "places", places = [["7", "0"]]}
order = ["TP", "LOT"]
best_of = 2

[clocks]
turn = "1h30m"
increment = "1s500ms"

[[stages]]
name = "arena"
format = "arena"
games = ["just4fun", "A game"]
smallest = 2
target = 2
largest = 2
horizon = "3h"
typical = "20m"
options = {"A game" = {"deep" = {"list" = [1, 2.5, true]}}}
"""


@pytest.mark.parametrize("text", [*(file.read_text("utf-8") for file in sorted(EXAMPLES.glob("*.toml"))), ODD])
def test_what_is_written_is_what_was_read(text: str) -> None:
    config = config_of(text)
    assert config_of(toml_of(config)) == config


def test_only_what_differs_from_the_defaults_is_written() -> None:
    assert toml_of(config_of((EXAMPLES / "duplicate_welcome_to.toml").read_text("utf-8"))) == (
        'name = "Same cards for all"\n'
        "\n[registration]\ncheck_in = false\n"
        '\n[awards]\nbye = "20"\n'
        '\n[scoring]\nscheme = "match-points"\norder = ["TP", "RAW", "LOT"]\n'
        '\n[[stages]]\nname = "Duplicate"\nformat = "swiss"\ngames = ["welcome_to"]\nrounds = 3\n'
        "options = {welcome_to = {advanced = true}}\n"
        "smallest = 3\ntarget = 4\nlargest = 5\nduplicate = true\nrepeat_points = 0\n"
    )
