"""What a seat can do now: every command, the menus that lead to one, and the turn of an absent player.

All of it needs no more than the seat's own view, and offers exactly what ``decide`` accepts. A menu is a step of a
conversation: the generators below ask one question after the other and are told what was picked, so they read as a turn
is played. A turn may be confirmed as soon as it is complete; what may still be added to it is offered beside that.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias, assert_never

from msgspec.structs import replace

from engine.games.welcome_to import labels
from engine.games.welcome_to.language import CATALOGUE, effect_name
from engine.games.welcome_to.legal import (
    UNUSED,
    Place,
    can_be_written,
    discards_of,
    houses_for,
    is_known,
    roundabout_spots,
    turns,
    uses,
)
from engine.games.welcome_to.model import (
    NO_CARD,
    Bis,
    Card,
    Cards,
    Claim,
    Estate,
    Fence,
    NoUse,
    Park,
    Pool,
    Promotion,
    Sheet,
    Spot,
    State,
    TakeTurn,
    Temp,
    Turn,
    Use,
)
from engine.games.welcome_to.plans import claims_of, may_reshuffle, plans_met
from engine.games.welcome_to.printed import CARDS, HOUSES
from engine.games.welcome_to.rules import is_pending
from engine.games.welcome_to.streets import empty_spots, fitting
from engine.games.welcome_to.turns import can_refuse, cards_of, none_fits, offers
from engine.games.welcome_to.writing import build_roundabout, number_written, write
from engine.kernel.game import Choice
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Seat, clip

Step: TypeAlias = tuple[str, tuple[Choice, ...], TakeTurn | None]
"""Prompt, choices, complete command: what ``Game.menu`` makes a ``Menu`` of."""


class Ask(NamedTuple):
    """A question: what each answer stands for, how both read in a language, and the turn that is complete without one.

    Nobody reads it while a bot plays or a path is followed, so words are made when they are asked for.
    """

    prompt: Callable[[str], str]
    answers: Sequence[Any]
    choice: Callable[[Any, str], Choice]
    """An answer as it is offered."""
    turn: Turn | None = None


Talk: TypeAlias = Generator[Ask, Any, Any]

REFUSE = "refuse"
BUILD_ROUNDABOUT = "roundabout"
RESHUFFLE = "reshuffle"
"""Answers that stand for themselves, beside cards, houses, uses and plans."""

# -- commands ----------------------------------------------------------------------------------------------------------


def legal(state: State, seat: Seat) -> Iterator[TakeTurn]:
    """Every complete command, sorted and lazy; there are thousands, and with roundabouts some hundred thousand."""
    if is_pending(state, seat) and is_known(state, seat):
        yield from map(TakeTurn, turns(state, seat))


def default(state: State, seat: Seat) -> TakeTurn:
    """What is played when the clock has run out: a number where it leaves most room for others, and nothing else."""
    sheet = state.sheets[seat]
    best = min(
        (
            (_strain(CARDS[number].number, street, house), Turn(number, effect, street, house))
            for number, effect in offers(state, seat)
            for street, house in empty_spots(sheet)
            if NoUse() in uses(sheet, Place(number, effect, street, house))
        ),
        key=lambda one: (one[0], one[1].number, one[1].effect, one[1].street),
        default=None,
    )
    return TakeTurn(best[1] if best else Turn(discards=discards_of(state, seat)[0]))


def _strain(number: int, street: int, house: int) -> int:
    """How far a number is from where it would stand if 1 to 15 were spread evenly over the street."""
    houses = HOUSES[street]
    return abs(number * (houses + 1) - 16 * (house + 1)) * HOUSES[-1] // houses


# -- menus -------------------------------------------------------------------------------------------------------------


def choices(state: State, seat: Seat, path: tuple[str, ...], language: str) -> Step:
    """The question after the answers in ``path``. Raises ``Refusal``."""
    if not is_pending(state, seat):
        raise Refusal("not_your_turn", f"It is not the turn of seat {seat}.")
    if not is_known(state, seat):
        raise Refusal("hand_hidden", f"The hand of seat {seat} is not yours to play.", Kind.DENIED)
    ask = answered(state, seat, path)
    offered = tuple(ask.choice(answer, language) for answer in ask.answers)
    return ask.prompt(language), offered, TakeTurn(ask.turn) if ask.turn else None


def answered(state: State, seat: Seat, path: tuple[str, ...]) -> Ask:
    """The question after these keys. Raises ``Refusal``."""
    talk = talk_of(state, seat)
    ask: Ask = next(talk)
    for key in path:
        for answer in ask.answers:
            if ask.choice(answer, "en").key == key:
                ask = talk.send(answer)
                break
        else:
            raise Refusal("no_such_choice", f"{clip('/'.join(path))} leads to no turn.")
    return ask


def talk_of(state: State, seat: Seat) -> Talk:
    """Roundabout first, if wished; cards and house or refusal; effect; what may be added."""
    roundabout: Spot = ()
    first = yield _first_ask(state, seat, ())
    if first == BUILD_ROUNDABOUT:
        roundabout = yield _ask_roundabout(roundabout_spots(state, state.sheets[seat]))
        first = yield _first_ask(state, seat, roundabout)
    if first == REFUSE:
        turn = Turn(roundabout=roundabout)
        if state.options.expert:
            cards = cards_of(state, seat)
            passed = yield Ask(_ask_to_pass_on, cards, _cards(cards))
            turn = replace(turn, discards=tuple(card for card in cards if card != passed))
    else:
        turn = yield from _building(state, seat, first, roundabout)
    yield from ending(state, seat, turn)


def _ask_to_pass_on(language: str) -> str:
    return CATALOGUE.say(language, "Choose the card to pass on; the others are discarded.")


def _first_ask(state: State, seat: Seat, roundabout: Spot) -> Ask:
    """A combination, or in expert and solo the card for the number; a refusal; a roundabout before it."""
    sheet = _with(state.sheets[seat], roundabout)
    fit = fitting(sheet)
    pairs = [(number, effect) for number, effect in offers(state, seat) if can_be_written(number, effect, fit)]
    answers: list[Any] = pairs
    if not state.effects:
        numbers = {number for number, _ in pairs}
        answers = [card for card in cards_of(state, seat) if card in numbers]
    if state.options.voluntary_refusal or none_fits(cards_of(state, seat), fit):
        answers.append(REFUSE)
    if not roundabout and roundabout_spots(state, sheet):
        answers.append(BUILD_ROUNDABOUT)

    def choice(answer: Any, language: str) -> Choice:
        match answer:
            case (number, effect):
                at = f"combo{offers(state, seat).index(answer)}"
                return Choice(at, labels.combination(language, number, effect), at)
            case "refuse":
                return Choice(REFUSE, CATALOGUE.say(language, "Take a permit refusal"), "refusals")
            case "roundabout":
                return Choice(BUILD_ROUNDABOUT, CATALOGUE.say(language, "Build a roundabout first"), "roundabouts")
            case card:
                return _cards(cards_of(state, seat))(card, language)

    return Ask(_ask_for_combination if state.effects else _ask_for_number, answers, choice)


def _ask_for_combination(language: str) -> str:
    return CATALOGUE.say(language, "Choose a combination.")


def _ask_for_number(language: str) -> str:
    return CATALOGUE.say(language, "Choose the card for the number.")


def _cards(cards: Cards) -> Callable[[Card, str], Choice]:
    """How one of these cards is offered: by its place among them."""

    def choice(card: Card, language: str) -> Choice:
        at = f"card{cards.index(card)}"
        return Choice(at, labels.card(language, card), at)

    return choice


def _with(sheet: Sheet, roundabout: Spot) -> Sheet:
    return build_roundabout(sheet, roundabout) if roundabout else sheet


# -- number and effect -------------------------------------------------------------------------------------------------


def _building(state: State, seat: Seat, first: Any, roundabout: Spot) -> Talk:
    sheet = _with(state.sheets[seat], roundabout)
    if state.effects:
        number, effect = first
    else:
        number = first
        pairs = offers(state, seat)
        cards = cards_of(state, seat)
        fit = fitting(sheet)
        effects = [card for card in cards if (number, card) in pairs and can_be_written(number, card, fit)]
        effect = yield Ask(_ask_for_effect, effects, _cards(cards))
    street, house = yield Ask(_ask_for_house, houses_for(sheet, number, effect), _house_choice)
    place = Place(number, effect, street, house)
    found = uses(sheet, place)
    use = found[0]
    if len(found) > 1 or use != UNUSED:
        use = yield Ask(partial(_ask_for_use, place), found, partial(_use_choice, place))
    return Turn(number, effect, street, house, use, roundabout=roundabout)


def _ask_for_effect(language: str) -> str:
    return CATALOGUE.say(language, "Choose the card for the effect.")


def _ask_for_house(language: str) -> str:
    return CATALOGUE.say(language, "Choose a house.")


def _house_choice(spot: Spot, language: str) -> Choice:
    street, house = spot
    return Choice(f"s{street}h{house}", labels.house(language, street, house), f"s{street}h{house}")


def _ask_for_use(place: Place, language: str) -> str:
    effect = effect_name(CARDS[place.effect].effect, language)
    return CATALOGUE.say(language, "{effect}: choose what to do with it.", effect=effect)


def _use_choice(place: Place, use: Use, language: str) -> Choice:
    here = f"s{place.street}h{place.house}"
    match use:
        case NoUse():
            return Choice("none", CATALOGUE.say(language, "No effect"))
        case Fence(street, slot):
            return Choice(f"s{street}f{slot}", labels.slot(language, street, slot), f"s{street}f{slot}")
        case Pool():
            return Choice("pool", CATALOGUE.say(language, "Build the pool"), here)
        case Temp(change):
            number = number_written(place.number, use)
            if change:
                return Choice(f"temp{change:+}", CATALOGUE.say(language, "Write {number}", number=number), here)
            return Choice("temp", CATALOGUE.say(language, "Write {number} and cross a temp", number=number), here)
        case Bis(street, house, number):
            label = labels.bis_at(language, street, house, number)
            return Choice(f"s{street}h{house}:{number}", label, f"s{street}h{house}")
        case Park():
            return Choice("park", CATALOGUE.say(language, "Build a park"), f"parks{place.street}")
        case Promotion(size):
            label = CATALOGUE.say(language, "Promote estates of size {size}", size=size)
            return Choice(f"estate{size}", label, f"estate{size}")
        case _:
            assert_never(use)


# -- roundabout, plans, reshuffle --------------------------------------------------------------------------------------


def _ask_roundabout(spots: tuple[Spot, ...]) -> Ask:
    return Ask(_ask_for_roundabout, spots, _house_choice)


def _ask_for_roundabout(language: str) -> str:
    return CATALOGUE.say(language, "Choose a house for the roundabout.")


def ending(state: State, seat: Seat, turn: Turn) -> Talk:
    """The turn is complete; a roundabout, then plans in any order, then a wish may be added."""
    while True:
        after = write(state.sheets[seat], turn, state.plans)
        added = yield Ask(partial(_summary, turn), additions(state, seat, turn, after), _addition, turn)
        if added == BUILD_ROUNDABOUT:
            spot = yield _ask_roundabout(_spots_to_add(state, seat, turn, after))
            turn = replace(turn, roundabout=spot)
        elif added == RESHUFFLE:
            turn = replace(turn, reshuffle=True)
        else:
            claim = yield from _claiming(list(claims_of(state, after, added)), added)
            turn = replace(turn, claims=(*turn.claims, claim))


def additions(state: State, seat: Seat, turn: Turn, after: Sheet) -> list[Any]:
    """What may be added to a turn that is complete and leaves this sheet: the answers to the last question."""
    answers: list[Any] = [] if turn.reshuffle else plans_met(state, after)
    if turn.claims:
        done = [claim.plan for claim in turn.claims]
        answers = [plan for plan in answers if plan not in done]
        if not turn.reshuffle and may_reshuffle(state, turn.claims):
            answers.append(RESHUFFLE)
    return [BUILD_ROUNDABOUT, *answers] if _spots_to_add(state, seat, turn, after) else answers


def _spots_to_add(state: State, seat: Seat, turn: Turn, after: Sheet) -> tuple[Spot, ...]:
    """Where a roundabout may be added; before the plans, and with a refusal only where nothing fits then either."""
    spots = () if turn.roundabout or turn.claims else roundabout_spots(state, after)
    return tuple([spot for spot in spots if can_refuse(state, seat, spot)]) if spots and turn.refused else spots


def _addition(added: Any, language: str) -> Choice:
    """What may be added to a turn that is complete."""
    if added == BUILD_ROUNDABOUT:
        return Choice(BUILD_ROUNDABOUT, CATALOGUE.say(language, "Build a roundabout"), "roundabouts")
    if added == RESHUFFLE:
        return Choice(RESHUFFLE, CATALOGUE.say(language, "Have the cards reshuffled"))
    return Choice(f"plan{added}", CATALOGUE.say(language, "Complete plan {number}", number=added + 1), f"plan{added}")


def _claiming(claims: list[Claim], plan: int) -> Talk:
    """Which estates: one after the other, until only one set is left."""
    chosen: tuple[Estate, ...] = ()
    while len(claims) > 1:
        at = len(chosen)
        offered = sorted({claim.estates[at] for claim in claims})
        if len(offered) == 1:
            chosen = (*chosen, offered[0])
            continue
        estate = yield Ask(partial(_ask_for_estate, plan), offered, _estate_choice)
        chosen = (*chosen, estate)
        claims = [claim for claim in claims if claim.estates[: at + 1] == chosen]
    return claims[0]


def _ask_for_estate(plan: int, language: str) -> str:
    return CATALOGUE.say(language, "Choose an estate for plan {number}.", number=plan + 1)


def _estate_choice(estate: Estate, language: str) -> Choice:
    street, first, last = estate
    return Choice(f"s{street}h{first}-{last}", labels.estate(language, estate), f"s{street}h{first}")


def _summary(turn: Turn, language: str) -> str:
    """The number and where it goes; then all else that the turn does."""
    if turn.number == NO_CARD:
        first = CATALOGUE.say(language, "Refuse the permit.")
    else:
        first = CATALOGUE.say(
            language,
            "Write {number}: street {street}, house {house}.",
            number=number_written(turn.number, turn.use),
            street=turn.street + 1,
            house=turn.house + 1,
        )
    added = "; ".join(_additions(turn, language))
    return f"{first} {CATALOGUE.say(language, 'Also: {what}.', what=added)}" if added else first


def _additions(turn: Turn, language: str) -> Iterator[str]:
    match turn.use:
        case NoUse():
            pass
        case Temp():
            number = number_written(turn.number, turn.use)
            yield CATALOGUE.say(language, "Write {number} and cross a temp", number=number)
        case use:
            yield _use_choice(Place(turn.number, turn.effect, turn.street, turn.house), use, language).label
    if turn.roundabout:
        where = labels.house(language, *turn.roundabout)
        yield f"{CATALOGUE.say(language, 'Build a roundabout')} ({where})"
    for claim in turn.claims:
        yield CATALOGUE.say(language, "Complete plan {number}", number=claim.plan + 1)
    if turn.reshuffle:
        yield CATALOGUE.say(language, "Have the cards reshuffled")
