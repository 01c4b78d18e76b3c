"""What a seat can do now: every command, the menus that lead to one, and the move of an absent player.

All of it needs no more than the seat's own view, and offers exactly what ``decide`` accepts. A menu is a step of a
conversation: the generators below ask one question after the other and are told what was picked. Positions are picked
on the board, where each has the id ``r<ring>s<sector>``.
"""

from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from itertools import combinations
from math import comb
from typing import Any, NamedTuple, TypeAlias

from engine.games.memcel.commands import (
    AnnounceCount,
    ChooseDefence,
    Command,
    CoverTiles,
    DeclareAttack,
    DeclareDefence,
    PeekTile,
    PlaceByLot,
    PlaceTiles,
    RevealTile,
    SwapTiles,
)
from engine.games.memcel.hunt import most
from engine.games.memcel.language import CATALOGUE, place_name, tile_name
from engine.games.memcel.model import HIDDEN, At, Faces, Placement, State, Way
from engine.games.memcel.moves import coverable
from engine.games.memcel.printed import Face
from engine.games.memcel.rings import covered, empties, everywhere
from engine.games.memcel.rules import is_turn_of
from engine.kernel.brain import Lot
from engine.kernel.game import Choice
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Seat, clip

Step: TypeAlias = tuple[str, tuple[Choice, ...], Command | None]
"""Prompt, choices, complete command: what ``Game.menu`` makes a ``Menu`` of."""

WAYS: tuple[Way, ...] = ("card", "complication", "skip")
CARD = "card"
DIE = "die"
"""Element ids of the event cards and of the dice."""


class Ask(NamedTuple):
    """A question, each answer with what it stands for; or, without one, the command that has been reached."""

    prompt: str
    answers: list[tuple[Choice, Any]]
    command: Command | None = None


Talk: TypeAlias = Generator[Ask, Any, Any]

# -- commands ----------------------------------------------------------------------------------------------------------


def legal(state: State, seat: Seat) -> Iterator[Command]:
    """Every complete command, sorted and lazy; for the first tiles of two seats there are eighteen thousand."""
    if not is_turn_of(state, seat):
        return
    match state.step:
        case "place":
            if HIDDEN not in state.supplies[seat]:
                yield from _placements(state, seat)
                yield PlaceByLot()
        case "declare":
            yield DeclareAttack()
            if not state.defended[seat]:
                yield DeclareDefence()
        case "announce":
            yield from map(AnnounceCount, range(1, most(state, seat) + 1))
        case "reveal":
            yield from map(RevealTile, covered(state.board))
        case "defence":
            yield from map(ChooseDefence, WAYS)
        case "swap":
            yield from map(SwapTiles, combinations(everywhere(state.board), 2))
        case "peek":
            yield from map(PeekTile, covered(state.board))
        case "cover_own" | "cover_rival":
            targets, count = coverable(state, seat)
            yield from map(CoverTiles, combinations(targets, count))
        case _:
            raise AssertionError(f"nobody is asked for {state.step}")


def _placements(state: State, seat: Seat) -> Iterator[PlaceTiles]:
    """Each pair of placements once, the earlier position first, as ``PlaceTiles`` writes them."""
    places = empties(state.board)
    beside = _beside(state.supplies[seat])
    ready = {face: [Placement(at, face) for at in places] for face in beside}
    for number in range(len(places)):
        for face, placements in ready.items():
            for later in range(number + 1, len(places)):
                for other in beside[face]:
                    yield PlaceTiles((placements[number], ready[other][later]))


def _beside(supply: Faces) -> dict[Face, tuple[Face, ...]]:
    """Each kind of tile of a supply, and the kinds that may be placed beside it; sorted."""
    kinds = sorted(set(supply))
    return {face: tuple(other for other in kinds if other != face or supply.count(face) > 1) for face in kinds}


def pick(state: State, seat: Seat, lot: Lot) -> Command:
    """One of ``legal`` by lot. Of placements and swaps, which are many, only the one is made."""
    match state.step:
        case "place":
            return _placement(state, seat, lot)
        case "swap":
            return _swap(everywhere(state.board), lot)
        case "reveal":
            down = covered(state.board)
            return RevealTile(down[lot(len(down))])
        case _:
            commands = list(legal(state, seat))
            return commands[lot(len(commands))]


def _placement(state: State, seat: Seat, lot: Lot) -> Command:
    """One of ``_placements``, found by its number; the number behind them all leaves it to the lot."""
    places = empties(state.board)
    beside = _beside(state.supplies[seat])
    pairs = sum(map(len, beside.values()))
    picked = lot(comb(len(places), 2) * pairs + 1)
    for number, one in enumerate(places):
        later = len(places) - number - 1
        if picked >= later * pairs:
            picked -= later * pairs
            continue
        for face, others in beside.items():
            if picked < later * len(others):
                gap, other = divmod(picked, len(others))
                return PlaceTiles((Placement(one, face), Placement(places[number + 1 + gap], others[other])))
            picked -= later * len(others)
    return PlaceByLot()


def _swap(places: tuple[At, ...], lot: Lot) -> SwapTiles:
    """One of all pairs, found by its number."""
    picked = lot(comb(len(places), 2))
    one = 0
    while picked >= (later := len(places) - one - 1):
        picked -= later
        one += 1
    return SwapTiles((places[one], places[one + 1 + picked]))


def default(state: State, seat: Seat) -> Command:
    """What is played when the clock has run out (M-41).

    Tiles are left to the lot, or whoever knows this code would know what lies there. A turn is a defence that does
    nothing, or if that is barred an attack on one tile. Everything else is public anyway, so that the first of what is
    legal is as good as any: it needs no luck, and never helps the rivals more than they help themselves.
    """
    match state.step:
        case "place":
            return PlaceByLot()
        case "declare":
            return DeclareAttack() if state.defended[seat] else DeclareDefence()
        case "defence":
            return ChooseDefence("skip")
        case _:
            return next(legal(state, seat))


# -- menus -------------------------------------------------------------------------------------------------------------


def choices(state: State, seat: Seat, path: tuple[str, ...], language: str) -> Step:
    """The question after the answers in ``path``. Raises ``Refusal``."""
    if not is_turn_of(state, seat):
        raise Refusal("not_your_turn", f"It is not the turn of seat {seat}.")
    if state.step == "place" and HIDDEN in state.supplies[seat]:
        raise Refusal("supply_hidden", f"The tiles of seat {seat} are not yours to place.", Kind.DENIED)
    talk = _talk(state, seat, language)
    ask: Ask = next(talk)
    for key in path:
        for choice, meaning in ask.answers:
            if choice.key == key:
                ask = talk.send(meaning)
                break
        else:
            raise Refusal("no_such_choice", f"{clip('/'.join(path))} leads to no move.")
    return ask.prompt, tuple(choice for choice, _ in ask.answers), ask.command


def _talk(state: State, seat: Seat, language: str) -> Talk:
    match state.step:
        case "place":
            yield from _talk_of_placing(state, seat, language)
        case "declare":
            yield from _talk_of_declaring(state, seat, language)
        case "announce":
            numbers = range(1, most(state, seat) + 1)
            x = yield Ask(
                CATALOGUE.say(language, "How many of your tiles will you find?"),
                [(Choice(str(number), _tiles(number, language), DIE), number) for number in numbers],
            )
            yield Ask(CATALOGUE.say(language, "Announce {tiles}.", tiles=_tiles(x, language)), [], AnnounceCount(x))
        case "reveal":
            at = yield _ask_place(CATALOGUE.say(language, "Choose a tile to turn up."), covered(state.board), language)
            yield Ask(CATALOGUE.say(language, "Turn up {place}.", place=_name(at, language)), [], RevealTile(at))
        case "defence":
            yield from _talk_of_defending(language)
        case "swap":
            yield from _talk_of_swapping(state, language)
        case "peek":
            at = yield _ask_place(CATALOGUE.say(language, "Choose a tile to look at."), covered(state.board), language)
            yield Ask(CATALOGUE.say(language, "Look at {place}.", place=_name(at, language)), [], PeekTile(at))
        case "cover_own" | "cover_rival":
            yield from _talk_of_covering(state, seat, language)
        case _:
            raise AssertionError(f"nobody is asked for {state.step}")


def _talk_of_placing(state: State, seat: Seat, language: str) -> Talk:
    """Tile, position, tile, position; or all of it by lot (M-07, M-41)."""
    supply = Counter(state.supplies[seat])
    places = empties(state.board)
    lot = (Choice("lot", CATALOGUE.say(language, "Leave it to the lot")), None)
    first = yield Ask(CATALOGUE.say(language, "Choose the first tile."), [*_kinds(supply, seat, language), lot])
    if first is None:
        yield Ask(CATALOGUE.say(language, "The lot places two of your tiles."), [], PlaceByLot())
        return
    one = yield _ask_place(CATALOGUE.say(language, "Where does the first tile go?"), places, language)
    rest = supply - Counter([first])
    second = yield Ask(CATALOGUE.say(language, "Choose the second tile."), _kinds(rest, seat, language))
    free = (at for at in places if at != one)
    other = yield _ask_place(CATALOGUE.say(language, "Where does the second tile go?"), free, language)
    prompt = CATALOGUE.say(
        language,
        "Place {first} on {one} and {second} on {other}.",
        first=_tile(first, language),
        one=_name(one, language),
        second=_tile(second, language),
        other=_name(other, language),
    )
    yield Ask(prompt, [], PlaceTiles((Placement(one, first), Placement(other, second))))


def _talk_of_declaring(state: State, seat: Seat, language: str) -> Talk:
    answers: list[tuple[Choice, Command]] = [
        (Choice("attack", CATALOGUE.say(language, "Attack"), DIE), DeclareAttack())
    ]
    if not state.defended[seat]:
        answers.append((Choice("defence", CATALOGUE.say(language, "Defend")), DeclareDefence()))
    command = yield Ask(CATALOGUE.say(language, "Attack or defend?"), list(answers))
    if isinstance(command, DeclareAttack):
        yield Ask(CATALOGUE.say(language, "Attack: roll for the most that you may announce."), [], command)
    else:
        prompt = CATALOGUE.say(language, "Defend: draw an event card, roll a complication, or do nothing.")
        yield Ask(prompt, [], command)


def _talk_of_defending(language: str) -> Talk:
    way = yield Ask(
        CATALOGUE.say(language, "How do you defend?"),
        [
            (Choice("card", CATALOGUE.say(language, "Draw an event card"), CARD), "card"),
            (Choice("complication", CATALOGUE.say(language, "Roll a complication"), DIE), "complication"),
            (Choice("skip", CATALOGUE.say(language, "Do nothing")), "skip"),
        ],
    )
    match way:
        case "card":
            prompt = CATALOGUE.say(language, "Draw an event card and carry it out.")
        case "complication":
            prompt = CATALOGUE.say(language, "Roll the icon die and carry out what it shows.")
        case _:
            prompt = CATALOGUE.say(language, "Do nothing this turn.")
    yield Ask(prompt, [], ChooseDefence(way))


def _talk_of_swapping(state: State, language: str) -> Talk:
    places = everywhere(state.board)
    one = yield _ask_place(
        CATALOGUE.say(language, "Choose the first of two tiles that change places."), places, language
    )
    others = (at for at in places if at != one)
    other = yield _ask_place(CATALOGUE.say(language, "Choose the second tile."), others, language)
    one_name, other_name = _name(one, language), _name(other, language)
    yield Ask(
        CATALOGUE.say(language, "Swap {one} and {other}.", one=one_name, other=other_name), [], SwapTiles((one, other))
    )


def _talk_of_covering(state: State, seat: Seat, language: str) -> Talk:
    """One after the other, as many as the card says."""
    targets, count = coverable(state, seat)
    chosen: list[At] = []
    while len(chosen) < count:
        left = [at for at in targets if at not in chosen]
        chosen.append((yield _ask_place(CATALOGUE.say(language, "Choose an open tile to turn down."), left, language)))
    prompt = CATALOGUE.count(language, "Turn {n} tile down.", "Turn {n} tiles down.", count)
    yield Ask(prompt, [], CoverTiles(tuple(chosen)))


# -- answers -----------------------------------------------------------------------------------------------------------


def place_id(at: At) -> str:
    return f"r{at.ring}s{at.sector}"


def pile_id(seat: Seat, face: Face) -> str:
    """Of the tiles of one kind in the supply of a seat."""
    return f"supply-{seat}-{face.removeprefix('tile:')}"


def _name(at: At, language: str) -> str:
    return place_name(at.ring, at.sector, language)


def _ask_place(prompt: str, places: Iterable[At], language: str) -> Ask:
    return Ask(prompt, [(Choice(place_id(at), _name(at, language), place_id(at)), at) for at in places])


def _kinds(supply: Counter[Face], seat: Seat, language: str) -> list[tuple[Choice, Any]]:
    """Each kind of tile that is left; equal tiles are one choice."""
    return [(Choice(face, _tile(face, language), pile_id(seat, face)), face) for face in sorted(supply)]


def _tile(face: Face, language: str) -> str:
    return tile_name(face, language)


def _tiles(count: int, language: str) -> str:
    return CATALOGUE.count(language, "{n} tile", "{n} tiles", count)
