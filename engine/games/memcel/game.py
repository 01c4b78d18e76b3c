"""MEMCEL as the kernel knows it: every method is one line into the file that it is about."""

from collections.abc import Callable, Iterator

from engine.games.memcel import board, brains, choices, recall, rules, scoring, views, words
from engine.games.memcel.commands import COMMANDS, Command
from engine.games.memcel.dealing import START_ROLLS_MAX
from engine.games.memcel.events import EVENTS, Event
from engine.games.memcel.fold import FOLD
from engine.games.memcel.model import PLACED_A_TURN, SEATS, Options, State
from engine.games.memcel.printed import NUMBER_SIDES, TILES
from engine.games.memcel.turns import TURNS_MAX
from engine.kernel.brain import Lot
from engine.kernel.chance import Outcome
from engine.kernel.game import Game, Menu, Pending, SeatScore, Setup, Svg
from engine.kernel.value import Seat, Viewer

SEATS_MAX = SEATS[-1]

OPENING_COMMITS = 1 + START_ROLLS_MAX + 1
"""The match is opened, the rolls for the start, the odd tiles."""

PLACEMENT_COMMITS = 2 * TILES // PLACED_A_TURN + SEATS_MAX
"""Each turn its command, and the lot where it is asked; the supply of each seat that leaves."""

COMPLICATION_COMMITS = 3
"""White asks for most: the icon die, the icon die again, the number die."""

CARD_COMMITS = 1 + COMPLICATION_COMMITS
"""An event card, and at most a complication by it."""

TURN_COMMITS = 3 + NUMBER_SIDES + 2 * CARD_COMMITS
"""The longest turn is an attack: it is declared, rolled for, announced; its tiles; two cards (M-25)."""

CLOSING_COMMITS = 1
"""The seed is revealed."""


class Memcel(Game[Options, State, Command, Event]):
    """L. Piscopiello."""

    key = "memcel"
    title = "MEMCEL"
    version = 1
    seats = SEATS
    # A time-out is a move like any other and each seat can leave once. Turns that are lost cost no commit of their own,
    # and those that are played are counted whatever ``max_rounds`` says.
    turns_max = (
        OPENING_COMMITS
        + PLACEMENT_COMMITS
        + SEATS_MAX * COMPLICATION_COMMITS
        + (TURNS_MAX + SEATS_MAX) * TURN_COMMITS
        + SEATS_MAX
        + CLOSING_COMMITS
    )
    past_is_open = False
    options = Options
    brains = brains.BRAINS
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

    def recall(self, event: Event, viewer: Viewer, now: State) -> Event:
        return recall.recall(event, viewer, now)

    def is_told_once(self, event: Event) -> bool:
        return views.is_told_once(event)

    def view(self, state: State, viewer: Viewer) -> State:
        return views.view(state, viewer)

    def scores(self, state: State, language: str = "en") -> tuple[SeatScore, ...]:
        return scoring.scores(state, language)

    def board(self, view: State, viewer: Viewer, language: str = "en") -> Svg:
        return board.board(view, viewer, language)

    def words(self, event: Event, language: str) -> str:
        return words.words(event, language)


GAME = Memcel()
