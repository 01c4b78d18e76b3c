"""A row of things that is never altered: setting one place gives a new row, and shares all but a page with the old.

A tournament of 10,000 entrants is folded from tens of thousands of events, each of which changes one place. A tuple
would be copied whole every time; here 64 places and the list of pages are.
"""

from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")

PAGE = 64
"""Places on a page; the list of pages of 10,000 things is then 157 long, as short to copy as two pages."""


class Row(Generic[T]):
    """Immutable; places count from 0. Two rows are equal if they hold equal things in the same order."""

    __slots__ = ("_length", "_pages")

    def __init__(self, things: Iterable[T] = ()) -> None:
        held = tuple(things)
        self._length = len(held)
        self._pages: tuple[tuple[T, ...], ...] = tuple(
            held[start : start + PAGE] for start in range(0, len(held), PAGE)
        )

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[T]:
        for page in self._pages:
            yield from page

    def __getitem__(self, place: int) -> T:
        if not 0 <= place < self._length:
            raise IndexError(place)
        return self._pages[place // PAGE][place % PAGE]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Row) and self._pages == other._pages

    def __hash__(self) -> int:
        return hash(self._pages)

    def __repr__(self) -> str:
        return f"Row({list(self)!r})"

    def set(self, place: int, thing: T) -> "Row[T]":
        """The row with another thing at a place. Raises ``IndexError``."""
        if not 0 <= place < self._length:
            raise IndexError(place)
        number, within = divmod(place, PAGE)
        page = self._pages[number]
        return _made((*page[:within], thing, *page[within + 1 :]), number, self._pages, self._length)

    def add(self, thing: T) -> "Row[T]":
        """The row with one more thing at its end."""
        number, within = divmod(self._length, PAGE)
        page = (*self._pages[number], thing) if within else (thing,)
        return _made(page, number, self._pages, self._length + 1)


def _made(page: tuple[T, ...], number: int, pages: tuple[tuple[T, ...], ...], length: int) -> Row[T]:
    row: Row[T] = object.__new__(Row)
    row._pages = (*pages[:number], page, *pages[number + 1 :])
    row._length = length
    return row
