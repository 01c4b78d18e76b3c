"""Just 4 Fun as the kernel knows it: every method is one line into the file that it is about."""

from collections.abc import Callable, Iterator

from engine.games.just4fun import board, choices, rules, scoring, views, words
from engine.games.just4fun.fold import FOLD
from engine.games.just4fun.model import COMMANDS, EVENTS, SEATS, TOKENS, Command, Event, Options, State
from engine.kernel.brain import Lot
from engine.kernel.chance import Outcome
from engine.kernel.game import Game, Menu, Pending, SeatScore, Setup, Svg
from engine.kernel.value import Seat, Viewer

SEATS_MAX = SEATS[-1]

PLACEMENTS_MAX = SEATS_MAX * TOKENS + (SEATS_MAX - 1) * SEATS_MAX * TOKENS
"""Placements of one match: every token once, and, where removed tokens return (J-08), those again that did.

A lock with n tokens of its owner returns at most n - 2 of each other seat. The owner's n never move again, so the n of
all locks together are at most all the tokens there are.
"""

TURN_COMMITS = 3
"""The move, the draw, and the rest of the draw after a reshuffle: the new pile is never too small for that."""

OPENING_COMMITS = 4
"""The match is opened, the layout, the first player, the hands."""

CLOSING_COMMITS = 1
"""The seed is revealed."""


class Just4Fun(Game[Options, State, Command, Event]):
    """J.P.K. Grunau, Kosmos 2005."""

    key = "just4fun"
    title = "Just 4 Fun"
    version = 1
    seats = SEATS
    # A turn is a placement or an exchange, a time-out is a move like any other, and each seat can leave once.
    turns_max = OPENING_COMMITS + TURN_COMMITS * (PLACEMENTS_MAX + rules.EXCHANGES_MAX) + SEATS_MAX + CLOSING_COMMITS
    options = Options
    commands = COMMANDS
    events = EVENTS

    def initial(self, setup: Setup[Options]) -> State:
        return rules.initial(setup)

    def pending(self, state: State) -> Pending:
        return rules.pending(state)

    def decide(self, command: Command, state: State, seat: Seat) -> tuple[Event, ...]:
        return rules.decide(command, state, seat)

    def resolve(self, outcome: Outcome, state: State) -> tuple[Event, ...]:
        return rules.resolve(outcome, state)

    def leave(self, state: State, seat: Seat) -> tuple[Event, ...]:
        return rules.leave(state, seat)

    def evolve(self, state: State, event: Event) -> State:
        return FOLD.evolve(state, event)

    def fold_of(self, kind: type[Event]) -> Callable[[State, Event], State]:
        return FOLD.of(kind)

    def legal(self, state: State, seat: Seat) -> Iterator[Command]:
        return choices.legal(state, seat)

    def choices(self, state: State, seat: Seat, path: tuple[str, ...], language: str = "en") -> Menu:
        prompt, offered, command = choices.choices(state, seat, path, language)
        return self.menu(prompt, *offered, command=command)

    def default(self, state: State, seat: Seat) -> Command:
        return choices.default(state, seat)

    def pick(self, state: State, seat: Seat, lot: Lot) -> Command:
        return choices.pick(state, seat, lot)

    def redact(self, event: Event, viewer: Viewer) -> Event:
        return views.redact(event, viewer)

    def view(self, state: State, viewer: Viewer) -> State:
        return views.view(state, viewer)

    def scores(self, state: State, language: str = "en") -> tuple[SeatScore, ...]:
        return scoring.scores(state, language)

    def board(self, view: State, viewer: Viewer, language: str = "en") -> Svg:
        return board.board(view, viewer, language)

    def words(self, event: Event, language: str) -> str:
        return words.words(event, language)


GAME = Just4Fun()
