"""Welcome To...: number the houses of three streets, all at the same time, from the same cards."""

from engine.games.welcome_to.game import GAME

__all__ = ["GAME"]
