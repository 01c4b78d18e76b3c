"""Bots that remember as people do."""

from collections.abc import Callable, Mapping

from engine.games.memcel.commands import Command
from engine.games.memcel.events import Event
from engine.games.memcel.model import State
from engine.kernel.brain import Brain
from engine.kernel.value import Seat

BRAINS: Mapping[str, Callable[[Seat], Brain[State, Command, Event]]] = {}
