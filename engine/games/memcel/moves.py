"""What moves and what befalls: complications, event cards, and the choices they leave (M-10 to M-14, M-34 to M-36)."""

from itertools import chain, repeat
from typing import assert_never

from engine.games.memcel.course import Course
from engine.games.memcel.dealing import check_position
from engine.games.memcel.events import (
    BoardRotated,
    CardDrawn,
    DeckReshuffled,
    ExtraTurnGranted,
    IconRolled,
    LostTurnsCut,
    NumberRolled,
    RingRotated,
    TilePeeked,
    TilesSwapped,
    TurnsLostAdded,
)
from engine.games.memcel.hunt import cover, face_down_at
from engine.games.memcel.model import At, Options, State
from engine.games.memcel.printed import ICONS, STANDARD_DECK, Card, Icon
from engine.games.memcel.rings import covered, open_own
from engine.games.memcel.turns import following, go_on
from engine.kernel.refusal import Refusal
from engine.kernel.seats import at_table
from engine.kernel.value import Seat

COVERED_BY_CARD = 2
"""Own tiles that ``cover_own`` turns down."""
PARDONED = 2
"""Lost turns that ``pardon`` forgives at most."""

# -- dice --------------------------------------------------------------------------------------------------------------


def complication_rolled(course: Course, seat: Seat, face: int) -> None:
    """The icon die's inner circle counts: the whole board (M-11), a swap (M-12), or one ring (M-13)."""
    icon = _rolled(course, seat, face)
    match icon.complication:
        case "black":
            course.wait_for("board_number", seat, "complication:black")
        case "grey":
            course.wait_for("swap", seat, "complication:grey")
        case "white":
            course.wait_for("ring_icon", seat, "complication:white")
        case _:
            assert_never(icon.complication)


def board_icon_rolled(course: Course, seat: Seat, face: int) -> None:
    _rolled(course, seat, face)
    course.wait_for("board_number", seat, course.state.cause)


def ring_icon_rolled(course: Course, seat: Seat, face: int) -> None:
    """The new roll's inner circle is ignored, so there is no chain (M-13)."""
    _rolled(course, seat, face)
    course.wait_for("ring_number", seat, course.state.cause)


def _rolled(course: Course, seat: Seat, face: int) -> Icon:
    icon = ICONS[face - 1]
    course.add(IconRolled(seat, face, icon.ring, icon.direction, icon.complication))
    return icon


def board_number_rolled(course: Course, seat: Seat, number: int) -> None:
    """All three rings together the way of the arrow; the ring on the die is ignored (M-11)."""
    icon = ICONS[course.state.icon - 1]
    course.add(NumberRolled(seat, number))
    course.add(BoardRotated(icon.direction, number, course.state.cause))
    go_on(course)


def ring_number_rolled(course: Course, seat: Seat, number: int) -> None:
    icon = ICONS[course.state.icon - 1]
    course.add(NumberRolled(seat, number))
    course.add(RingRotated(icon.ring, icon.direction, number, course.state.cause))
    go_on(course)


# -- event cards -------------------------------------------------------------------------------------------------------


STANDARD_COPIES = tuple(copies.copies for copies in STANDARD_DECK)


def copies_of(options: Options) -> tuple[int, ...]:
    """By card number, how many of it the deck has."""
    return STANDARD_COPIES if options.cards is STANDARD_DECK else tuple(copies.copies for copies in options.cards)


def pile(state: State) -> tuple[int, ...]:
    """The numbers of the cards that can still come, sorted: the deck without the discard pile."""
    rest = list(copies_of(state.options))
    for number in state.discard:
        rest[number] -= 1
    return tuple(chain.from_iterable(map(repeat, range(len(rest)), rest)))


def card_drawn(course: Course, seat: Seat, number: int) -> None:
    """The card goes to the discard pile and is carried out; the last card of the pile brings the shuffle (M-34)."""
    card = course.state.options.cards[number].card
    course.add(CardDrawn(seat, number, card))
    if len(course.state.discard) == sum(copies_of(course.state.options)):
        course.add(DeckReshuffled(len(course.state.discard)))
    if not _begins_step(course, seat, card):
        go_on(course)


def _begins_step(course: Course, seat: Seat, card: Card) -> bool:
    """Carry out a card; whether it waits for a die or a choice now. One that finds no target does nothing.

    None may turn a tile up: tiles are opened one at a time, so that two seats never win at once (M-29).
    """
    state = course.state
    match card.kind:
        case "ring_step":
            assert card.direction
            course.add(RingRotated(card.ring, card.direction, card.steps, "event:ring_step"))
        case "reroll":
            course.wait_for("ring_icon", seat, "event:reroll")
            return True
        case "board_spin":
            course.wait_for("board_icon", seat, "event:board_spin")
            return True
        case "swap_own_choice":
            course.wait_for("swap", seat, "event:swap_own_choice")
            return True
        case "swap_next_choice":
            course.wait_for("swap", following(state, seat), "event:swap_next_choice")
            return True
        case "complication":
            course.wait_for("complication", seat)
            return True
        case "skip_next":
            course.add(TurnsLostAdded(seat, 1, "event:skip_next"))
        case "cover_own":
            own = open_own(state, seat)
            if len(own) > COVERED_BY_CARD:
                course.wait_for("cover_own", seat, "event:cover_own")
                return True
            cover(course, seat, own, "event:cover_own")
        case "extra_turn":
            if state.lost[seat]:
                course.add(LostTurnsCut(seat, 1, "event:extra_turn"))
            else:
                course.add(ExtraTurnGranted(seat))
        case "peek":
            if covered(state.board):
                course.wait_for("peek", seat, "event:peek")
                return True
        case "pardon":
            if pardoned := min(PARDONED, state.lost[seat]):
                course.add(LostTurnsCut(seat, pardoned, "event:pardon"))
        case "cover_rival":
            targets = rival_tiles(state, seat)
            if len(targets) > 1:
                course.wait_for("cover_rival", seat, "event:cover_rival")
                return True
            cover(course, seat, targets, "event:cover_rival")
        case "calm":
            pass
        case _:
            assert_never(card.kind)
    return False


def rival_tiles(state: State, seat: Seat) -> tuple[At, ...]:
    """Open tiles of the others at the table; neutral colours are no rivals."""
    rivals = [other for other in at_table(len(state.supplies), state.left) if other != seat]
    return tuple(sorted(at for other in rivals for at in open_own(state, other)))


# -- choices -----------------------------------------------------------------------------------------------------------


def swap(course: Course, seat: Seat, at: tuple[At, At]) -> None:
    """Any two different positions, open or not; each tile keeps its facing, and nobody is shown a face (M-12, M-33)."""
    for one in at:
        check_position(course.state, one)
    if at[0] == at[1]:
        raise Refusal("same_position", "A swap needs two different positions.")
    course.add(TilesSwapped(seat, at, course.state.cause))
    go_on(course)


def peek(course: Course, seat: Seat, at: At) -> None:
    """One tile that lies face down, for these eyes only (M-33)."""
    course.add(TilePeeked(seat, at, face_down_at(course.state, at).face))
    go_on(course)


def coverable(state: State, seat: Seat) -> tuple[tuple[At, ...], int]:
    """The open tiles that the card lets a seat choose from, and how many it must turn down."""
    if state.step == "cover_own":
        return open_own(state, seat), COVERED_BY_CARD
    return rival_tiles(state, seat), 1


def cover_chosen(course: Course, seat: Seat, at: tuple[At, ...]) -> None:
    """Raises ``Refusal``."""
    targets, count = coverable(course.state, seat)
    for one in at:
        check_position(course.state, one)
    if len(set(at)) != count or len(at) != count or not set(at) <= set(targets):
        raise Refusal("not_to_cover", f"The card asks for {count} of the open tiles it speaks of.")
    cover(course, seat, at, course.state.cause)
    go_on(course)
