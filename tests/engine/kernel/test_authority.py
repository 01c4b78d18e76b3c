"""Who may say what, and when. Luck speaks for itself, the host opens and gives up seats, seats move."""

import pytest

from engine.kernel.chance import Draw, Roll, spec_of
from engine.kernel.codec import Named
from engine.kernel.official import Expire, Leave, LuckResolved, MatchEnded, Proceed, ResolveLuck, RevealSeed, SeatLeft
from engine.kernel.refusal import Kind
from tests.kit.duel import CHARMS, DUEL, CharmsDealt, CharmsShown, Pick, Picked, RoundRolled, SeatGone
from tests.kit.given import SEED, Given, given, opened

DEALT = CharmsDealt((5, 6))
TABLE: tuple[Named, ...] = (opened(DUEL, 2), DEALT)
PICK = Pick(2, False)
DEAL = ResolveLuck("charms/1", spec_of(Draw(CHARMS, 2)), (5, 6))


def at_table(*more: Named) -> Given:
    return given(DUEL, *TABLE, *more)


def over() -> Given:
    return at_table(SeatLeft(1), SeatGone(1), MatchEnded((1, 2), (0, 0), "left"))


def test_a_pending_seat_moves() -> None:
    at_table().when("seat:1", PICK).then(Picked(1, 2, False))


def test_a_seat_that_has_moved_waits_for_the_others() -> None:
    at_table(Picked(0, 1, False)).when("seat:0", PICK).then_refused("not_your_turn")


@pytest.mark.parametrize("actor", ["host", "luck", "clock", "seat", "seat:", "seat:x", "seat:-1", "seat:٠", "Seat:0"])
def test_only_a_seat_moves(actor: str) -> None:
    refusal = at_table().when(actor, PICK).then_refused("not_a_seat")
    assert refusal.kind is Kind.DENIED


@pytest.mark.parametrize("actor", ["seat:00", "seat:01", "seat: 0", "seat:0 ", "seat:0:0", "seat:" + "0" * 9000 + "1"])
def test_a_seat_has_one_name(actor: str) -> None:
    at_table().when(actor, PICK).then_refused("not_a_seat")


@pytest.mark.parametrize("actor", ["seat:2", "seat:99"])
def test_a_seat_that_is_not_at_the_table_is_unknown(actor: str) -> None:
    at_table().when(actor, PICK).then_refused("unknown_seat")


def test_nobody_moves_while_luck_is_pending() -> None:
    given(DUEL, opened(DUEL, 2)).when("seat:0", PICK).then_refused("luck_pending")


def test_a_seat_that_has_left_moves_no_more() -> None:
    given(DUEL, opened(DUEL, 3), CharmsDealt((1, 2, 3)), SeatLeft(1), SeatGone(1)).when("seat:1", PICK).then_refused(
        "seat_has_left"
    )


def test_nobody_moves_after_the_end() -> None:
    over().when("seat:0", PICK).then_refused("match_over")


def test_the_games_own_refusals_come_through() -> None:
    at_table().when("seat:0", Pick(9, False)).then_refused("bad_number")


# -- luck --------------------------------------------------------------------------------------------------------------


def test_luck_answers_what_was_asked() -> None:
    after = given(DUEL, opened(DUEL, 2)).when("luck", DEAL).after
    assert after.state.draws == (("charms", 1),)
    assert after.state.game.charms == (5, 6)
    assert after.state.next_draw_id("charms") == "charms/2"
    assert after.state.next_draw_id("dice") == "dice/1"


@pytest.mark.parametrize("actor", ["host", "seat:0", "clock", "Luck"])
def test_nobody_else_speaks_for_luck(actor: str) -> None:
    given(DUEL, opened(DUEL, 2)).when(actor, DEAL).then_refused("not_yours_to_do")


def test_luck_is_not_asked_twice() -> None:
    given(DUEL, opened(DUEL, 2)).when("luck", DEAL).after.when("luck", DEAL).then_refused("luck_not_asked")


@pytest.mark.parametrize("draw_id", ["charms/2", "charms/0", "dice/1", "", "charms", "charms/01", "\x00" * 500])
def test_luck_answers_under_the_id_that_follows_from_the_match(draw_id: str) -> None:
    refusal = (
        given(DUEL, opened(DUEL, 2))
        .when("luck", ResolveLuck(draw_id, DEAL.spec, DEAL.outcome))
        .then_refused("luck_not_asked")
    )
    assert len(refusal.sentence) < 200


def test_luck_does_not_answer_another_question() -> None:
    for spec in (spec_of(Draw(CHARMS, 1)), spec_of(Draw(CHARMS[:-1], 2)), spec_of(Roll(9, 2))):
        given(DUEL, opened(DUEL, 2)).when("luck", ResolveLuck("charms/1", spec, (5, 6))).then_refused(
            "luck_spec_differs"
        )


@pytest.mark.parametrize("cards", [(), (5,), (5, 5), (5, 10), (5, 6, 7), (-1, 5)])
def test_luck_cannot_deal_what_is_not_there(cards: tuple[int, ...]) -> None:
    given(DUEL, opened(DUEL, 2)).when("luck", ResolveLuck("charms/1", DEAL.spec, cards)).then_refused("luck_impossible")


@pytest.mark.parametrize("faces", [(), (1,), (0, 1), (7, 1), (1, 2, 3)])
def test_luck_cannot_roll_what_is_on_no_die(faces: tuple[int, ...]) -> None:
    at_table(Picked(0, 1, False), Picked(1, 1, False)).when(
        "luck", ResolveLuck("dice/1", spec_of(Roll(6, 2)), faces)
    ).then_refused("luck_impossible")


# -- leaving -----------------------------------------------------------------------------------------------------------


def test_a_seat_gives_itself_up_and_the_last_one_wins() -> None:
    at_table().when("seat:0", Leave(0)).then(SeatLeft(0), SeatGone(0), MatchEnded((2, 1), (0, 0), "left"))


def test_the_host_gives_up_a_seat() -> None:
    given(DUEL, opened(DUEL, 3), CharmsDealt((1, 2, 3))).when("host", Leave(2)).then(SeatLeft(2), SeatGone(2))


@pytest.mark.parametrize("actor", ["seat:1", "luck", "clock", "seat:00", ""])
def test_nobody_gives_up_the_seat_of_another(actor: str) -> None:
    refusal = at_table().when(actor, Leave(0)).then_refused("not_your_seat")
    assert refusal.kind is Kind.DENIED


@pytest.mark.parametrize("seat", [-1, 2, 10**30])
def test_only_a_seat_at_the_table_can_be_given_up(seat: int) -> None:
    at_table().when("host", Leave(seat)).then_refused("unknown_seat")


def test_a_seat_leaves_once() -> None:
    given(DUEL, opened(DUEL, 3), SeatLeft(1), SeatGone(1)).when("seat:1", Leave(1)).then_refused("seat_has_left")


def test_a_seat_may_leave_while_luck_is_pending() -> None:
    given(DUEL, opened(DUEL, 3)).when("seat:1", Leave(1)).then(SeatLeft(1), SeatGone(1))


def test_a_seat_may_leave_out_of_turn() -> None:
    given(DUEL, opened(DUEL, 3), CharmsDealt((1, 2, 3)), Picked(1, 1, True)).when("seat:1", Leave(1)).then(
        SeatLeft(1), SeatGone(1)
    )


def test_nobody_leaves_after_the_end() -> None:
    over().when("host", Leave(0)).then_refused("match_over")


# -- the end -----------------------------------------------------------------------------------------------------------


def test_a_match_ends_with_ranks_and_totals_in_the_commit_that_ended_it() -> None:
    before = given(DUEL, opened(DUEL, 2, rounds=1), DEALT, Picked(0, 3, False), Picked(1, 1, True))
    rolled = before.when("luck", ResolveLuck("dice/1", spec_of(Roll(6, 2)), (5, 6))).then(
        LuckResolved("dice/1"), RoundRolled((5, 6), ((3, False), (1, True)))
    )
    rolled.when("house", Proceed()).then(CharmsShown((5, 6)), MatchEnded((2, 1), (5, 8), "points"))


def played_out() -> Given:
    """A duel whose charms are about to be shown: the rules go on by themselves."""
    picks = Picked(0, 3, False), Picked(1, 1, True)
    return given(DUEL, opened(DUEL, 2, rounds=1), DEALT, *picks, RoundRolled((5, 6), ((3, False), (1, True))))


@pytest.mark.parametrize("actor", ["host", "seat:0", "luck", "clock"])
def test_only_the_house_goes_on(actor: str) -> None:
    played_out().when(actor, Proceed()).then_refused("not_yours_to_do")


def test_the_house_goes_on_only_where_the_rules_say_so() -> None:
    at_table().when("house", Proceed()).then_refused("nothing_to_do")


def test_nobody_moves_while_the_rules_go_on() -> None:
    played_out().when("seat:0", PICK).then_refused("house_pending")


def test_the_seed_is_sealed_until_the_end() -> None:
    refusal = at_table().when("luck", RevealSeed(SEED.hex())).then_refused("match_running")
    assert refusal.kind is Kind.DENIED


def test_the_seed_is_revealed_once_after_the_end() -> None:
    after = over().when("luck", RevealSeed(SEED.hex())).after
    assert after.state.seed == SEED.hex()
    after.when("luck", RevealSeed(SEED.hex())).then_refused("seed_known")


@pytest.mark.parametrize("actor", ["host", "seat:0", "clock"])
def test_only_luck_reveals_the_seed(actor: str) -> None:
    over().when(actor, RevealSeed(SEED.hex())).then_refused("not_yours_to_do")


@pytest.mark.parametrize("seed", ["", "00", "zz" * 32, "AA" * 32])
def test_a_seed_is_64_hex_digits(seed: str) -> None:
    over().when("luck", RevealSeed(seed)).then_refused("bad_seed")


def test_no_luck_and_no_clock_after_the_end() -> None:
    over().when("luck", DEAL).then_refused("luck_not_asked")
    over().when("clock", Expire(1)).then_refused("match_over")
