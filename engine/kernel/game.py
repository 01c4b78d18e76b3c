"""What a game is: a decider, and how it deals, shows, scores and draws itself.

A new game is one folder under ``engine/games`` that exports ``GAME``. Everything else finds it there and holds it to
the laws in ``tests/conformance``. Commands carry no seat: who speaks is the actor of the commit, which ``Match``
checks, so a command cannot claim to be somebody else's.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, TypeAlias, TypeVar

import msgspec

from engine.kernel.brain import Brain, Lot
from engine.kernel.chance import Chance, Outcome
from engine.kernel.codec import Codec, Named
from engine.kernel.value import Seat, Value, Viewer

S = TypeVar("S", bound=msgspec.Struct)
C = TypeVar("C", bound=Named)
E = TypeVar("E", bound=Named)
O = TypeVar("O", bound=msgspec.Struct)  # noqa: E741 - S, C, E, O: state, command, event, options

Svg: TypeAlias = str
"""A complete, self-contained ``<svg>`` element."""


class Seats(Value, frozen=True):
    """The match waits for people: one seat is a turn, several move at the same time. Sorted, never empty."""

    seats: tuple[Seat, ...]


class Automatic(Value, frozen=True):
    """Nobody is asked: the rules go on by themselves, in a commit of the house's own that ``proceed`` makes.

    What follows from several seats' moves belongs here, so that it is the same whichever of them came last.
    """


class Over(Value, frozen=True):
    """The play has ended. ``ranks[seat]`` is 1 for the best, with ties sharing a rank (1, 2, 2, 4)."""

    ranks: tuple[int, ...]
    reason: str
    """A literal of the game's own: ``line``, ``points``, ``left``."""


Pending: TypeAlias = Seats | Chance | Automatic | Over


class Choice(Value, frozen=True):
    """One next step of a command. ``place`` is the id of the board element it stands for, or empty."""

    key: str
    label: str
    place: str = ""


class Menu(Value, frozen=True):
    """Where a path through ``choices`` has led: what to pick next, or the complete command to confirm."""

    prompt: str
    choices: tuple[Choice, ...]
    command: msgspec.Raw | None = None
    """The complete command as JSON ``{"type", "v", "data"}`` when the path has reached one."""


class ScoreLine(Value, frozen=True):
    """One line of a breakdown. The points of a seat's lines add up to its total."""

    key: str
    label: str
    points: int


class Objective(Value, frozen=True):
    """Something to strive for, and how far this seat has come: met when ``have`` reaches ``need``."""

    key: str
    label: str
    have: int
    need: int

    @property
    def met(self) -> bool:
        return self.have >= self.need


class SeatScore(Value, frozen=True):
    """The live score of one seat, made of public knowledge alone."""

    seat: Seat
    total: int
    lines: tuple[ScoreLine, ...]
    objectives: tuple[Objective, ...] = ()


class Setup(Value, Generic[O], frozen=True):
    """What is known before the first card: how many seats, and the options."""

    seats: int
    options: O


class Game(ABC, Generic[O, S, C, E]):
    """One game. Every method is pure; every state is immutable.

    The laws that all of this must keep are in ``tests/conformance/test_laws.py``.
    """

    key: str
    """Lower case, a folder name and a subject token: ``just4fun``."""
    title: str
    """As printed on the box."""
    version: int
    """The version of the rules; a match is bound to the one it began with."""
    seats: range
    turns_max: int
    """Commits after which every play has ended, whatever is played."""
    past_is_open: bool = True
    """Whether a running match may be looked back at as it was; ``False`` where the game is memory, see ``recall``."""
    options: type[O]
    brains: Mapping[str, Callable[[Seat], Brain[S, C, E]]] = {}
    """Bots of the game's own, by level, beside the general ``random`` and ``greedy`` or in their place."""
    commands: Codec[C]
    events: Codec[E]

    # -- play ------------------------------------------------------------------------------------------------------

    @abstractmethod
    def initial(self, setup: Setup[O]) -> S:
        """Before anything is dealt. Raises ``Refusal`` if the options do not go together."""

    @abstractmethod
    def pending(self, state: S) -> Pending:
        """Whom the match waits for."""

    @abstractmethod
    def decide(self, command: C, state: S, seat: Seat) -> tuple[E, ...]:
        """The events of a command by a pending seat. Raises ``Refusal`` where the rules forbid it."""

    @abstractmethod
    def resolve(self, outcome: Outcome, state: S) -> tuple[E, ...]:
        """Luck's own ``decide``: the events of the outcome that ``pending`` asked for."""

    def proceed(self, state: S) -> tuple[E, ...]:
        """What happens when ``pending`` is ``Automatic``; a game that never says so leaves it as it is."""
        raise AssertionError(f"{self.key} never goes on by itself")

    @abstractmethod
    def leave(self, state: S, seat: Seat) -> tuple[E, ...]:
        """What happens when a seat leaves for good. Called once a seat, at any time before the end."""

    @abstractmethod
    def evolve(self, state: S, event: E) -> S:
        """The state after a fact: total, and the same for a server's state and a viewer's."""

    def fold_of(self, kind: type[E]) -> Callable[[S, E], S]:
        """``evolve`` for events of this kind; a game that folds by a table has it at hand."""
        return self.evolve

    # -- offering --------------------------------------------------------------------------------------------------

    @abstractmethod
    def legal(self, state: S, seat: Seat) -> Iterator[C]:
        """Every complete command of a pending seat, sorted and lazy. Needs no more than that seat's view."""

    @abstractmethod
    def choices(self, state: S, seat: Seat, path: tuple[str, ...], language: str = "en") -> Menu:
        """The next step of a command after the keys in ``path``; raises ``Refusal`` for a path that is none."""

    @abstractmethod
    def default(self, state: S, seat: Seat) -> C:
        """What is played for a pending seat whose clock has run out."""

    def pick(self, state: S, seat: Seat, lot: Lot) -> C:
        """One of the ``legal`` commands by lot, each as likely as the next. For random play, from a seat's own view.

        A game that need not list them all for it, or has too many to be fair to each, says how it picks.
        """
        commands = list(self.legal(state, seat))
        return commands[lot(len(commands))]

    # -- showing ---------------------------------------------------------------------------------------------------

    @abstractmethod
    def redact(self, event: E, viewer: Viewer) -> E:
        """The event as ``viewer`` may know it: of the same type, with holes. A ``match`` without a catch-all."""

    def recall(self, event: E, viewer: Viewer, now: S) -> E:
        """A past event of a running match as ``viewer`` may know it in the position ``now``, with holes for the rest.

        Asked only where ``past_is_open`` is ``False``. Folding the recalled events from the beginning gives the view of
        ``now``, so whoever comes late, or again, ends where those are who never left. It gets no more than these
        three: what an event must be recognised by later, a number say, the game puts into it and redacts.
        """
        return self.redact(event, viewer)

    def is_told_once(self, event: E) -> bool:
        """Whether what a seat alone may know of this event passes by: told to one reader of that seat, kept nowhere."""
        return False

    @abstractmethod
    def view(self, state: S, viewer: Viewer) -> S:
        """The state as ``viewer`` may know it: of the same type, with holes."""

    @abstractmethod
    def scores(self, state: S, language: str = "en") -> tuple[SeatScore, ...]:
        """By seat; equal for a state and for any view of it, so that a score can never leak."""

    @abstractmethod
    def board(self, view: S, viewer: Viewer, language: str = "en") -> Svg:
        """The picture of a view. Deterministic; element ids are stable from one revision to the next."""

    @abstractmethod
    def words(self, event: E, language: str) -> str:
        """One sentence about a (redacted) event; empty for an event nobody needs to read about."""

    # -- about ---------------------------------------------------------------------------------------------------

    @property
    def rules(self) -> str:
        """``just4fun/1``, as every line of the log names it."""
        return f"{self.key}/{self.version}"

    def menu(self, prompt: str, *choices: Choice, command: C | None = None) -> Menu:
        """A ``Menu`` whose command is in its stored form."""
        raw = msgspec.Raw(msgspec.json.encode(self.commands.encode(command))) if command is not None else None
        return Menu(prompt, choices, raw)


AnyGame: TypeAlias = Game[Any, Any, Any, Any]
