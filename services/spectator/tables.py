"""What the spectator service must remember: how far the public feed has come, and the matches that are complete."""

from sqlalchemy import BigInteger
from sqlmodel import Field, SQLModel

from services.kit.read_model import Behind


class FeedBehind(Behind, table=True):
    """Of the matches behind the curtain, how far the feed has told of them."""

    __tablename__ = "feed_behind"


class CompleteMatch(SQLModel, table=True):
    """A match to which nothing will be added: all its lines, compressed (``services/spectator/complete.py``)."""

    __tablename__ = "complete_match"
    match_id: str = Field(primary_key=True)
    epoch: str
    """Of the log that it was read from."""
    position: int = Field(sa_type=BigInteger)
    """Of its last line."""
    commits: int
    root: str
    """The hash of its last line, hex: with the chain it stands for all of them."""
    lines: bytes


TABLES: list[type[SQLModel]] = [FeedBehind, CompleteMatch]
