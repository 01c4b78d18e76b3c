"""Single elimination with tables of several: stages, each smaller than the one before, down to one final table.

The best ``advance`` of every table go on; wildcards fill the next stage to a size that can be seated, as few as
possible, and the final to exactly its size. The whole ladder is laid out before it begins and stays: who drops later
leaves a place to be filled, and never a shorter ladder.
"""

from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Value
from engine.tournament.formats.pods import Sizes, seatable


class Stage(Value, frozen=True):
    """One stage of a ladder; the last is the final."""

    count: int
    """Who takes part."""
    sizes: tuple[int, ...]
    """Tables."""
    advance: int
    """Places of each table that go on; 0 in the final."""
    wildcards: int
    """Places of the next stage that are filled besides."""

    @property
    def next_count(self) -> int:
        """The size of the next stage; 0 after the final."""
        return len(self.sizes) * self.advance + self.wildcards


class SeededByes(Value, frozen=True):
    """The best ``byes`` go straight to the next stage; the others play at ``tables``, whose winners go on."""

    tables: int
    byes: int


def ladder(count: int, sizes: Sizes, advance: int, final: int) -> tuple[Stage, ...]:
    """The stages for ``count`` entrants, the final of ``final`` last.

    Raises ``Refusal``: ``bad_format`` for numbers below 1 or a field smaller than the final, ``ladder_impossible`` if
    a stage cannot be seated or would not be smaller than the one before.
    """
    if advance < 1 or not 1 <= final <= count:
        raise Refusal("bad_format", f"A final of {final} needs that many entrants, and some who advance.", Kind.INVALID)
    if seatable(final, sizes) != (final,):
        raise Refusal("ladder_impossible", f"{final} do not play at one table, so this is no final.")
    stages: list[Stage] = []
    while count != final:
        tables = seatable(count, sizes)
        if not tables:
            raise Refusal("ladder_impossible", f"{count} entrants cannot be seated at tables of these sizes.")
        survivors = len(tables) * advance
        after = final if survivors <= final else _next_count(survivors, count, sizes)
        if not after:
            raise Refusal(
                "ladder_impossible",
                f"With {advance} advancing from each of {len(tables)} tables, {count} do not become fewer.",
            )
        stages.append(Stage(count, tables, advance, after - survivors))
        count = after
    return (*stages, Stage(final, (final,), 0, 0))


def _next_count(survivors: int, count: int, sizes: Sizes) -> int:
    """The least size from ``survivors`` that can be seated and is below ``count``; 0 if there is none."""
    return next((after for after in range(survivors, count) if seatable(after, sizes)), 0)


def seeded_byes(cut: int, next_count: int, smallest: int, largest: int) -> SeededByes:
    """How ``cut`` entrants become ``next_count``: winners of tables of ``smallest`` to ``largest``, and few byes.

    t tables take ``cut`` - ``next_count`` + t and give t; the most tables that can be are taken. With full tables of g
    that is t = (cut - next) / (g - 1). Who are no more than the next stage holds have byes, all of them: a short field.
    Raises ``Refusal``: ``byes_do_not_fit`` if no number of tables does it, ``bad_format`` for impossible numbers.
    """
    if cut < 0 or next_count < 1 or not 2 <= smallest <= largest:
        raise Refusal("bad_format", "A stage has places, and a table at least two chairs.", Kind.INVALID)
    if cut <= next_count:
        return SeededByes(0, cut)
    for tables in range(next_count, 0, -1):
        if smallest * tables <= cut - next_count + tables <= largest * tables:
            return SeededByes(tables, next_count - tables)
    raise Refusal(
        "byes_do_not_fit",
        f"No number of byes, and of tables of {smallest} to {largest}, makes {next_count} of {cut} entrants.",
    )
