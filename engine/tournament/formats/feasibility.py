"""What to say before an event starts: that a plan cannot come true, or that nothing guarantees it.

A concern forbids nothing. Who starts all the same gets what can be had: repeats where they must be, never a round that
is missing.
"""

from collections.abc import Sequence

from engine.kernel.refusal import Refusal
from engine.kernel.value import Value
from engine.tournament.formats.elimination import ladder
from engine.tournament.formats.groups import round_robin
from engine.tournament.formats.pods import Sizes, snake


class Concern(Value, frozen=True):
    """``code`` for programs, and one sentence for whoever plans the event."""

    code: str
    sentence: str


def concerns_of_tables(count: int, sizes: Sizes) -> tuple[Concern, ...]:
    """``not_seatable``: so many do not divide into tables."""
    try:
        sizes(count)
    except Refusal as refusal:
        return (Concern("not_seatable", refusal.sentence),)
    return ()


def concerns_of_rounds(count: int, tables: Sequence[int], rounds: int) -> tuple[Concern, ...]:
    """``repeats_certain``: there are more meetings than pairs. ``repeats_possible``: no theorem says that the results
    leave a round without a repeat (they do leave one while ``repeat_free_rounds`` lasts).
    """
    repeats = repeats_at_least(count, tables, rounds)
    if repeats:
        sentence = f"In {rounds} rounds {count} entrants repeat at least {repeats} meetings: there are not more pairs."
        return (Concern("repeats_certain", sentence),)
    free = repeat_free_rounds(tables)
    if rounds > free:
        sentence = f"From round {free + 1} on results can force a repeat; a plan made before round 1 may have none."
        return (Concern("repeats_possible", sentence),)
    return ()


def concerns_of_cut(count: int, size: int) -> tuple[Concern, ...]:
    """``cut_too_large``: fewer entrants than places."""
    if size <= count:
        return ()
    return (Concern("cut_too_large", f"The cut takes {size}, and the field has {count}."),)


def concerns_of_groups(count: int, groups: int, size: int) -> tuple[Concern, ...]:
    """``no_such_groups``: a group would be empty. ``not_exactly_once``: in a group of so many not everybody can meet
    everybody exactly once at tables of ``size``, or no plan for it is built in; they meet as equally often as can be.
    """
    found = []
    try:
        groups_of = sorted({len(group) for group in snake(range(1, count + 1), groups)})
    except Refusal as refusal:
        return (Concern("no_such_groups", refusal.sentence),)
    for group in groups_of:
        try:
            round_robin(group, size)
        except Refusal as refusal:
            found.append(Concern("not_exactly_once", f"{refusal.sentence} They meet as equally often as can be."))
    return tuple(found)


def concerns_of_ladder(count: int, sizes: Sizes, advance: int, final: int) -> tuple[Concern, ...]:
    """``ladder_impossible``: the stages do not lead to the final."""
    try:
        ladder(count, sizes, advance, final)
    except Refusal as refusal:
        return (Concern("ladder_impossible", refusal.sentence),)
    return ()


def repeats_at_least(count: int, tables: Sequence[int], rounds: int) -> int:
    """Meetings of ``rounds`` rounds less the pairs there are: no draw has fewer repeats."""
    return max(0, rounds * sum(size * (size - 1) // 2 for size in tables) - count * (count - 1) // 2)


def repeat_free_rounds(tables: Sequence[int]) -> int:
    """How many rounds can always be drawn without a repeat, whatever the earlier ones were.

    After r rounds nobody has met more than r · (g - 1) others; by the theorem of Hajnal and Szemerédi the field divides
    into T pods of strangers while that is below T. So 8 players in pairs have 4 such rounds, and not 7.
    """
    return (len(tables) - 1) // (max(tables) - 1) + 1
