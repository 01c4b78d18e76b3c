"""The sentences of Welcome To... in the languages of the house."""

from engine.kernel.catalogue import Catalogue

CATALOGUE = Catalogue("engine.games.welcome_to")
