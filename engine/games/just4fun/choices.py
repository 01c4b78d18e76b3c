"""What a seat can do now: every command, the menus that lead to one, and the move of an absent player.

All of it needs no more than the seat's own view, and offers exactly what ``decide`` accepts.
"""

from collections.abc import Iterator

from engine.games.just4fun.language import CATALOGUE
from engine.games.just4fun.model import HIDDEN, Cards, Command, ExchangeHand, PlaceToken, State
from engine.games.just4fun.rules import is_turn_of, playable
from engine.kernel.brain import Lot
from engine.kernel.game import Choice
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Seat, clip

Step = tuple[str, tuple[Choice, ...], Command | None]
"""Prompt, choices, complete command: what ``Game.menu`` makes a ``Menu`` of."""

EXCHANGE = "exchange"


def legal(state: State, seat: Seat) -> Iterator[Command]:
    """Every complete command: by field, then by cards; the exchange only where nothing can be placed (J-03, J-13)."""
    if not is_turn_of(state, seat) or HIDDEN in state.hands[seat]:
        return
    plays = playable(state, seat)
    if not plays:
        yield ExchangeHand()
    for field, cards in plays:
        yield PlaceToken(field, cards)


def pick(state: State, seat: Seat, lot: Lot) -> Command:
    """One of ``legal`` by lot."""
    plays = playable(state, seat)
    picked = lot(max(1, len(plays)))
    return PlaceToken(*plays[picked]) if plays else ExchangeHand()


def default(state: State, seat: Seat) -> Command:
    """What is played when the clock has run out: the highest field in reach, with the fewest cards.

    Not playing is no option (J-03), and the highest field serves an absent player best when the fields are counted.
    """
    plays = playable(state, seat)
    if not plays:
        return ExchangeHand()
    field, cards = max(plays, key=lambda play: (play[0], -len(play[1]), play[1]))
    return PlaceToken(field, cards)


def choices(state: State, seat: Seat, path: tuple[str, ...], language: str) -> Step:
    """First the field, then the cards where more than one set makes that sum (J-04). Raises ``Refusal``."""
    if not is_turn_of(state, seat):
        raise Refusal("not_your_turn", f"It is not the turn of seat {seat}.")
    if HIDDEN in state.hands[seat]:
        raise Refusal("hand_hidden", f"The hand of seat {seat} is not yours to play.", Kind.DENIED)
    ways: dict[str, list[PlaceToken]] = {}
    for field, cards in playable(state, seat):
        ways.setdefault(f"field:{field}", []).append(PlaceToken(field, cards))
    match path:
        case ():
            return _first_step(ways, seat, language)
        case (key,) if key == EXCHANGE and not ways:
            return CATALOGUE.say(language, "Lay off the whole hand and draw a new one."), (), ExchangeHand()
        case (key,) if key in ways and len(ways[key]) == 1:
            return _confirm(ways[key][0], language), (), ways[key][0]
        case (key,) if key in ways:
            prompt = CATALOGUE.say(language, "Choose the cards for field {field}.", field=ways[key][0].field)
            return prompt, tuple(map(_cards_choice, ways[key])), None
        case (key, cards_key) if len(ways.get(key, ())) > 1:
            for place in ways[key]:
                if cards_key == _cards_choice(place).key:
                    return _confirm(place, language), (), place
    raise Refusal("no_such_choice", f"{clip('/'.join(path))} leads to no move.")


def _first_step(ways: dict[str, list[PlaceToken]], seat: Seat, language: str) -> Step:
    if ways:
        offered = tuple(_field_choice(key, places, language) for key, places in ways.items())
        return CATALOGUE.say(language, "Choose a field."), offered, None
    label = CATALOGUE.say(language, "Lay off the hand and draw a new one")
    return (
        CATALOGUE.say(language, "None of your cards can be played."),
        (Choice(EXCHANGE, label, f"hand-{seat}"),),
        None,
    )


def _sum(cards: Cards, sign: str = "+") -> str:
    return sign.join(map(str, cards))


def _field_choice(key: str, places: list[PlaceToken], language: str) -> Choice:
    """The cards where there is one way to the field, else how many ways there are."""
    field = places[0].field
    if len(places) == 1:
        label = CATALOGUE.say(language, "field {field} ({sum})", field=field, sum=_sum(places[0].cards))
    else:
        label = CATALOGUE.count(
            language, "field {field} ({n} way)", "field {field} ({n} ways)", len(places), field=field
        )
    return Choice(key, label, f"f{field}")


def _cards_choice(place: PlaceToken) -> Choice:
    return Choice(f"cards:{_sum(place.cards)}", _sum(place.cards, " + "), f"f{place.field}")


def _confirm(place: PlaceToken, language: str) -> str:
    return CATALOGUE.say(
        language, "Play {sum} and place a token on {field}.", sum=_sum(place.cards, " + "), field=place.field
    )
