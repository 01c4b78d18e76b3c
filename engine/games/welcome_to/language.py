"""The sentences of Welcome To... in the languages of the house, and the names that many of them share."""

from typing import assert_never

from engine.games.welcome_to.printed import Effect
from engine.kernel.catalogue import Catalogue

CATALOGUE = Catalogue("engine.games.welcome_to")


def effect_name(effect: Effect, language: str) -> str:
    """What the card calls it."""
    match effect:
        case "surveyor":
            return CATALOGUE.say(language, "Surveyor")
        case "pool":
            return CATALOGUE.say(language, "Pool manufacturer")
        case "temp":
            return CATALOGUE.say(language, "Temp agency")
        case "bis":
            return CATALOGUE.say(language, "Bis")
        case "landscaper":
            return CATALOGUE.say(language, "Landscaper")
        case "real_estate":
            return CATALOGUE.say(language, "Real estate agent")
        case _:
            assert_never(effect)
