"""The sentences of MEMCEL in the languages of the house, and the names that many of them need.

Rings and tiles share three colours and no word: a ring is "green ring", a tile is "a green tile".
"""

from collections import Counter
from collections.abc import Iterable
from typing import assert_never

from engine.games.memcel.printed import COLOURS, EVENT_TILE, Card, Complication, Direction, Face, Kind
from engine.kernel.catalogue import Catalogue
from engine.kernel.language import listed

CATALOGUE = Catalogue("engine.games.memcel")

FACES: tuple[Face, ...] = (*COLOURS, EVENT_TILE, "hidden")
"""In the order of the seats, as tiles are counted."""


def colour_name(face: Face, language: str) -> str:
    """What a tile's colour is called by itself."""
    match face:
        case "tile:red":
            return CATALOGUE.say(language, "red")
        case "tile:green":
            return CATALOGUE.say(language, "green")
        case "tile:blue":
            return CATALOGUE.say(language, "blue")
        case "tile:orange":
            return CATALOGUE.say(language, "orange")
        case "tile:imprevisto":
            return CATALOGUE.say(language, "event")
        case "hidden":
            return CATALOGUE.say(language, "face down")
        case _:
            assert_never(face)


def tile_letter(face: Face, language: str) -> str:
    """The letter on a tile: the first of its colour's name."""
    return colour_name(face, language)[0].upper()


def tile_name(face: Face, language: str) -> str:
    """A tile in the middle of a sentence; of one that is hidden nobody can say more than that it is one."""
    match face:
        case "tile:red":
            return CATALOGUE.say(language, "a red tile")
        case "tile:green":
            return CATALOGUE.say(language, "a green tile")
        case "tile:blue":
            return CATALOGUE.say(language, "a blue tile")
        case "tile:orange":
            return CATALOGUE.say(language, "an orange tile")
        case "tile:imprevisto":
            return CATALOGUE.say(language, "an event tile")
        case "hidden":
            return CATALOGUE.say(language, "a tile")
        case _:
            assert_never(face)


def tiles_counted(faces: Iterable[Face], language: str) -> str:
    """``red × 10, event × 2``."""
    counts = Counter(faces)
    return ", ".join(f"{colour_name(face, language)} × {counts[face]}" for face in sorted(counts, key=FACES.index))


def ring_name(ring: int, language: str) -> str:
    """A ring by itself."""
    match ring:
        case 0:
            return CATALOGUE.say(language, "red ring")
        case 1:
            return CATALOGUE.say(language, "green ring")
        case _:
            return CATALOGUE.say(language, "blue ring")


def way_name(direction: Direction, language: str) -> str:
    if direction == "cw":
        return CATALOGUE.say(language, "clockwise")
    return CATALOGUE.say(language, "anticlockwise")


def complication_name(complication: Complication, language: str) -> str:
    """The inner circle of the icon die, and what it does."""
    match complication:
        case "black":
            return CATALOGUE.say(language, "black circle (death loop)")
        case "grey":
            return CATALOGUE.say(language, "grey circle (swap)")
        case "white":
            return CATALOGUE.say(language, "white circle (roll again)")
        case _:
            assert_never(complication)


def ring_letter(ring: int, language: str) -> str:
    """The letter of a ring on the board and on the die of icons."""
    return tile_letter(COLOURS[ring], language)


def place_name(ring: int, sector: int, language: str) -> str:
    """The name of a place: ``green 5``."""
    match ring:
        case 0:
            return CATALOGUE.say(language, "red {sector}", sector=sector)
        case 1:
            return CATALOGUE.say(language, "green {sector}", sector=sector)
        case _:
            return CATALOGUE.say(language, "blue {sector}", sector=sector)


def places_named(places: Iterable[tuple[int, int]], language: str) -> str:
    return listed(language, (place_name(ring, sector, language) for ring, sector in places))


def ring_turned(ring: int, direction: Direction, steps: int, language: str) -> str:
    """A rotation in a few words, as good as the animation for those who only listen."""
    if direction == "cw":
        return CATALOGUE.say(language, "{ring}, {steps} clockwise", ring=ring_name(ring, language), steps=steps)
    return CATALOGUE.say(language, "{ring}, {steps} anticlockwise", ring=ring_name(ring, language), steps=steps)


def board_turned(direction: Direction, steps: int, language: str) -> str:
    if direction == "cw":
        return CATALOGUE.say(language, "whole board, {steps} clockwise", steps=steps)
    return CATALOGUE.say(language, "whole board, {steps} anticlockwise", steps=steps)


def card_words(card: Card, language: str) -> str:
    """A card by its name, and what is printed on it besides."""
    name = card_name(card.kind, language)
    if not card.direction:
        return name
    return f"{name} ({ring_turned(card.ring, card.direction, card.steps, language)})"


def card_name(kind: Kind, language: str) -> str:
    """The name of a kind of event card."""
    match kind:
        case "ring_step":
            return CATALOGUE.say(language, "Click")
        case "reroll":
            return CATALOGUE.say(language, "Roll again")
        case "board_spin":
            return CATALOGUE.say(language, "Death loop")
        case "swap_own_choice":
            return CATALOGUE.say(language, "Swap")
        case "swap_next_choice":
            return CATALOGUE.say(language, "Neighbour's swap")
        case "complication":
            return CATALOGUE.say(language, "Complication")
        case "skip_next":
            return CATALOGUE.say(language, "Lose a turn")
        case "cover_own":
            return CATALOGUE.say(language, "Lights out")
        case "extra_turn":
            return CATALOGUE.say(language, "Extra turn")
        case "peek":
            return CATALOGUE.say(language, "Peek")
        case "pardon":
            return CATALOGUE.say(language, "Pardon")
        case "cover_rival":
            return CATALOGUE.say(language, "Spite")
        case "calm":
            return CATALOGUE.say(language, "All quiet")
        case _:
            assert_never(kind)


def card_effect(kind: Kind, language: str) -> str:
    """What a card of this kind does, in one short sentence."""
    match kind:
        case "ring_step":
            return CATALOGUE.say(language, "One ring turns as printed.")
        case "reroll":
            return CATALOGUE.say(language, "Both dice are rolled, and that ring turns.")
        case "board_spin":
            return CATALOGUE.say(language, "Both dice are rolled, and all rings turn.")
        case "swap_own_choice":
            return CATALOGUE.say(language, "Whoever drew it swaps two tiles unseen.")
        case "swap_next_choice":
            return CATALOGUE.say(language, "The next player swaps two tiles unseen.")
        case "complication":
            return CATALOGUE.say(language, "The icon die is rolled, and its circle is carried out.")
        case "skip_next":
            return CATALOGUE.say(language, "Whoever drew it loses a turn.")
        case "cover_own":
            return CATALOGUE.say(language, "Whoever drew it turns down two own open tiles.")
        case "extra_turn":
            return CATALOGUE.say(language, "Whoever drew it plays again, or loses one turn less.")
        case "peek":
            return CATALOGUE.say(language, "Whoever drew it looks alone at one tile.")
        case "pardon":
            return CATALOGUE.say(language, "Whoever drew it loses two turns less.")
        case "cover_rival":
            return CATALOGUE.say(language, "Whoever drew it turns down one open tile of a rival.")
        case "calm":
            return CATALOGUE.say(language, "Nothing happens.")
        case _:
            assert_never(kind)
