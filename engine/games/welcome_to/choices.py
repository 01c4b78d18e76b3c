"""What a seat can do now: every command, the menus that lead to one, and the turn of an absent player.

All of it needs no more than the seat's own view, and offers exactly what ``decide`` accepts. A menu is a step of a
conversation: the generators below ask one question after the other and are told what was picked, so they read as a turn
is played. A turn may be confirmed as soon as it is complete; what may still be added to it is offered beside that.
"""

from collections.abc import Generator, Iterator
from typing import Any, NamedTuple, TypeAlias, assert_never

from msgspec.structs import replace

from engine.games.welcome_to import labels
from engine.games.welcome_to.language import CATALOGUE, effect_name
from engine.games.welcome_to.legal import (
    Place,
    can_stand,
    discards_of,
    is_known,
    roundabout_spots,
    turns,
    uses,
)
from engine.games.welcome_to.model import (
    NO_CARD,
    Bis,
    Card,
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
from engine.games.welcome_to.plans import claims_of, may_reshuffle
from engine.games.welcome_to.printed import CARDS, HOUSES
from engine.games.welcome_to.rules import is_pending
from engine.games.welcome_to.streets import empty_spots
from engine.games.welcome_to.turns import can_refuse, cards_of, offers
from engine.games.welcome_to.writing import build_roundabout, number_written, write
from engine.kernel.game import Choice
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Seat, clip

Step: TypeAlias = tuple[str, tuple[Choice, ...], TakeTurn | None]
"""Prompt, choices, complete command: what ``Game.menu`` makes a ``Menu`` of."""


class Ask(NamedTuple):
    """A question, each answer with what it stands for, and the turn that is complete without an answer."""

    prompt: str
    answers: list[tuple[Choice, Any]]
    turn: Turn | None = None


Talk: TypeAlias = Generator[Ask, Any, Any]

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
    ask = answered(state, seat, path, language)
    return ask.prompt, tuple(choice for choice, _ in ask.answers), TakeTurn(ask.turn) if ask.turn else None


def answered(state: State, seat: Seat, path: tuple[str, ...], language: str) -> Ask:
    talk = _talk(state, seat, language)
    ask: Ask = next(talk)
    for key in path:
        for choice, meaning in ask.answers:
            if choice.key == key:
                ask = talk.send(meaning)
                break
        else:
            raise Refusal("no_such_choice", f"{clip('/'.join(path))} leads to no turn.")
    return ask


def _talk(state: State, seat: Seat, language: str) -> Talk:
    """Roundabout first, if wished; cards and house or refusal; effect; what may be added."""
    say = CATALOGUE.say
    roundabout: Spot = ()
    first = yield _first_ask(state, seat, (), language)
    if first == "roundabout":
        roundabout = yield _ask_roundabout(roundabout_spots(state, state.sheets[seat]), language)
        first = yield _first_ask(state, seat, roundabout, language)
    if first == "refuse":
        turn = Turn(roundabout=roundabout)
        if state.options.expert:
            passed = yield Ask(
                say(language, "Choose the card to pass on; the others are discarded."),
                [(choice, card) for choice, card in _cards(state, seat, language)],
            )
            turn = replace(turn, discards=tuple(card for card in cards_of(state, seat) if card != passed))
    else:
        turn = yield from _building(state, seat, first, roundabout, language)
    yield from _ending(state, seat, turn, language)


def _first_ask(state: State, seat: Seat, roundabout: Spot, language: str) -> Ask:
    sheet = _with(state.sheets[seat], roundabout)
    answers: list[tuple[Choice, Any]] = []
    pairs = [pair for pair in offers(state, seat) if houses_for(sheet, *pair)]
    if state.effects:
        for at, pair in enumerate(offers(state, seat)):
            if pair in pairs:
                answers.append((Choice(f"combo{at}", labels.combination(language, *pair), f"combo{at}"), pair))
    else:
        numbers = {number for number, _ in pairs}
        answers += [(choice, card) for choice, card in _cards(state, seat, language) if card in numbers]
    if can_refuse(state, seat, roundabout):
        label = CATALOGUE.say(language, "Take a permit refusal")
        answers.append((Choice("refuse", label, "refusals"), "refuse"))
    if not roundabout and roundabout_spots(state, sheet):
        label = CATALOGUE.say(language, "Build a roundabout first")
        answers.append((Choice("roundabout", label, "roundabouts"), "roundabout"))
    if state.effects:
        return Ask(CATALOGUE.say(language, "Choose a combination."), answers)
    return Ask(CATALOGUE.say(language, "Choose the card for the number."), answers)


def _cards(state: State, seat: Seat, language: str) -> list[tuple[Choice, Card]]:
    return [
        (Choice(f"card{at}", labels.card(language, card), f"card{at}"), card)
        for at, card in enumerate(cards_of(state, seat))
    ]


def _with(sheet: Sheet, roundabout: Spot) -> Sheet:
    return build_roundabout(sheet, roundabout) if roundabout else sheet


def houses_for(sheet: Sheet, number: Card, effect: Card) -> list[tuple[int, int]]:
    """The houses where the number, or what a temp makes of it, can stand."""
    return [spot for spot in empty_spots(sheet) if can_stand(sheet, Place(number, effect, *spot))]


# -- number and effect -------------------------------------------------------------------------------------------------


def _building(state: State, seat: Seat, first: Any, roundabout: Spot, language: str) -> Talk:
    sheet = _with(state.sheets[seat], roundabout)
    if state.effects:
        number, effect = first
    else:
        number = first
        pairs = offers(state, seat)
        effect = yield Ask(
            CATALOGUE.say(language, "Choose the card for the effect."),
            [
                (choice, card)
                for choice, card in _cards(state, seat, language)
                if (number, card) in pairs and houses_for(sheet, number, card)
            ],
        )
    street, house = yield Ask(
        CATALOGUE.say(language, "Choose a house."),
        [(_house_choice(spot, language), spot) for spot in houses_for(sheet, number, effect)],
    )
    place = Place(number, effect, street, house)
    found = uses(sheet, place)
    use = found[0]
    if found != [NoUse()]:
        use = yield Ask(
            CATALOGUE.say(
                language, "{effect}: choose what to do with it.", effect=effect_name(CARDS[effect].effect, language)
            ),
            [(_use_choice(place, use, language), use) for use in found],
        )
    return Turn(number, effect, street, house, use, roundabout=roundabout)


def _house_choice(spot: tuple[int, int], language: str) -> Choice:
    street, house = spot
    return Choice(f"s{street}h{house}", labels.house(language, street, house), f"s{street}h{house}")


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


def _ask_roundabout(spots: tuple[Spot, ...], language: str) -> Ask:
    prompt = CATALOGUE.say(language, "Choose a house for the roundabout.")
    return Ask(prompt, [(_house_choice((spot[0], spot[1]), language), spot) for spot in spots])


def _ending(state: State, seat: Seat, turn: Turn, language: str) -> Talk:
    """The turn is complete; a roundabout, then plans in any order, then a wish may be added."""
    while True:
        after = write(state.sheets[seat], turn, state.plans)
        answers: list[tuple[Choice, Any]] = []
        spots = () if turn.roundabout or turn.claims else roundabout_spots(state, after)
        if spots and (not turn.refused or any(can_refuse(state, seat, spot) for spot in spots)):
            label = CATALOGUE.say(language, "Build a roundabout")
            answers.append((Choice("roundabout", label, "roundabouts"), "roundabout"))
        for plan in () if turn.reshuffle else range(len(state.plans)):
            if not any(claim.plan == plan for claim in turn.claims) and any(claims_of(state, after, plan)):
                label = CATALOGUE.say(language, "Complete plan {number}", number=plan + 1)
                answers.append((Choice(f"plan{plan}", label, f"plan{plan}"), plan))
        if not turn.reshuffle and may_reshuffle(state, turn.claims):
            answers.append((Choice("reshuffle", CATALOGUE.say(language, "Have the cards reshuffled")), "reshuffle"))
        added = yield Ask(_summary(turn, language), answers, turn)
        if added == "roundabout":
            if turn.refused:
                spots = tuple(spot for spot in spots if can_refuse(state, seat, spot))
            spot = yield _ask_roundabout(spots, language)
            turn = replace(turn, roundabout=spot)
        elif added == "reshuffle":
            turn = replace(turn, reshuffle=True)
        else:
            claim = yield from _claiming(list(claims_of(state, after, added)), added, language)
            turn = replace(turn, claims=(*turn.claims, claim))


def _claiming(claims: list[Claim], plan: int, language: str) -> Talk:
    """Which estates: one after the other, until only one set is left."""
    chosen: tuple[Estate, ...] = ()
    while len(claims) > 1:
        at = len(chosen)
        offered = sorted({claim.estates[at] for claim in claims})
        if len(offered) == 1:
            chosen = (*chosen, offered[0])
            continue
        estate = yield Ask(
            CATALOGUE.say(language, "Choose an estate for plan {number}.", number=plan + 1),
            [
                (
                    Choice(
                        f"s{street}h{first}-{last}",
                        labels.estate(language, (street, first, last)),
                        f"s{street}h{first}",
                    ),
                    (street, first, last),
                )
                for street, first, last in offered
            ],
        )
        chosen = (*chosen, estate)
        claims = [claim for claim in claims if claim.estates[: at + 1] == chosen]
    return claims[0]


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
