"""A row of things that is never altered: setting one place gives a new row, and shares all but a page with the old.

A tournament of 10,000 entrants is folded from tens of thousands of events, each of which changes one place. A tuple
would be copied whole every time; here 64 places and the list of pages are.
"""

from collections.abc import Iterable, Iterator, Mapping
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
        page = list(self._pages[number])
        page[within] = thing
        return _made((*self._pages[:number], tuple(page), *self._pages[number + 1 :]), self._length)

    def put(self, things: Mapping[int, T]) -> "Row[T]":
        """The row with other things at some places, page by page. Raises ``IndexError``."""
        pages: dict[int, list[T]] = {}
        for place, thing in things.items():
            if not 0 <= place < self._length:
                raise IndexError(place)
            number, within = divmod(place, PAGE)
            page = pages.get(number)
            if page is None:
                page = pages[number] = list(self._pages[number])
            page[within] = thing
        changed = [tuple(pages[number]) if number in pages else page for number, page in enumerate(self._pages)]
        return _made(tuple(changed), self._length)

    def add(self, *things: T) -> "Row[T]":
        """The row with more things at its end."""
        full = self._length // PAGE
        held = [*(self._pages[full] if self._length % PAGE else ()), *things]
        more = [tuple(held[start : start + PAGE]) for start in range(0, len(held), PAGE)]
        return _made((*self._pages[:full], *more), self._length + len(things))


def _made(pages: tuple[tuple[T, ...], ...], length: int) -> Row[T]:
    row: Row[T] = object.__new__(Row)
    row._pages = pages
    row._length = length
    return row
