"""Names in the order in which people look for them on a wall.

An accent is no letter of its own, upper and lower case are one, and a number in a name counts as a number. Letters
that Unicode does not take apart stand with the ones they look like. No language has exactly this order; a list that
people of several read has to have one.
"""

import re
import unicodedata
from typing import Final, TypeAlias

SortKey: TypeAlias = tuple[tuple[tuple[bool, int, str], ...], str]

UNDIVIDED: Final = str.maketrans(
    {
        "æ": "ae",
        "œ": "oe",
        "ø": "o",
        "ł": "l",
        "đ": "d",
        "ð": "d",
        "þ": "th",
        "ħ": "h",
        "ı": "i",
        "ŋ": "n",
        "ŧ": "t",
    }
)
"""Lower-case letters without a decomposition; ``casefold`` has made ``ss`` of ß before."""


def alphabetical(name: str) -> SortKey:
    """What to sort by. ``Łukasz`` comes between Ludwig and Lynn, ``bot 2`` before ``Bot 10``; names that differ in
    accents and case alone have an order, too.
    """
    letters = unicodedata.normalize("NFKD", name.casefold()).translate(UNDIVIDED)
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    parts = re.split(r"([0-9]{1,9})", plain)
    return tuple((part.isascii() and part.isdigit(), _number(part), part) for part in parts), name


def _number(part: str) -> int:
    return int(part) if part.isascii() and part.isdigit() else 0
