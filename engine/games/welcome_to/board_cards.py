"""The cards on the table: three combinations and what comes next, or the three cards of a hand."""

from engine.games.welcome_to.language import CATALOGUE, effect_name
from engine.games.welcome_to.model import HIDDEN, Card, State, Turn
from engine.games.welcome_to.pieces import EFFECT_PALE, LAST, fitting, icon, number, wrapped
from engine.games.welcome_to.printed import CARDS, Effect
from engine.kernel.picture import INK, LINE, MUTED, PALE, SAND, group, path, rect, text
from engine.kernel.value import Seat

WIDTH, HEIGHT = 206, 180
STEP = WIDTH + 10
FACE_WIDTH, FACE_HEIGHT = 90, 124


def combinations(state: State, planned: Turn | None, x: int, y: int, language: str) -> str:
    """Standard: number and effect side by side, and below the effect that the number card has on its back."""
    parts = []
    for stack, (shown, behind) in enumerate(zip(state.numbers, state.effects, strict=True)):
        left, face, effect = x + stack * STEP, CARDS[shown], CARDS[behind].effect
        coming = effect_name(face.effect, language)
        title = CATALOGUE.say(
            language,
            "Combination: {number} and {effect}; next effect: {coming}",
            number=face.number,
            effect=effect_name(effect, language),
            coming=coming,
        )
        chosen = planned is not None and planned.number == shown
        said = CATALOGUE.say(language, "next: {effect}", effect=coming)
        parts.append(
            group(
                f"combo{stack}",
                title,
                rect(left, y, WIDTH, HEIGHT, 12, PALE, LAST if chosen else LINE, 5 if chosen else 2),
                _number_face(face.number, face.effect, left + 9, y + 10),
                _effect_face(effect, left + WIDTH - FACE_WIDTH - 9, y + 10, language),
                icon(face.effect, left + 24, y + HEIGHT - 22, 24),
                text(left + 42, y + HEIGHT - 22, said, size=fitting(said, 13, WIDTH - 52), fill=MUTED),
            )
        )
    return "".join(parts)


def hand(cards: tuple[Card, ...], planned: Turn | None, x: int, y: int, language: str) -> str:
    """Expert and solo: the number of one card and the effect of another; both are on each."""
    parts = []
    for at, card in enumerate(cards):
        left = x + at * STEP
        if card == HIDDEN:
            parts.append(group(f"card{at}", CATALOGUE.say(language, "A hidden card"), _back(left, y)))
            continue
        face = CARDS[card]
        name = effect_name(face.effect, language)
        title = CATALOGUE.say(language, "Card: {number}, {effect}", number=face.number, effect=name)
        frames = ""
        if planned is not None and card == planned.number:
            frames = rect(left + 9, y + 28, FACE_WIDTH, FACE_HEIGHT, 8, "none", LAST, 5)
        if planned is not None and card == planned.effect:
            frames += rect(left + WIDTH - FACE_WIDTH - 9, y + 28, FACE_WIDTH, FACE_HEIGHT, 8, "none", LAST, 5)
        parts.append(
            group(
                f"card{at}",
                title,
                rect(left, y, WIDTH, HEIGHT, 12, PALE, LINE, 2),
                _number_face(face.number, face.effect, left + 9, y + 28),
                _effect_face(face.effect, left + WIDTH - FACE_WIDTH - 9, y + 28, language),
                frames,
            )
        )
    return "".join(parts)


def hidden_hands(x: int, y: int, language: str) -> str:
    """Expert, for those who have no hand: three backs, and why."""
    said = CATALOGUE.say(language, "Every seat plays from a hand of its own.")
    size = fitting(said, 15, 3 * STEP - 40)
    backs = "".join(_back(x + at * STEP, y) for at in range(3))
    plate = rect(x + 20, y + HEIGHT - 58, 3 * STEP - 50, 40, 8, PALE, LINE, 2)
    return group(
        "hands",
        said,
        backs,
        plate,
        text(x + 3 * STEP // 2 - 5, y + HEIGHT - 38, said, size=size, anchor="middle", weight=700),
    )


def small_hand(seat: Seat, cards: tuple[Card, ...], x: int, y: int, language: str) -> str:
    """The known cards of somebody's hand as number and sign, 45 wide each; nothing for hidden ones."""
    known = [CARDS[card] for card in cards if card != HIDDEN]
    if not known:
        return ""
    title = CATALOGUE.say(
        language,
        "Cards of seat {seat}: {cards}",
        seat=seat,
        cards=", ".join(f"{face.number} {effect_name(face.effect, language)}" for face in known),
    )
    faces = (
        rect(x + at * 45, y - 10, 42, 20, 5, EFFECT_PALE[face.effect], LINE, 1)
        + number(x + at * 45 + 13, y, face.number, 13)
        + icon(face.effect, x + at * 45 + 31, y, 15)
        for at, face in enumerate(known)
    )
    return group(f"hand-{seat}", title, *faces)


def no_cards(x: int, y: int, language: str) -> str:
    """Before the deal, and between rounds: three empty places."""
    places = "".join(rect(x + at * STEP, y, WIDTH, HEIGHT, 12, SAND) for at in range(3))
    return group("cards", CATALOGUE.say(language, "No cards on the table"), places)


def _number_face(value: int, behind: Effect, x: int, y: int) -> str:
    """The number side; the effect on its back stands small in two corners."""
    return (
        rect(x, y, FACE_WIDTH, FACE_HEIGHT, 8, "#fbfaf5", INK, 2)
        + number(x + FACE_WIDTH // 2, y + FACE_HEIGHT // 2, value, 48)
        + icon(behind, x + 17, y + 17, 20)
        + icon(behind, x + FACE_WIDTH - 17, y + FACE_HEIGHT - 17, 20)
    )


def _effect_face(effect: Effect, x: int, y: int, language: str) -> str:
    name = effect_name(effect, language)
    longest = max(name.split(), key=len)
    size = fitting(longest, 13, FACE_WIDTH - 6)
    lines = wrapped(name, size, FACE_WIDTH - 6)
    top = y + 94 - (len(lines) - 1) * 8
    return (
        rect(x, y, FACE_WIDTH, FACE_HEIGHT, 8, EFFECT_PALE[effect], INK, 2)
        + icon(effect, x + FACE_WIDTH // 2, y + 42, 54)
        + "".join(
            text(x + FACE_WIDTH // 2, top + at * 16, line, size=size, anchor="middle", weight=700)
            for at, line in enumerate(lines)
        )
    )


def _back(x: int, y: int) -> str:
    middle = x + WIDTH // 2, y + HEIGHT // 2 - 20
    return (
        rect(x, y, WIDTH, HEIGHT, 12, "#2b5c94", PALE, 2)
        + rect(x + 10, y + 10, WIDTH - 20, HEIGHT - 20, 8, "none", "#8fc4e6", 2)
        + path(f"M{middle[0] - 26} {middle[1]}l26-24 26 24v30h-52Z", "#8fc4e6")
    )
