"""The sentences of Just 4 Fun in the languages of the house."""

from engine.kernel.catalogue import Catalogue

CATALOGUE = Catalogue("engine.games.just4fun")
