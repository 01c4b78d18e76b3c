"""The read model. Change its shape or meaning, and ``VERSION`` goes up: it is then folded again from the log."""

from typing import Any

from sqlalchemy import JSON, Column, Index
from sqlmodel import Field, SQLModel

from services.kit.database import ByteText
from services.kit.read_model import Behind

VERSION = 1


class MatchRow(SQLModel, table=True):
    """One match as of ``revision``."""

    __tablename__ = "match"
    __table_args__ = (Index("match_newest", "opened_at", "match_id"),)
    match_id: str = Field(primary_key=True, sa_type=ByteText)
    game: str = Field(index=True)
    ended: bool = Field(index=True)
    revision: int
    opened_at: str = Field(sa_type=ByteText)
    changed_at: str
    reason: str


class SeatRow(SQLModel, table=True):
    """One seat of a match. ``rank`` is 0 until the match has ended; the breakdown is the game's own."""

    __tablename__ = "seat"
    match_id: str = Field(primary_key=True)
    seat: int = Field(primary_key=True)
    player: str = Field(index=True)
    total: int
    rank: int
    left: bool
    lines: list[dict[str, Any]] = Field(sa_column=Column(JSON, nullable=False))
    objectives: list[dict[str, Any]] = Field(sa_column=Column(JSON, nullable=False))


class ScoringBehind(Behind, table=True):
    """Of the matches behind the curtain, how far they have been counted."""

    __tablename__ = "scoring_behind"


TABLES: list[type[SQLModel]] = [MatchRow, SeatRow, ScoringBehind]
