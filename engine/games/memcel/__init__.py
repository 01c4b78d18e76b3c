"""MEMCEL: lay tiles face down, turn the rings over and over, and find all of your colour again, one after the other."""

from engine.games.memcel.game import GAME

__all__ = ["GAME"]
