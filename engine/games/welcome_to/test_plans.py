"""City plans: what they ask for (3.3), claims, values, the right to a new shuffle (4.7)."""

from typing import Any

import pytest
from msgspec.structs import replace

from engine.games.welcome_to import GAME
from engine.games.welcome_to.model import (
    Claim,
    DeckReshuffled,
    Estate,
    Options,
    PlanScored,
    RoundEnded,
    Sheet,
    State,
    TakeTurn,
    Turn,
)
from engine.games.welcome_to.plans import claims_of, progress
from engine.games.welcome_to.printed import PLANS, Plan
from engine.games.welcome_to.testing import build, opened, options, position, reveal, take, town
from engine.kernel.chance import Chance, Draw
from engine.kernel.refusal import Refusal

SIXES, FOURS, ALL_BOTTOM, ALL_TOP, FIVE_BIS, SEVEN_TEMPS, ENDS = 0, 3, 18, 19, 20, 21, 22
TWO_PARKS, TWO_POOLS, ALL_IN_ONE, BOTTOM, MIDDLE = 23, 24, 25, 26, 27
FOUR_AND_FIVE, THREE_AND_FOUR, TWO_AND_FIVE = 10, 14, 15

FOURS_BUILT = town("1 2 3 4 | 5 6 7 8 | . .")


def claiming(sheet: Sheet, plans: tuple[int, ...], *claims: Claim, **given: Any) -> State:
    """Seat 0 builds in the bottom street and claims; seat 1 only builds. The position after the reveal."""
    state = position(sheet, town(), plans=plans, **given)
    return reveal(state, build(state, 0, 2, 5, claims=claims), build(state, 0, 0, 0))[0]


def code_of(sheet: Sheet, plans: tuple[int, ...], *claims: Claim, **given: Any) -> str:
    state = position(sheet, town(), plans=plans, **given)
    with pytest.raises(Refusal) as caught:
        take(state, build(state, 0, 2, 5, claims=claims))
    return caught.value.code


def met(plan: int, sheet: Sheet, **given: Any) -> bool:
    have, need = progress(PLANS[plan], sheet, options(**given))
    return have == need


# -- estate plans ------------------------------------------------------------------------------------------------------


def test_a_plan_is_claimed_with_the_very_estates() -> None:
    """3.3: their houses are used for good."""
    after = claiming(FOURS_BUILT, (FOURS, 10, 14), Claim(0, ((0, 4, 7), (0, 0, 3))))
    assert after.sheets[0].plans == (6, 0, 0)
    assert after.sheets[0].used[0] == tuple(range(8))


@pytest.mark.parametrize(
    "estates",
    [
        (),
        ((0, 0, 3),),
        ((0, 0, 3), (0, 0, 3)),
        ((0, 0, 7),),
        ((0, 0, 3), (0, 4, 6)),
        ((0, 0, 3), (0, 4, 7), (0, 8, 9)),
        ((0, 0, 3), (7, 4, 7)),
    ],
)
def test_a_claim_without_exactly_its_estates_is_refused(estates: tuple[Estate, ...]) -> None:
    """3.3: sizes match exactly, each estate is there, and none twice."""
    assert code_of(FOURS_BUILT, (FOURS, 10, 14), Claim(0, estates)) == "plan_not_met"


def test_a_six_is_no_three_and_three() -> None:
    """3.3."""
    assert not met(2, town("1 2 3 4 5 6 | 7 8 9 |"))
    assert met(2, town("1 2 3 | 4 5 6 | 7 8 9 |"))


def test_estates_may_lie_on_any_streets() -> None:
    """3.3."""
    assert met(FOURS, town("1 2 3 4 |", "", "1 2 3 4 |"))


def test_a_row_of_seven_meets_no_plan() -> None:
    """3.3, 4.4."""
    assert not met(5, town("1 2 3 4 5 6 7 |", "1 2 3 4 5 6 |"))


def test_the_player_picks_among_the_estates() -> None:
    """3.3: three estates of 4 are three ways to two of them."""
    sheet = town("1 2 3 4 | 5 6 7 8 | . .", "1 2 3 4 |")
    state = position(sheet, town(), plans=(FOURS, 10, 14))
    assert [claim.estates for claim in claims_of(state, sheet, 0)] == [
        ((0, 0, 3), (0, 4, 7)),
        ((0, 0, 3), (1, 0, 3)),
        ((0, 4, 7), (1, 0, 3)),
    ]


def test_a_used_estate_serves_no_second_plan() -> None:
    """3.3."""
    assert not met(FOURS, town("1* 2* 3* 4* | 5 6 7 8 | . ."))


def test_two_plans_in_one_turn_share_no_house() -> None:
    """UNKNOWN-17: the player picks the estates, an overlap is refused."""
    sheet = town("1 2 3 4 | 5 6 7 8 | . .", "1 2 3 4 | 5 6 7 |")
    fours = Claim(0, ((0, 0, 3), (0, 4, 7)))
    plans = (FOURS, 10, THREE_AND_FOUR)
    assert claiming(sheet, plans, fours, Claim(2, ((1, 0, 3), (1, 4, 6)))).sheets[0].plans == (6, 0, 7)
    assert code_of(sheet, plans, fours, Claim(2, ((0, 4, 7), (1, 4, 6)))) == "plan_not_met"


def test_the_order_of_claims_and_estates_is_no_matter() -> None:
    """They are one turn."""
    first = Claim(0, ((0, 4, 7), (0, 0, 3)))
    assert first == Claim(0, ((0, 0, 3), (0, 4, 7)))
    assert Turn(claims=(Claim(2), first)) == Turn(claims=(first, Claim(2)))


# -- plans with a star -------------------------------------------------------------------------------------------------

TOP = "1 2 3 4 5 6 7 8 9 10"
TOP_WITH_ROUNDABOUT = "1 2 3 4 R 6 7 8 9 10"


def test_all_houses_of_a_street_need_no_fences_and_are_used() -> None:
    """3.3."""
    assert met(ALL_TOP, town(TOP))
    assert not met(ALL_TOP, town("1 2 3 4 5 6 7 8 9 ."))
    after = claiming(town(TOP), (ALL_TOP, 10, 14), Claim(0), advanced=True)
    assert after.sheets[0].used[0] == tuple(range(10))


def test_a_street_that_is_partly_used_is_lost_to_the_plan_for_all_its_houses() -> None:
    """3.3, both ways."""
    assert not met(ALL_TOP, town("1* 2* | 3 4 5 6 7 8 9 10"))
    assert not met(FOURS, town("1* 2* 3* 4* | 5* 6* 7* 8* | 9* 10*"))


def test_a_roundabout_counts_as_a_house_or_not() -> None:
    """UNKNOWN-3, option ``roundabout_counts_as_house``."""
    for plan, sheet in (
        (ALL_TOP, town(TOP_WITH_ROUNDABOUT)),
        (ENDS, town("R . . . . . . . . 9", "1 . . . . . . . . . 9", "1 . . . . . . . . . . 9")),
    ):
        assert met(plan, sheet)
        assert not met(plan, sheet, roundabout_counts_as_house=False)


def test_the_ends_of_the_streets_are_used() -> None:
    """3.3: six houses; an estate with one of them serves no other plan."""
    sheet = town("1 2 3 4 | . . . . . 9", "1 . . . . . . . . . 9", "1 . . . . . . . . . . 9")
    after = claiming(sheet, (ENDS, 10, 14), Claim(0), advanced=True).sheets[0]
    assert after.used == ((0, 9), (0, 10), (0, 11))
    assert progress(PLANS[FOURS], after, Options())[0] == 0
    assert not met(ENDS, town("1* 2 3 4 | . . . . . 9", "1 . . . . . . . . . 9", "1 . . . . . . . . . . 9"))


def test_five_bis_on_one_street() -> None:
    """3.3: of any numbers; the copied number does not count."""
    assert met(FIVE_BIS, town("1 1b 1b 4 4b 4b 4b"))
    assert not met(FIVE_BIS, town("1 1b 1b 4 4b 4b", "1 1b"))


def test_seven_temps() -> None:
    """3.3: boxes of one's own, no ranking."""
    assert met(SEVEN_TEMPS, town(temps=7))
    assert not met(SEVEN_TEMPS, town(temps=6))


def test_parks_of_two_streets_or_pools_of_two_streets() -> None:
    """3.3: one street of parks and one of pools do not add up."""
    assert met(TWO_PARKS, town(parks=(3, 0, 5)))
    assert not met(TWO_PARKS, town(parks=(3, 3, 0)))
    assert met(TWO_POOLS, town("", "1~ . . 2~ . . . 3~", ". 1~ . . . . 2~ . . . 3~"))
    assert not met(TWO_POOLS, town("", "1~ . . 2~ . . . 3~", ". 1~ . . . . 2~", parks=(3, 0, 0)))


def test_parks_and_pools_of_one_street() -> None:
    """3.3."""
    middle = "1~ . . 2~ . . . 3~"
    assert met(MIDDLE, town("", middle, parks=(0, 4, 0)))
    assert not met(MIDDLE, town("", middle, parks=(0, 3, 0)))
    assert not met(BOTTOM, town("", middle, parks=(0, 4, 5)))


def test_parks_pools_and_a_roundabout_of_one_street() -> None:
    """3.3: the roundabout is on that same street."""
    assert met(ALL_IN_ONE, town("", "1~ . . 2~ . . . 3~ R", parks=(0, 4, 0)))
    assert not met(ALL_IN_ONE, town("R", "1~ . . 2~ . . . 3~", parks=(0, 4, 0)))


def test_a_roundabout_on_a_pool_house_puts_all_pools_out_of_reach() -> None:
    """4.6."""
    have, need = progress(PLANS[MIDDLE], town("", "R . . 2~ . . . 3~", parks=(0, 4, 0)), Options())
    assert (have, need) == (6, 7)


def test_plans_about_tracks_use_no_house() -> None:
    """3.3."""
    sheet = town("", "1~ . . 2~ . . . 3~", parks=(0, 4, 0))
    after = claiming(sheet, (FOURS, MIDDLE, 14), Claim(1), advanced=True)
    assert after.sheets[0].used == ((), (), ())
    assert after.sheets[0].plans == (0, 8, 0)


@pytest.mark.parametrize("plan", PLANS)
def test_no_plan_is_met_by_an_empty_sheet(plan: Plan) -> None:
    have, need = progress(plan, town(), Options())
    assert have == 0 < need


# -- claims (4.7) ------------------------------------------------------------------------------------------------------


def test_all_who_claim_in_the_same_turn_get_the_higher_value() -> None:
    """4.7, then the lower one."""
    state = position(FOURS_BUILT, FOURS_BUILT, FOURS_BUILT, plans=(FOURS, 10, 14))
    claim = Claim(0, ((0, 0, 3), (0, 4, 7)))
    state, events = reveal(
        state,
        build(state, 0, 2, 5, claims=(claim,)),
        build(state, 0, 2, 5, claims=(claim,)),
        build(state, 0, 2, 5),
    )
    assert [event for event in events if isinstance(event, PlanScored)] == [PlanScored(0, 0, 6), PlanScored(1, 0, 6)]
    assert RoundEnded((0,)) in events
    again = replace(state, open=True, ready=(False,) * 3)
    again, events = reveal(again, build(again, 1, 2, 7), build(again, 1, 2, 7), build(again, 1, 2, 7, claims=(claim,)))
    assert PlanScored(2, 0, 3) in events
    assert RoundEnded(()) in events


def test_a_plan_is_completed_once_a_player() -> None:
    """4.7."""
    sheet = replace(town("1 2 3 4 | 5 6 7 8 | . .", "1 2 3 4 | 5 6 7 8 |"), plans=(6, 0, 0))
    assert code_of(sheet, (FOURS, 10, 14), Claim(0, ((1, 0, 3), (1, 4, 7)))) == "plan_done"
    twice = (Claim(0, ((0, 0, 3), (0, 4, 7))), Claim(0, ((1, 0, 3), (1, 4, 7))))
    assert code_of(replace(sheet, plans=(0, 0, 0)), (FOURS, 10, 14), *twice) == "plan_done"


def test_nobody_has_to_claim() -> None:
    """UNKNOWN-7."""
    assert claiming(FOURS_BUILT, (FOURS, 10, 14)).sheets[0].plans == (0, 0, 0)


def test_what_this_turn_builds_counts_for_its_claims() -> None:
    """4.7: at the end of the own turn."""
    sheet = town("1 2 3 4 | 5 6 7 . | . .")
    state = position(sheet, town(), plans=(FOURS, 10, 14))
    turn = build(state, 1, 0, 7, claims=(Claim(0, ((0, 0, 3), (0, 4, 7))),))
    assert reveal(state, turn, build(state, 0, 0, 0))[0].sheets[0].plans == (6, 0, 0)


def test_a_plan_may_be_claimed_with_a_refusal() -> None:
    """UNKNOWN-5."""
    full = town("1 2 3 4 | 5 6 7 8 | 9 10", "12 12b 12b 12b 12b 12b 12b 12b 12b 12b .", "1 2 3 4 5 6 7 8 9 10 11 12")
    state = position(full, town(), plans=(FOURS, 10, 14))
    turn = Turn(claims=(Claim(0, ((0, 0, 3), (0, 4, 7))),))
    assert reveal(state, turn, build(state, 0, 0, 0))[0].sheets[0].plans == (6, 0, 0)


# -- the right to a new shuffle (4.7, UNKNOWN-8) -----------------------------------------------------------------------

CLAIM = Claim(0, ((0, 0, 3), (0, 4, 7)))


def test_one_wish_among_several_first_claimants_is_enough() -> None:
    """4.7: all 81 cards, set up as at the start."""
    state = position(FOURS_BUILT, FOURS_BUILT, plans=(FOURS, 10, 14))
    state, events = reveal(
        state,
        build(state, 0, 2, 5, claims=(CLAIM,)),
        build(state, 0, 2, 5, claims=(CLAIM,), reshuffle=True),
    )
    assert DeckReshuffled((1,), ()) in events
    assert GAME.pending(state) == Chance("deck", Draw(tuple(range(81)), 6))


def test_without_a_wish_the_deck_goes_on() -> None:
    state = claiming(FOURS_BUILT, (FOURS, 10, 14), CLAIM)
    chance = GAME.pending(state)
    assert isinstance(chance, Chance)
    assert isinstance(chance.spec, Draw)
    assert (len(chance.spec.cards), chance.spec.count) == (75, 3)


@pytest.mark.parametrize(("each_plan", "allowed"), [(False, False), (True, True)])
def test_the_right_is_for_the_first_plan_of_all_or_by_option_for_each(each_plan: bool, allowed: bool) -> None:
    """UNKNOWN-8."""
    state = position(FOURS_BUILT, town(), plans=(FOURS, 10, 14), reshuffle_each_plan=each_plan)
    state = replace(state, lowered=(False, True, False))
    turn = build(state, 0, 2, 5, claims=(CLAIM,), reshuffle=True)
    assert (TakeTurn(turn) in list(GAME.legal(state, 0))) == allowed
    if not allowed:
        with pytest.raises(Refusal, match="no_reshuffle"):
            take(state, turn)


def test_who_is_not_first_or_claims_nothing_has_no_wish() -> None:
    """UNKNOWN-8."""
    for each_plan in (False, True):
        state = position(FOURS_BUILT, town(), plans=(FOURS, 10, 14), reshuffle_each_plan=each_plan)
        with pytest.raises(Refusal, match="no_reshuffle"):
            take(state, build(state, 0, 2, 5, reshuffle=True))
        state = replace(state, lowered=(True, False, False))
        with pytest.raises(Refusal, match="no_reshuffle"):
            take(state, build(state, 0, 2, 5, claims=(CLAIM,), reshuffle=True))


def test_no_new_shuffle_in_solo() -> None:
    """4.7."""
    state = position(FOURS_BUILT, plans=(FOURS, 10, 14))
    turn = Turn(state.numbers[0], state.numbers[1], 2, 5, claims=(CLAIM,), reshuffle=True)
    with pytest.raises(Refusal, match="no_reshuffle"):
        take(state, turn)


def test_the_plans_come_from_their_stacks() -> None:
    """4.1: 6, 6, 6 cards, with the starred ones 11, 11, 6; each draw under a label of its own."""
    for advanced, sizes in ((False, (6, 6, 6)), (True, (11, 11, 6))):
        state = opened(2, advanced=advanced)
        for plan, size in enumerate(sizes):
            chance = GAME.pending(state)
            assert isinstance(chance, Chance)
            assert isinstance(chance.spec, Draw)
            assert chance.label == f"plan{plan + 1}"
            assert len(chance.spec.cards) == size
            state = replace(state, plans=(*state.plans[:plan], 3, *state.plans[plan + 1 :]))
