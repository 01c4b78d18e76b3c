"""The sentences of MEMCEL in the languages of the house."""

from engine.kernel.catalogue import Catalogue

CATALOGUE = Catalogue("engine.games.memcel")
