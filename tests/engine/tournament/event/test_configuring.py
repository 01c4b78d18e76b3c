"""The configuration is changed when it is known who has come, and not behind what was played."""

from itertools import combinations
from typing import Any

import msgspec
import pytest

from engine.kernel.commit import HOUSE, decode_line
from engine.kernel.refusal import Refusal
from engine.tournament import commands as c
from engine.tournament import events as e
from engine.tournament.config import Config, config_from
from engine.tournament.drafting import stage_is_over
from engine.tournament.record import met
from engine.tournament.state import Phase
from engine.tournament.whatif import what_if
from tests.kit.tournaments import Desk, event, stage, swiss


def other(desk: Desk, stages: dict[int, dict[str, Any]] | None = None, **sections: Any) -> c.Configure:
    """The configuration of an event with some keys changed; of stages by their number."""
    data = msgspec.to_builtins(desk.state.config)
    for number, changed in (stages or {}).items():
        data["stages"][number].update(changed)
    for name, changed in sections.items():
        data[name] = {**data[name], **changed} if isinstance(changed, dict) else changed
    return c.Configure(config_from(data))


def sentence(desk: Desk, command: c.Configure) -> str:
    with pytest.raises(Refusal) as refusal:
        desk.do(command)
    assert refusal.value.code == "config_fixed"
    return refusal.value.sentence


def test_rounds_and_cut_are_fitted_to_those_who_came() -> None:
    desk = Desk(event(swiss(rounds=3), stage("elimination", entrants=16)))
    desk.gather(9)
    desk.draft()
    wanted = other(desk, {0: {"rounds": 2}, 1: {"entrants": 4}})
    assert desk.do(wanted) == (e.DraftDiscarded(), e.Configured(wanted.config))
    desk.play()
    desk.play()
    desk.do(c.MakeCut())
    assert len(desk.state.cuts[0].entries) == 4
    assert desk.refolded().state == desk.state


def test_groups_that_do_not_come_out_even_meet_all_the_same_or_become_rounds_of_a_plan() -> None:
    """Seven are no round robin at tables of four: some rounds more in which all meet, or fewer by a plan."""
    desk = Desk(event(stage("groups")))
    desk.gather(7)
    desk.play()
    while not stage_is_over(desk.state):
        desk.play()
    assert set(met(desk.state)) == set(combinations(range(1, 8), 2))
    shorter = Desk(event(stage("groups")))
    shorter.gather(7)
    shorter.do(other(shorter, {0: {"format": "planned", "rounds": 2}}))
    shorter.play()
    shorter.play()
    assert shorter.refused(shorter.next_draft()) == "stage_over"
    shorter.do(c.Finish())
    assert shorter.state.phase is Phase.FINISHED


def test_time_is_short_and_the_stage_ends_a_round_early() -> None:
    desk = Desk(event(swiss(rounds=4), stage("elimination", entrants=4)))
    desk.gather(8)
    desk.play()
    desk.play()
    assert desk.refused(c.MakeCut()) == "stage_running"
    assert sentence(desk, other(desk, {0: {"rounds": 1}})) == "It is too late to change stages[0].rounds."
    desk.do(other(desk, {0: {"rounds": 2}}))
    desk.do(c.MakeCut())
    desk.play()
    desk.do(c.Finish())


@pytest.mark.parametrize(
    ("changed", "key"),
    [
        ({"awards": {"bye": "0"}}, "awards"),
        ({"scoring": {"order": ["TP", "LOT"]}}, "scoring"),
        ({"stages": {0: {"repeat_points": 5}}}, "stages[0].repeat_points"),
        ({"stages": {0: {"rounds": 5, "target": 3}}}, "stages[0].target"),
        ({"registration": {"check_in": False}}, "registration.check_in"),
    ],
)
def test_what_was_played_stays_what_it_was(changed: dict[str, Any], key: str) -> None:
    desk = Desk(event(swiss()))
    desk.gather(8)
    desk.play()
    assert sentence(desk, other(desk, **changed)) == f"It is too late to change {key}."


def test_the_stages_that_were_played_are_not_left_out() -> None:
    desk = Desk(event(swiss(rounds=1), swiss(rounds=1, entrants=4)))
    desk.gather(8)
    desk.play()
    desk.do(c.MakeCut())
    one: Config = event(swiss(rounds=1))
    assert sentence(desk, c.Configure(one)) == "It is too late to change stages."


def test_only_an_organiser_configures_and_only_what_holds() -> None:
    desk = Desk(event(swiss()))
    wanted = other(desk, {0: {"rounds": 2}})
    assert desk.refused(wanted, HOUSE) == desk.refused(wanted, "player:1") == "not_yours_to_do"
    stages = (msgspec.structs.replace(wanted.config.stages[0], games=()),)
    assert desk.refused(c.Configure(msgspec.structs.replace(wanted.config, stages=stages))) == "bad_config"


def test_what_if_asks_under_every_configuration_that_was() -> None:
    desk = Desk(event(swiss(rounds=1)))
    desk.gather(8)
    desk.do(other(desk, {0: {"rounds": 2}}))
    desk.play()
    commits = [decode_line(line) for line in desk.lines]
    assert what_if(desk.state, commits, ()).state == desk.state
    outcome = what_if(desk.state, commits, (), {"scoring": {"scheme": "commander"}})
    assert (outcome.state.config.stages[0].rounds, bool(outcome.changes)) == (2, True)
