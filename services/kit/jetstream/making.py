"""Making the log: every stream of a house, by the one user who may."""

from typing import Final

from services.kit.family import MATCHES, TOURNAMENTS
from services.kit.jetstream.beats import BEATS, BOOKMARKS
from services.kit.jetstream.credentials import STRANGER, Login
from services.kit.jetstream.log import JetStreamLog
from services.kit.jetstream.streams import Stream

PATIENCE_S: Final = 60.0
"""A cluster that is started together with this needs some seconds before it takes a stream."""


async def make_log(
    url: str, login: Login = STRANGER, *, partitions: int = 1, replicas: int = 1, patience_s: float = PATIENCE_S
) -> list[str]:
    """Make what is missing of it; the names of all its streams. What is there is checked and not altered.

    Raises as ``JetStreamLog.connect``.
    """
    families = (MATCHES, TOURNAMENTS)
    for family in families:
        async with await JetStreamLog.connect(
            url,
            login=login,
            family=family,
            partitions=partitions,
            create=True,
            replicas=replicas,
            patience_s=patience_s,
        ):
            pass
    return [*(Stream(family, number).name for family in families for number in range(partitions)), BEATS, BOOKMARKS]
