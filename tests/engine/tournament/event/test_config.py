"""What is agreed before an event: every key wrong once, and the refusal names it."""

import json
import re

import pytest

from engine.kernel.refusal import Refusal
from engine.tournament.config import config_of
from engine.tournament.limits import CONFIG_BYTES_MAX
from tests.kit.tournaments import Desk, event, stage, swiss

WHOLE = """
name = "Autumn Cup"
rated = false

[registration]
cap = 64
late_until = 2

[awards]
bye = "average"
late = "half"
no_show = "-1"

[scoring]
scheme = "5-3-2-1"
order = ["TP", "SOS", "LOT"]

[clocks]
turn = "90s"
round = "1h30m"
no_show = "10m"

[spectators]
delay = "5m"

[[stages]]
name = "Swiss"
format = "swiss"
games = ["memcel", "just4fun"]
rounds = 5
options.just4fun = {win = "points"}

[[stages]]
name = "Final"
format = "elimination"
games = ["welcome_to"]
entrants = 16
advance = 2
cut_ties = "lot"
"""


def plain(refusal: Refusal) -> str:
    """The sentence without the quotes around its key."""
    return re.sub(r"hold: '([^']*)'", r"hold: \1", refusal.sentence)


def test_a_file_is_read_with_its_durations_and_everything_else_by_default() -> None:
    config = config_of(WHOLE)
    assert (config.name, config.rated, len(config.stages)) == ("Autumn Cup", False, 2)
    clocks = config.clocks
    assert (clocks.turn_ms, clocks.round_ms, clocks.no_show_ms, clocks.bank_ms) == (90_000, 5_400_000, 600_000, 0)
    assert config.spectators.delay_ms == 300_000
    assert config.stages[0].options == {"just4fun": {"win": "points"}}
    assert [config.stages[0].game_of(number) for number in (1, 2, 3)] == ["memcel", "just4fun", "memcel"]
    assert (config.stages[0].smallest, config.stages[0].target, config.stages[0].largest) == (3, 4, 4)
    assert (config.stages[1].entrants, config.stages[1].cut_ties, config.stages[1].carry) == (16, "lot", False)
    assert config.registration.waiting_list


@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        ('name = "Autumn Cup"', 'name = " "', "name: an event has a printable name"),
        ('name = "Autumn Cup"', "", "missing required field `name`"),
        ("rated = false", 'rated = "no"', "rated: expected `bool`"),
        ("rated = false", "prize = 5", "unknown field `prize`"),
        ("cap = 64", "cap = -1", "registration.cap: expected `int` >= 0"),
        ("cap = 64", "caps = 1", "registration: object contains unknown field `caps`"),
        ("late_until = 2", "late_until = 6", "registration.late_until: the first stage has 5 rounds"),
        ('bye = "average"', 'bye = "much"', "awards.bye: an award is"),
        ('scheme = "5-3-2-1"', 'scheme = "5-4-3"', "scoring.scheme: '5-4-3' is no scheme"),
        ('order = ["TP", "SOS", "LOT"]', 'order = ["TP", "LUCK"]', "scoring.order[1]: 'LUCK' is none of TP, WINS"),
        ('order = ["TP", "SOS", "LOT"]', 'order = ["TP", "TP"]', "scoring: order names at least one key"),
        ('order = ["TP", "SOS", "LOT"]', f'lot_seed = "{"0" * 64}"', "scoring.lot_seed: lots are drawn"),
        ('turn = "90s"', "turn_ms = 90", 'clocks.turn_ms: a duration is written as turn = "10m"'),
        ('turn = "90s"', 'turn = "soon"', "clocks.turn"),
        ('turn = "90s"', 'on_timeout = "lose"', "clocks.on_timeout: 'lose' is none of default, forfeit"),
        ('delay = "5m"', 'delay = "-5m"', "spectators.delay"),
        ('format = "swiss"', 'format = "dutch"', "stages[0].format: 'dutch' is none of swiss, groups"),
        ("rounds = 5", "rounds = 0", "stages[0].rounds: expected `int` >= 1"),
        ("rounds = 5", "smallest = 1", "stages[0].smallest: expected `int` >= 2"),
        ("rounds = 5", "rounds = 5\ntarget = 5", "stages[0].target: 3 ≤ target ≤ 4 must hold, not 5"),
        ("rounds = 5", "rounds = 5\nlargest = 5", "stages[0].smallest: the scheme has no points for tables of 5"),
        ("rounds = 5", "rounds = 5\nentrants = 8", "stages[0].entrants: the first stage takes everybody"),
        ('games = ["memcel", "just4fun"]', 'games = ["memcel"]', "stages[0].options.just4fun: options are given"),
        ('games = ["welcome_to"]', "games = []", "stages[1].games: a stage has at least one game"),
        ("advance = 2", "advance = 3", "stages[1].advance: fewer than 3 of a table can go on"),
        ('cut_ties = "lot"', 'cut_ties = "coin"', "stages[1].cut_ties: 'coin' is none of refuse, expand, lot"),
        ('format = "elimination"', 'format = "arena"', "stages[1].advance: this is for elimination"),
        ("[awards]", "[awards", "this is no TOML"),
    ],
)
def test_a_wrong_key_is_named(right: str, wrong: str, told: str) -> None:
    assert right in WHOLE
    with pytest.raises(Refusal) as refusal:
        config_of(WHOLE.replace(right, wrong, 1))
    assert refusal.value.code == "bad_config"
    assert told in plain(refusal.value)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('name = "x"\nstages = []', "stages: an event has 1 to 8 stages"),
        ("#" * (CONFIG_BYTES_MAX + 1), f"the file has more than {CONFIG_BYTES_MAX} bytes"),
        ("stages = 1\nname = ''", "stages: expected `array`"),
        ("a = " + "[" * 5_000, "this has too many levels"),
        ("a = " + "9" * 5_000, "this is no TOML: Exceeds the limit"),
    ],
)
def test_a_file_that_is_none_is_told_so(text: str, told: str) -> None:
    with pytest.raises(Refusal) as refusal:
        config_of(text)
    assert told in plain(refusal.value)


def test_an_award_without_fixed_points_is_given_as_a_number() -> None:
    """A share of the table has no win."""
    with pytest.raises(Refusal, match=r"awards\.bye"):
        event(swiss(), scoring={"scheme": "share"})
    assert event(swiss(), scoring={"scheme": "share"}, awards={"bye": "1"}).awards.bye == "1"


def test_an_arena_is_not_dealt_alike_and_its_points_are_not_carried() -> None:
    arena = stage("arena", horizon_ms=600_000, typical_ms=60_000)
    with pytest.raises(Refusal, match=r"stages\[0\]\.duplicate"):
        event({**arena, "duplicate": True})
    with pytest.raises(Refusal, match=r"stages\[1\]\.carry"):
        event(arena, swiss(carry=True))


def test_the_configuration_stands_complete_in_the_first_commit() -> None:
    """So that a default that is changed later changes no event that has begun."""
    desk = Desk(event(swiss()))
    config = json.loads(desk.lines[0])["events"][0]["data"]["config"]
    assert config["registration"] == {"cap": 0, "waiting_list": True, "check_in": True, "late_until": 0}
    assert config["awards"] == {"bye": "win", "absent": "0", "late": "0", "no_show": "0"}
    assert (config["stages"][0]["repeat_points"], config["stages"][0]["cut_ties"]) == (10, "refuse")
