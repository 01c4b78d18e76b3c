"""One turn by lot: any answer to each question of the menus, each as likely as the next.

There are too many turns to list them first. The first questions are the same for nearly every turn, so they are
answered here without being asked; what comes then is a talk that nobody reads.
"""

from engine.games.welcome_to.choices import Ask, Talk, additions, ending, talk_of
from engine.games.welcome_to.legal import UNUSED, Place, can_be_written, houses_for, roundabout_spots, uses
from engine.games.welcome_to.model import Sheet, State, TakeTurn, Turn
from engine.games.welcome_to.streets import fitting
from engine.games.welcome_to.turns import none_fits
from engine.games.welcome_to.writing import write
from engine.kernel.brain import Lot
from engine.kernel.value import Seat


def pick(state: State, seat: Seat, lot: Lot) -> TakeTurn:
    """The turn of a seat that is to decide, from its own view."""
    sheet = state.sheets[seat]
    if not state.effects or roundabout_spots(state, sheet):
        return talked(talk_of(state, seat), lot)
    turn = _picked(state, sheet, lot)
    if additions(state, seat, turn, write(sheet, turn, state.plans)):
        return talked(ending(state, seat, turn), lot)
    lot(1)
    return TakeTurn(turn)


def _picked(state: State, sheet: Sheet, lot: Lot) -> Turn:
    """The answers to the first questions, where a combination is chosen and no roundabout: nobody has to ask them."""
    fit = fitting(sheet)
    pairs = [pair for pair in zip(state.numbers, state.effects, strict=True) if can_be_written(*pair, fit)]
    refusable = state.options.voluntary_refusal or none_fits(state.numbers, fit)
    at = lot(len(pairs) + refusable)
    if at == len(pairs):
        return Turn()
    number, effect = pairs[at]
    houses = houses_for(sheet, number, effect)
    street, house = houses[lot(len(houses))]
    found = uses(sheet, Place(number, effect, street, house))
    use = found[0]
    if len(found) > 1 or use != UNUSED:
        use = found[lot(len(found))]
    return Turn(number, effect, street, house, use)


def talked(talk: Talk, lot: Lot) -> TakeTurn:
    """The turn that a talk ends in whose every question is answered by lot."""
    ask: Ask = next(talk)
    while True:
        answers = len(ask.answers)
        picked = lot(answers + (ask.turn is not None))
        if picked == answers:
            assert ask.turn is not None
            return TakeTurn(ask.turn)
        ask = talk.send(ask.answers[picked])
