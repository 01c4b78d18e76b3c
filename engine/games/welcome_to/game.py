"""Welcome To... as the kernel knows it: every method is one line into the file that it is about."""

from collections.abc import Callable, Iterator

from engine.games.welcome_to import board, choices, dealing, picking, rules, scoring, views, words
from engine.games.welcome_to.fold import FOLD
from engine.games.welcome_to.greedy import Greedy
from engine.games.welcome_to.model import COMMANDS, EVENTS, SEATS, Command, Event, Options, State
from engine.games.welcome_to.printed import HOUSES, REFUSALS_MAX
from engine.kernel.brain import Lot
from engine.kernel.chance import Outcome
from engine.kernel.game import Game, Menu, Pending, SeatScore, Setup, Svg
from engine.kernel.value import Seat, Viewer

SEATS_MAX = SEATS[-1]

ROUNDS_MAX = sum(HOUSES) + REFUSALS_MAX - 1
"""A turn fills a box or refuses; the 33rd box and the third refusal end the play (4.1, 4.9)."""

ROUND_COMMITS = SEATS_MAX + 1 + 3
"""Every seat's turn, the reveal, and a deal: two draws where the deck runs out, three where the Solo card can come."""

OPENING_COMMITS = 1 + 3
"""The match is opened; three plans."""

CLOSING_COMMITS = 1
"""The seed is revealed."""

assert ROUNDS_MAX == 35


class WelcomeTo(Game[Options, State, Command, Event]):
    """Benoit Turpin, Blue Cocker 2018."""

    key = "welcome_to"
    title = "Welcome To..."
    version = 1
    seats = SEATS
    # A time-out moves for all seats at once, and each seat can leave once, which takes no turn from anybody else.
    turns_max = OPENING_COMMITS + ROUND_COMMITS * ROUNDS_MAX + SEATS_MAX + CLOSING_COMMITS
    options = Options
    brains = {"greedy": Greedy}  # noqa: RUF012 - a mapping that nobody writes to
    commands = COMMANDS
    events = EVENTS

    def initial(self, setup: Setup[Options]) -> State:
        return rules.initial(setup)

    def pending(self, state: State) -> Pending:
        return rules.pending(state)

    def decide(self, command: Command, state: State, seat: Seat) -> tuple[Event, ...]:
        return rules.decide(command, state, seat)

    def resolve(self, outcome: Outcome, state: State) -> tuple[Event, ...]:
        return dealing.resolve(outcome, state)

    def proceed(self, state: State) -> tuple[Event, ...]:
        return rules.proceed(state)

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
        return picking.pick(state, seat, lot)

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


GAME = WelcomeTo()
