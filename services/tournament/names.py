"""Names as people see and type them: what a search takes for the same, and what a bot is called."""

import unicodedata
from typing import Final

from engine.kernel.limits import PLAYER_LENGTH_MAX
from engine.tournament.people import BOT

STROKES: Final = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th"}
)
"""Letters that are no letter and an accent, and that a plain keyboard writes so."""


def folded(text: str) -> str:
    """What spellings have in common, whatever case, accents, width and spaces: ``Łukasz  ÖRN`` → ``lukasz orn``."""
    plain = " ".join(text.split()).casefold()
    if plain.isascii():
        return plain
    parts = unicodedata.normalize("NFKD", plain)
    return "".join(part for part in parts if not unicodedata.combining(part)).casefold().translate(STROKES)


def nearness(name: str, wanted: str) -> int | None:
    """0 if a folded name begins so, 1 if one of its words does, 2 if it is inside; ``None`` if it is not there."""
    if name.startswith(wanted):
        return 0
    if f" {wanted}" in name or f"-{wanted}" in name:
        return 1
    return 2 if wanted in name else None


def bot_name(player: str) -> str:
    """``bot:greedy:3`` → ``Bot 3 (greedy)``, ``bot:greedy`` → ``Bot (greedy)``; empty for who is no bot."""
    if not player.startswith(BOT) or len(player) > PLAYER_LENGTH_MAX:
        return ""
    level, _, number = player.removeprefix(BOT).partition(":")
    return f"Bot {number} ({level})" if number else f"Bot ({level})"
