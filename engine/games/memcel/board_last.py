"""Below the seats: what has just happened, the event card that was drawn last, and what the circles of the die do."""

from engine.games.memcel.board_cards import HEIGHT as CARD_HEIGHT
from engine.games.memcel.board_cards import WIDTH as CARD_WIDTH
from engine.games.memcel.board_cards import card_back, card_face
from engine.games.memcel.board_dice import INNER_FILL
from engine.games.memcel.board_seats import LEFT, WIDTH
from engine.games.memcel.language import CATALOGUE, card_effect, card_name, card_words, ring_turned
from engine.games.memcel.model import State
from engine.games.memcel.panel import happened, last_card
from engine.games.memcel.pieces import INK, LAST, fitting, paragraph, text, width_of
from engine.games.memcel.printed import Complication
from engine.kernel.picture import MUTED, PALE, SAND, circle, group, rect

STRIP = 62
LEGEND = 44


def last_box(state: State, top: int, bottom: int, language: str) -> str:
    """The newest event between ``top`` and ``bottom``, with the card as large as there is room for."""
    room = bottom - top - STRIP - LEGEND - 34
    height = min(room, 256)
    width = CARD_WIDTH * height // CARD_HEIGHT
    return "".join(
        (
            rect(LEFT, top, WIDTH, bottom - top, 14, SAND),
            _strip(state, top, language),
            _card(state, LEFT + 18, top + STRIP + 18 + (room - height) // 2, width, height, language),
            _legend(bottom - LEGEND // 2 - 6, language),
        )
    )


def _strip(state: State, top: int, language: str) -> str:
    said = happened(state, language)
    if not said:
        return ""
    words = said[0].upper() + said[1:]
    return group(
        "last",
        words,
        rect(LEFT + 12, top + 12, WIDTH - 24, STRIP - 12, 10, INK),
        circle(LEFT + 38, top + 6 + STRIP // 2, 9, "none", LAST, 5),
        text(
            LEFT + 60,
            top + 6 + STRIP // 2,
            words,
            size=fitting(words, 22, WIDTH - 90),
            fill=PALE,
            weight=700,
        ),
    )


def _card(state: State, x: int, y: int, width: int, height: int, language: str) -> str:
    """The card on top of the discard pile, or the pile before the first one."""
    card = last_card(state)
    drawing = card_face(card) if card is not None else card_back()
    size = f'width="{width}" height="{height}" viewBox="0 0 {CARD_WIDTH} {CARD_HEIGHT}"'
    shown = f'<svg x="{x}" y="{y}" {size}>{drawing}</svg>'
    left, room = x + width + 18, WIDTH - width - 54
    total = sum(copies.copies for copies in state.options.cards)
    pile = CATALOGUE.say(language, "Pile: {count} of {deck}", count=total - len(state.discard), deck=total)
    note = text(left, y + height - 12, pile, size=fitting(pile, 20, room), fill=MUTED)
    if card is None:
        title = CATALOGUE.say(language, "No event card has been drawn")
        return group(
            "card", title, shown, paragraph(left, y + 22, title, size=22, width=room, rows=3, fill=MUTED), note
        )
    effect = card_effect(card.kind, language)
    if card.direction:
        effect = ring_turned(card.ring, card.direction, card.steps, language)
    rows = 3 if height < 200 else 5
    return group(
        "card",
        CATALOGUE.say(language, "The last event card: {card}", card=card_words(card, language)),
        shown,
        text(left, y + 18, name := card_name(card.kind, language), size=fitting(name, 26, room), weight=700),
        paragraph(left, y + 54, effect[0].upper() + effect[1:], size=21, width=room, rows=rows),
        note,
    )


def _legend(middle: int, language: str) -> str:
    """The three circles of the icon die."""
    named: tuple[tuple[Complication, str], ...] = (
        ("black", CATALOGUE.say(language, "Death loop")),
        ("grey", CATALOGUE.say(language, "Swap")),
        ("white", CATALOGUE.say(language, "Roll again")),
    )
    size = 20
    while size > 12 and sum(width_of(name, size) for _, name in named) > WIDTH - 150:
        size -= 1
    # What is left over parts them evenly.
    gap = (WIDTH - 150 - sum(width_of(name, size) for _, name in named)) // 2
    parts, x = [], LEFT + 32
    for kind, name in named:
        parts.append(circle(x, middle, 11, INNER_FILL[kind], INK, 2) + text(x + 20, middle, name, size=size))
        x += 38 + width_of(name, size) + gap
    return group("legend", CATALOGUE.say(language, "The circles of the icon die"), *parts)
