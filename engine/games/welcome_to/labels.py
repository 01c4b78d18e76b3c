"""What menus and scores call things: short names, and what a city plan still lacks."""

from typing import assert_never

from engine.games.welcome_to.language import CATALOGUE, effect_name
from engine.games.welcome_to.model import Card, Estate, Options, Sheet
from engine.games.welcome_to.plans import missing_sizes, progress
from engine.games.welcome_to.printed import CARDS, Plan

# -- cards and places --------------------------------------------------------------------------------------------------


def combination(language: str, number: Card, effect: Card) -> str:
    return CATALOGUE.say(
        language,
        "{number} with {effect}",
        number=CARDS[number].number,
        effect=effect_name(CARDS[effect].effect, language),
    )


def card(language: str, card: Card) -> str:
    face = CARDS[card]
    return CATALOGUE.say(language, "{number}, {effect}", number=face.number, effect=effect_name(face.effect, language))


def house(language: str, street: int, house: int) -> str:
    return CATALOGUE.say(language, "Street {street}, house {house}", street=street + 1, house=house + 1)


def slot(language: str, street: int, slot: int) -> str:
    return CATALOGUE.say(
        language,
        "Street {street}, fence between houses {left} and {right}",
        street=street + 1,
        left=slot + 1,
        right=slot + 2,
    )


def bis_at(language: str, street: int, house: int, number: int) -> str:
    return CATALOGUE.say(
        language, "Street {street}, house {house}: {number} bis", street=street + 1, house=house + 1, number=number
    )


def estate(language: str, estate: Estate) -> str:
    street, first, last = estate
    if first == last:
        return house(language, street, first)
    return CATALOGUE.say(
        language,
        "Street {street}, houses {first} to {last}",
        street=street + 1,
        first=first + 1,
        last=last + 1,
    )


# -- lines of a score --------------------------------------------------------------------------------------------------


def plan(language: str, n: int) -> str:
    return CATALOGUE.say(language, "Plan {number}", number=n + 1)


def parks(language: str, street: int) -> str:
    return CATALOGUE.say(language, "Parks of street {street}", street=street + 1)


def pools(language: str, count: int) -> str:
    return CATALOGUE.count(language, "{n} pool", "{n} pools", count)


def temps(language: str, count: int) -> str:
    return CATALOGUE.count(language, "{n} temp", "{n} temps", count)


def estates(language: str, size: int, count: int, worth: int) -> str:
    return CATALOGUE.count(
        language,
        "{n} estate of size {size}, worth {worth}",
        "{n} estates of size {size}, worth {worth} each",
        count,
        size=size,
        worth=worth,
    )


def bis(language: str, count: int) -> str:
    return CATALOGUE.count(language, "{n} bis", "{n} bis", count)


def refusals(language: str, count: int) -> str:
    return CATALOGUE.count(language, "{n} permit refusal", "{n} permit refusals", count)


def roundabouts(language: str, count: int) -> str:
    return CATALOGUE.count(language, "{n} roundabout", "{n} roundabouts", count)


# -- city plans --------------------------------------------------------------------------------------------------------


def objective(language: str, n: int, plan: Plan, sheet: Sheet, options: Options) -> str:
    """What a plan asks for, and what of it is missing."""
    asked = plan_text(plan, language)
    if sheet.plans[n]:
        return CATALOGUE.say(
            language,
            "Plan {number}: {asked}; completed, {points} points",
            number=n + 1,
            asked=asked,
            points=sheet.plans[n],
        )
    have, need = progress(plan, sheet, options)
    if have == need:
        return CATALOGUE.say(language, "Plan {number}: {asked}; can be completed", number=n + 1, asked=asked)
    if plan.kind == "estates":
        sizes = ", ".join(map(str, missing_sizes(plan, sheet)))
        return CATALOGUE.say(
            language, "Plan {number}: {asked}; missing sizes: {sizes}", number=n + 1, asked=asked, sizes=sizes
        )
    return CATALOGUE.say(
        language, "Plan {number}: {asked}; {have} of {need}", number=n + 1, asked=asked, have=have, need=need
    )


def plan_text(plan: Plan, language: str) -> str:
    """What a plan asks for, in words."""
    match plan.kind:
        case "estates":
            sizes = ", ".join(map(str, plan.sizes))
            return CATALOGUE.say(language, "Estates of sizes {sizes}", sizes=sizes)
        case "all_houses":
            return CATALOGUE.say(language, "Every house of street {street}", street=plan.street + 1)
        case "street_ends":
            return CATALOGUE.say(language, "The first and the last house of each street")
        case "bis_on_one_street":
            return CATALOGUE.say(language, "{count} bis houses on one street", count=plan.count)
        case "temps":
            return CATALOGUE.say(language, "{count} temps", count=plan.count)
        case "parks_on_streets":
            return CATALOGUE.say(language, "All parks of {count} streets", count=plan.count)
        case "pools_on_streets":
            return CATALOGUE.say(language, "All pools of {count} streets", count=plan.count)
        case "parks_and_pools":
            return CATALOGUE.say(language, "All parks and pools of street {street}", street=plan.street + 1)
        case "parks_pools_roundabout":
            return CATALOGUE.say(language, "All parks and pools and a roundabout on one street")
        case _:
            assert_never(plan.kind)
