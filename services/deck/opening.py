"""What a match was opened with, from the first line that the log has of it."""

import msgspec

from engine.kernel.codec import Undecodable
from engine.kernel.commit import BadLine, decode_line
from engine.kernel.history import BrokenLog
from engine.kernel.official import EVENTS, MatchOpened
from engine.kernel.ports import Log


async def opening_of(log: Log, match: str) -> MatchOpened | None:
    """``None`` for a match that is not open. Raises ``BrokenLog``, ``Unavailable``."""
    first = await log.read(match, after=0, limit=1)
    if not first:
        return None
    try:
        opened = EVENTS.decode(decode_line(first[0].line).events[0])
    except (BadLine, Undecodable, IndexError, msgspec.MsgspecError) as error:
        raise BrokenLog(match, 1, str(error)) from error
    if not isinstance(opened, MatchOpened):
        raise BrokenLog(match, 1, "the first commit opens no match")
    return opened
