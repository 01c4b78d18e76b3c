"""Duplicate: several tables of one group meet the same cards, so that what they make of them can be compared.

A member's id follows from its group and its number, so whoever knows one member can name them all without asking
anybody. The luck of all of them comes from ``Deal.id``. Its ``/`` cannot stand in a match id, and it says how many
tables there are: neither a match of that name nor a group of another size meets these cards.
"""

from engine.kernel.limits import DEAL_TABLES_MAX, ID_LENGTH_MAX
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Value, check_id, clip

MARK = "-t"
"""Between the group and the number of the table."""


class Deal(Value, frozen=True):
    """``tables`` matches, ``<group>-t1`` to ``<group>-t<tables>``, that meet the same luck."""

    group: str
    tables: int

    def __post_init__(self) -> None:
        if not 1 <= self.tables <= DEAL_TABLES_MAX:
            raise ValueError(f"a deal has 1 to {DEAL_TABLES_MAX} tables")
        try:
            check_id("deal group", self.group)
        except Refusal as refusal:
            raise ValueError(refusal.sentence) from refusal
        if len(self.match(self.tables)) > ID_LENGTH_MAX:
            raise ValueError(f"the ids of a deal's tables have at most {ID_LENGTH_MAX} characters")

    @property
    def id(self) -> str:
        """What the luck of all tables comes from: ``<group>/<tables>``."""
        return f"{self.group}/{self.tables}"

    def match(self, table: int) -> str:
        """The id of one table, counted from 1."""
        return f"{self.group}{MARK}{table}"

    def table(self, match_id: str) -> int:
        """Which table this match is. Raises ``Refusal`` (``not_of_deal``) for an id that is none of the group's."""
        digits = match_id.removeprefix(f"{self.group}{MARK}")
        number = int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= ID_LENGTH_MAX else 0
        if not 1 <= number <= self.tables or self.match(number) != match_id:
            raise Refusal(
                "not_of_deal",
                f"The tables of this deal are {self.match(1)} to {self.match(self.tables)}; {clip(match_id, 64)} is "
                "none of them.",
                Kind.INVALID,
            )
        return number


def deal_of(group: str, tables: int) -> Deal:
    """The deal of a group as a caller names it. Raises ``Refusal`` (``bad_deal``)."""
    try:
        return Deal(group, tables)
    except ValueError as error:
        sentence = str(error).removesuffix(".")
        raise Refusal("bad_deal", f"{sentence[:1].upper()}{sentence[1:]}.", Kind.INVALID) from error


def deal_named(text: str) -> Deal:
    """The inverse of ``Deal.id``. Raises ``Refusal`` (``bad_deal``) for any other form."""
    group, _, digits = text.rpartition("/")
    tables = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 6 else 0
    deal = deal_of(group, tables)
    if deal.id != text:
        raise Refusal("bad_deal", "A deal is named group/tables, the number without leading zeros.", Kind.INVALID)
    return deal
