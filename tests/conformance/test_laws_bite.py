"""The laws are worth their time: a duel with one thing wrong breaks the law that forbids it."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from engine.kernel.brain import Lot
from engine.kernel.game import Choice, Menu, ScoreLine, SeatScore, Svg
from engine.kernel.refusal import Refusal
from engine.kernel.value import Seat, Viewer
from tests.kit import laws
from tests.kit.duel import CharmsDealt, Duel, DuelState, Event, Pick, Picked
from tests.kit.lawbook import LAWS
from tests.kit.laws import Law
from tests.kit.table import play
from tests.kit.twins import twins_cannot_be_told_apart


class ShowsPicks(Duel):
    def redact(self, event: Event, viewer: Viewer) -> Event:
        return event if isinstance(event, Picked) else super().redact(event, viewer)


class ShowsCharmsInTheView(Duel):
    def view(self, state: DuelState, viewer: Viewer) -> DuelState:
        return state


class BlindsTheReferee(Duel):
    def redact(self, event: Event, viewer: Viewer) -> Event:
        return (
            CharmsDealt((0,) * len(event.charms)) if isinstance(event, CharmsDealt) else super().redact(event, viewer)
        )


class OffersTheImpossible(Duel):
    def legal(self, state: DuelState, seat: Seat) -> Iterator[Pick]:
        yield from super().legal(state, seat)
        if next(super().legal(state, seat), None):
            yield Pick(4, True)


class OffersOutOfTurn(Duel):
    def legal(self, state: DuelState, seat: Seat) -> Iterator[Pick]:
        yield Pick(1, False)


class OffersUnsorted(Duel):
    def legal(self, state: DuelState, seat: Seat) -> Iterator[Pick]:
        yield from reversed(list(super().legal(state, seat)))


class OffersTwice(Duel):
    def legal(self, state: DuelState, seat: Seat) -> Iterator[Pick]:
        for command in super().legal(state, seat):
            yield from (command, command)


class MenuForgetsBold(Duel):
    def choices(self, state: DuelState, seat: Seat, path: tuple[str, ...], language: str = "en") -> Menu:
        menu = super().choices(state, seat, path, language)
        return Menu(menu.prompt, menu.choices[:1], menu.command) if len(path) == 1 else menu


class MenuTakesAnything(Duel):
    def choices(self, state: DuelState, seat: Seat, path: tuple[str, ...], language: str = "en") -> Menu:
        try:
            return super().choices(state, seat, path, language)
        except Refusal:
            return super().choices(state, seat, (), language)


class MenuPointsNowhere(Duel):
    def choices(self, state: DuelState, seat: Seat, path: tuple[str, ...], language: str = "en") -> Menu:
        menu = super().choices(state, seat, path, language)
        places = (Choice(choice.key, choice.label, "nowhere") for choice in menu.choices)
        return Menu(menu.prompt, tuple(places), menu.command)


class DefaultIsIllegal(Duel):
    def default(self, state: DuelState, seat: Seat) -> Pick:
        return Pick(0, False)


class PicksTheImpossible(Duel):
    def pick(self, state: DuelState, seat: Seat, lot: Lot) -> Pick:
        return Pick(4, True)


class DefaultPeeks(Duel):
    """Plays what another seat has picked, which nobody may know."""

    def default(self, state: DuelState, seat: Seat) -> Pick:
        return next((Pick(pick[0], False) for pick in state.picks if pick and pick[0]), Pick(2, True))


class ScoresPeek(Duel):
    def scores(self, state: DuelState, language: str = "en") -> tuple[SeatScore, ...]:
        return tuple(
            SeatScore(score.seat, score.total + sum(state.charms), (ScoreLine("all", "All", score.total),))
            for score in super().scores(state, language)
        )


class ScoresDoNotAddUp(Duel):
    def scores(self, state: DuelState, language: str = "en") -> tuple[SeatScore, ...]:
        return tuple(SeatScore(score.seat, score.total + 1, score.lines) for score in super().scores(state, language))


class BoardIsBroken(Duel):
    def board(self, view: DuelState, viewer: Viewer, language: str = "en") -> Svg:
        return super().board(view, viewer, language).replace("</svg>", "")


class BoardRepeatsAnId(Duel):
    def board(self, view: DuelState, viewer: Viewer, language: str = "en") -> Svg:
        return super().board(view, viewer, language).replace("seat-1", "seat-0")


class RefusalTells(Duel):
    """The sentence of a refusal holds the charm of another seat."""

    def decide(self, command: Pick, state: DuelState, seat: Seat) -> tuple[Event, ...]:
        if command.bold and state.charms and state.charms[seat - 1] % 2:
            raise Refusal("too_bold", f"Seat {seat - 1} has a charm of {state.charms[seat - 1]}.")
        return super().decide(command, state, seat)


class WordsDoNotEnd(Duel):
    def words(self, event: Event, language: str) -> str:
        return super().words(event, language).rstrip(".")


BITES: list[tuple[type[Duel], Law]] = [
    (ShowsPicks, laws.a_view_folds_like_the_state),
    (ShowsCharmsInTheView, laws.a_view_folds_like_the_state),
    (BlindsTheReferee, laws.looking_twice_shows_no_more),
    (OffersTheImpossible, laws.every_legal_command_is_accepted_from_its_seat_alone),
    (OffersTheImpossible, laws.menus_lead_to_legal_commands_and_to_all_of_them),
    (OffersOutOfTurn, laws.exactly_the_pending_seats_have_legal_commands),
    (OffersUnsorted, laws.legal_commands_are_sorted_and_unique),
    (OffersTwice, laws.legal_commands_are_sorted_and_unique),
    (MenuForgetsBold, laws.menus_lead_to_legal_commands_and_to_all_of_them),
    (MenuTakesAnything, laws.menus_are_the_same_from_the_seat),
    (MenuPointsNowhere, laws.boards_are_pictures_of_the_view),
    (DefaultIsIllegal, laws.the_default_is_legal),
    (DefaultPeeks, laws.the_default_is_legal),
    (PicksTheImpossible, laws.what_a_game_picks_is_legal),
    (ScoresPeek, laws.scores_are_public_and_add_up),
    (ScoresDoNotAddUp, laws.scores_are_public_and_add_up),
    (BoardIsBroken, laws.boards_are_pictures_of_the_view),
    (BoardRepeatsAnId, laws.boards_are_pictures_of_the_view),
    (ScoresPeek, twins_cannot_be_told_apart),
    (ShowsCharmsInTheView, twins_cannot_be_told_apart),
    (RefusalTells, twins_cannot_be_told_apart),
    (WordsDoNotEnd, laws.every_event_has_words_or_is_silent_for_all),
]


def bold_where_it_goes(game: Any, state: Any, seat: Seat, dice: Any) -> Pick:
    command = Pick(dice.choice((1, 2, 3)), True)
    try:
        game.decide(command, state, seat)
    except Refusal:
        return Pick(command.number, False)
    return command


@pytest.mark.parametrize(("faulty", "law"), BITES, ids=lambda thing: thing.__name__)
def test_a_fault_breaks_its_law(faulty: Callable[[], Duel], law: Law) -> None:
    def look_at_some_matches() -> None:
        for number in range(8):
            law(play(faulty(), 3, {"rounds": 3}, number, driver=bold_where_it_goes))

    with pytest.raises((AssertionError, Refusal, SyntaxError, pytest.fail.Exception)):
        look_at_some_matches()


def test_the_same_matches_of_the_honest_duel_break_none() -> None:
    for number in range(8):
        played = play(Duel(), 3, {"rounds": 3}, number, driver=bold_where_it_goes)
        for law in LAWS:
            law(played)
