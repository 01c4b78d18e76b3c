"""Just 4 Fun: make a number with your cards, place a token on it, be first to hold four fields in a line."""

from engine.games.just4fun.game import GAME

__all__ = ["GAME"]
