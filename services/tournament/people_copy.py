"""The table of persons as lines of JSON, for what no log can rebuild: from any database into any other.

One line a person, every column by its name. It is read in one transaction, so it is the table as it was at one moment,
and it does not matter which database that is; a file of one kind of database would only go back into that kind.

A copy remembers who was erased after it was made. Whoever restores it erases them again.
"""

from collections.abc import Sequence
from typing import Final

import msgspec
from sqlalchemy import func, insert
from sqlmodel import Session, col, select

from engine.kernel.refusal import Kind, Refusal
from services.kit.database import table_of
from services.tournament.people import People, PersonRow

ROWS_AT_ONCE: Final = 500
"""A database takes only so many parameters in one statement."""

COLUMNS: Final = frozenset(table_of(PersonRow).columns.keys())


async def dump(people: People) -> list[bytes]:
    """A line a person, by id. Raises ``Unavailable``."""

    def work(session: Session) -> list[bytes]:
        rows = session.exec(select(PersonRow).order_by(col(PersonRow.player)))
        return [msgspec.json.encode(row.model_dump()) for row in rows]

    return await people.run(work)


async def check_room(people: People, lines: Sequence[bytes]) -> None:
    """Nobody is there yet, or the very same people. Raises ``Refusal`` (``people_exist``, ``backup_damaged``)."""
    _rows(lines)
    there = await dump(people)
    if there and there != list(lines):
        raise Refusal(
            "people_exist", f"The database holds {len(there)} people already; restore into an empty one.", Kind.EXISTS
        )


async def load(people: People, lines: Sequence[bytes]) -> None:
    """All of them, or none. A repeat is harmless. Raises as ``check_room`` does, and ``Unavailable``."""
    await check_room(people, lines)
    rows = _rows(lines)

    def work(session: Session) -> None:
        if session.scalar(select(func.count()).select_from(PersonRow)):
            return
        for start in range(0, len(rows), ROWS_AT_ONCE):
            session.execute(insert(PersonRow), rows[start : start + ROWS_AT_ONCE])

    await people.run(work)


def _rows(lines: Sequence[bytes]) -> list[dict[str, object]]:
    """Raises ``Refusal`` for what is not written by ``dump``; its words hold nothing of a line."""
    try:
        rows = msgspec.json.decode(b"[" + b",".join(lines) + b"]", type=list[dict[str, object]])
    except msgspec.MsgspecError as error:
        raise Refusal("backup_damaged", "The list of people in the backup is damaged.", Kind.INVALID) from error
    if any(row.keys() != COLUMNS for row in rows):
        raise Refusal("backup_damaged", "The list of people in the backup has other columns.", Kind.INVALID)
    return rows
