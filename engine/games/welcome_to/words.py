"""What is told about an event, as the viewer may know it: whole sentences, one for each thing that a turn does."""

from typing import assert_never

from engine.games.welcome_to.labels import card as card_label
from engine.games.welcome_to.labels import combination, plan_text
from engine.games.welcome_to.language import CATALOGUE
from engine.games.welcome_to.model import (
    HIDDEN,
    Bis,
    CardPassed,
    Cards,
    CardsShown,
    CombinationsShown,
    DeckReshuffled,
    Event,
    Fence,
    HandDealt,
    NoUse,
    Park,
    PlanDealt,
    PlanScored,
    PlayEnded,
    Pool,
    Promotion,
    RoundBegan,
    RoundEnded,
    SeatGone,
    SoloCardShown,
    Temp,
    Turn,
    TurnRevealed,
    TurnTaken,
    Use,
)
from engine.games.welcome_to.printed import PLANS
from engine.games.welcome_to.writing import number_written
from engine.kernel.language import listed
from engine.kernel.value import Seat


def words(event: Event, language: str) -> str:
    """Empty for what needs no sentence: that a round begins, and which values have sunk, the board shows."""
    match event:
        case PlanDealt(plan, card):
            asked = plan_text(PLANS[card], language)
            return CATALOGUE.say(language, "City plan {number}: {asked}.", number=plan + 1, asked=asked)
        case CombinationsShown(effects, numbers):
            pairs = (combination(language, number, effect) for number, effect in zip(numbers, effects, strict=True))
            return CATALOGUE.say(language, "On the table: {cards}.", cards=listed(language, pairs))
        case CardsShown(cards):
            return CATALOGUE.say(language, "On the table: {cards}.", cards=_cards(cards, language))
        case SoloCardShown():
            return CATALOGUE.say(language, "The Solo card appears: all city plans give their lower value now.")
        case HandDealt(seat, cards) if HIDDEN in cards:
            return CATALOGUE.count(
                language, "Seat {seat} takes {n} card.", "Seat {seat} takes {n} cards.", len(cards), seat=seat
            )
        case HandDealt(seat, cards):
            return CATALOGUE.say(language, "Seat {seat} takes {cards}.", seat=seat, cards=_cards(cards, language))
        case RoundBegan() | RoundEnded():
            return ""
        case TurnTaken(seat):
            return CATALOGUE.say(language, "Seat {seat} is ready.", seat=seat)
        case TurnRevealed(seat, turn):
            return " ".join(_turn(seat, turn, language))
        case PlanScored(seat, plan, points):
            return CATALOGUE.count(
                language,
                "Seat {seat} completes city plan {plan} for {n} point.",
                "Seat {seat} completes city plan {plan} for {n} points.",
                points,
                seat=seat,
                plan=plan + 1,
            )
        case CardPassed(seat, to, card) if card == HIDDEN:
            return CATALOGUE.say(language, "Seat {seat} passes a card on to seat {to}.", seat=seat, to=to)
        case CardPassed(seat, to, card):
            return CATALOGUE.say(
                language,
                "Seat {seat} passes a card on to seat {to}: {card}.",
                seat=seat,
                to=to,
                card=card_label(language, card),
            )
        case DeckReshuffled(()):
            return CATALOGUE.say(language, "The deck is used up and is shuffled anew.")
        case DeckReshuffled(asked):
            return CATALOGUE.count(
                language,
                "The deck is shuffled anew, as seat {seats} wished.",
                "The deck is shuffled anew, as seats {seats} wished.",
                len(asked),
                seats=listed(language, asked),
            )
        case SeatGone(seat):
            return CATALOGUE.say(language, "Seat {seat} builds no more; its sheet stays as it is.", seat=seat)
        case PlayEnded():
            return _ended(event, language)
        case _:
            assert_never(event)


def _turn(seat: Seat, turn: Turn, language: str) -> list[str]:
    if turn.refused:
        said = [CATALOGUE.say(language, "Seat {seat} takes a permit refusal.", seat=seat)]
    else:
        where = {"seat": seat, "street": turn.street + 1, "house": turn.house + 1}
        number = number_written(turn.number, turn.use)
        said = [
            CATALOGUE.say(
                language, "Seat {seat} writes {number} on house {house} of street {street}.", number=number, **where
            )
        ]
    said += _use(turn.use, language)
    if turn.roundabout:
        street, house = turn.roundabout
        said.append(
            CATALOGUE.say(
                language, "A roundabout takes house {house} of street {street}.", house=house + 1, street=street + 1
            )
        )
    return said


def _use(use: Use, language: str) -> list[str]:
    match use:
        case NoUse():
            return []
        case Fence(street, slot):
            return [
                CATALOGUE.say(
                    language,
                    "A fence goes up between houses {left} and {right} of street {street}.",
                    left=slot + 1,
                    right=slot + 2,
                    street=street + 1,
                )
            ]
        case Pool():
            return [CATALOGUE.say(language, "The house gets its pool.")]
        case Temp(0):
            return [CATALOGUE.say(language, "A temp is hired.")]
        case Temp(change):
            changed = f"{change:+d}"
            return [CATALOGUE.say(language, "A temp has changed the number by {change}.", change=changed)]
        case Bis(street, house, number):
            return [
                CATALOGUE.say(
                    language,
                    "House {house} of street {street} becomes {number} bis.",
                    house=house + 1,
                    street=street + 1,
                    number=number,
                )
            ]
        case Park(street):
            return [CATALOGUE.say(language, "Street {street} gets a park.", street=street + 1)]
        case Promotion(size):
            return [CATALOGUE.say(language, "Estates of size {size} are worth more.", size=size)]
        case _:
            assert_never(use)


def _cards(cards: Cards, language: str) -> str:
    return "; ".join(card_label(language, card) for card in cards)


def _ended(event: PlayEnded, language: str) -> str:
    """Why play is over, and who has won."""
    winners = [seat for seat, rank in enumerate(event.ranks) if rank == 1]
    won = CATALOGUE.count(
        language,
        "Seat {seats} wins.",
        "Seats {seats} share the win.",
        len(winners),
        seats=listed(language, winners),
    )
    return f"{_reason(event, language)} {won}"


def _reason(event: PlayEnded, language: str) -> str:
    match event.reason:
        case "refusals":
            return CATALOGUE.say(language, "The third permit was refused.")
        case "plans":
            return CATALOGUE.say(language, "All three city plans are completed.")
        case "houses":
            return CATALOGUE.say(language, "All houses of a sheet are built.")
        case "deck":
            return CATALOGUE.say(language, "The deck is used up.")
        case "last_seat":
            return CATALOGUE.say(language, "One seat is left at the table.")
        case "left":
            return CATALOGUE.say(language, "Everybody has left.")
        case _:
            assert_never(event.reason)
