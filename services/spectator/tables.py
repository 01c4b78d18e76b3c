"""What the public feed must remember beside its position."""

from sqlmodel import SQLModel

from services.kit.read_model import Behind


class FeedBehind(Behind, table=True):
    """Of the matches behind the curtain, how far the feed has told of them."""

    __tablename__ = "feed_behind"


TABLES: list[type[SQLModel]] = [FeedBehind]
