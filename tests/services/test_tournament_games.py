"""What the games of an event take is asked before anybody sits down."""

import pytest

from engine.kernel.refusal import Refusal
from engine.tournament.config import config_of
from services.tournament.games import check_games, unknown_games
from services.tournament.warnings import warnings_of

STAGE = """
name = "Evening"
[[stages]]
name = "Swiss"
format = "swiss"
games = ["{game}"]
smallest = {smallest}
target = {largest}
largest = {largest}
[scoring]
scheme = "normalised-place"
"""


def configured(game: str, smallest: int = 3, largest: int = 4, more: str = "") -> str:
    return STAGE.format(game=game, smallest=smallest, largest=largest) + more


@pytest.mark.parametrize(
    ("game", "smallest", "largest", "more", "told"),
    [
        ("just4fun", 3, 5, "", "stages[0].largest: Just 4 Fun has 2 to 4 seats, not 5."),
        ("memcel", 5, 6, "", "stages[0].smallest: MEMCEL has 2 to 4 seats, not 5."),
    ],
)
def test_a_table_that_the_game_has_no_seats_for(game: str, smallest: int, largest: int, more: str, told: str) -> None:
    with pytest.raises(Refusal, match="bad_config") as refused:
        check_games(config_of(configured(game, smallest, largest, more)))
    assert refused.value.sentence.endswith(told)


def test_an_option_that_the_game_does_not_have() -> None:
    text = configured("welcome_to").replace(
        'games = ["welcome_to"]', 'games = ["welcome_to"]\noptions.welcome_to.cards = 7'
    )
    with pytest.raises(Refusal, match="bad_config") as refused:
        check_games(config_of(text))
    assert "stages[0].options.welcome_to: " in refused.value.sentence


def test_a_game_of_another_house_is_allowed_and_told() -> None:
    config = config_of(configured("catan"))
    check_games(config)
    assert unknown_games(config) == ("catan",)
    warned = {each.code: each.sentence for each in warnings_of(config)}
    assert warned["unknown_game"] == "This house does not play 'catan': the results of its tables are entered by hand."


def test_what_the_games_take_is_taken() -> None:
    check_games(config_of(configured("welcome_to", 2, 16)))
    check_games(config_of(configured("just4fun", 2, 4)))
