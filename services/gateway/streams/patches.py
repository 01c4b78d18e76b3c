"""What has changed from one picture to the next, as a few edits of its text.

A board is forty to two hundred kilobytes of SVG, and a move changes a percent of it. A patch is a list of edits, each
``[keep, drop, text]``: keep so many characters of the old picture, pass over so many, write the text; what remains is
kept. Putting it together is slicing, and gives the new picture byte for byte; ``js/lib/picture.js`` does the same.

The edits are found as patience does: tags that stand once in both texts, and in the same order, are anchors; between
two anchors the common ends are kept and the middle is replaced. That costs a sort and no search, so the worst picture
costs about what an ordinary one does.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from typing import Final, TypeAlias

Edit: TypeAlias = tuple[int, int, str]
"""Characters to keep, characters to pass over, what to write."""

WORTH: Final = 2
"""A patch is sent if it is at least so many times smaller than the picture."""

_PIECES: Final = re.compile(r"<[^<]*|^[^<]+")
"""A tag and the text behind it."""


def patch(before: str, after: str) -> tuple[Edit, ...] | None:
    """The edits from one text to the other; ``None`` where the whole text is as good."""
    if not (_is_plain(before) and _is_plain(after)):
        return None
    old, new = _PIECES.findall(before), _PIECES.findall(after)
    edits: list[Edit] = []
    kept = size = 0
    for old_start, old_end, new_start, new_end, keep in _gaps(old, new):
        dropped, written = old[old_start:old_end], new[new_start:new_end]
        if dropped or written:
            text = "".join(written)
            edits.append((kept, sum(map(len, dropped)), text))
            size += len(text)
            kept = 0
        kept += sum(map(len, keep))
        if size * WORTH > len(after):
            return None
    return tuple(edits)


def applied(before: str, edits: Sequence[Edit]) -> str:
    """The text after the edits."""
    parts: list[str] = []
    at = 0
    for keep, drop, text in edits:
        parts += (before[at : at + keep], text)
        at += keep + drop
    return "".join((*parts, before[at:]))


def _is_plain(text: str) -> bool:
    """Whether a browser counts its characters as we do: those of the other planes are two to it."""
    return text.isascii() or len(text.encode("utf-16-le")) == 2 * len(text)


def _gaps(old: list[str], new: list[str]) -> list[tuple[int, int, int, int, list[str]]]:
    """What is replaced by what (start and end in both), each with the pieces that follow it unchanged."""
    gaps: list[tuple[int, int, int, int, list[str]]] = []
    i = j = 0
    for anchor_i, anchor_j in ((0, 0), *_anchors(old, new), (len(old), len(new))):
        if anchor_i < i or anchor_j < j:
            continue  # within what has been found to be the same
        high_i, high_j = anchor_i, anchor_j
        while high_i > i and high_j > j and old[high_i - 1] == new[high_j - 1]:
            high_i, high_j = high_i - 1, high_j - 1
        low_i, low_j = anchor_i, anchor_j
        while low_i < len(old) and low_j < len(new) and old[low_i] == new[low_j]:
            low_i, low_j = low_i + 1, low_j + 1
        gaps.append((i, high_i, j, high_j, old[high_i:low_i]))
        i, j = low_i, low_j
    return gaps


def _anchors(old: list[str], new: list[str]) -> list[tuple[int, int]]:
    """The longest row of pieces that stand once in each, in the order of both."""
    in_old, in_new = Counter(old), Counter(new)
    places = {piece: place for place, piece in enumerate(old) if in_old[piece] == 1}
    pairs = [(places[piece], at) for at, piece in enumerate(new) if in_new[piece] == 1 and piece in places]
    return pairs if pairs == sorted(pairs) else _longest_row(pairs)


def _longest_row(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Of pairs in the order of the second, as many as are in the order of the first, too."""
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for index, (place, _) in enumerate(pairs):
        length = bisect_left(ends, place)
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1] = [place]
        last[length : length + 1] = [index]
    row: list[tuple[int, int]] = []
    index = last[-1] if last else -1
    while index >= 0:
        row.append(pairs[index])
        index = before[index]
    return row[::-1]
