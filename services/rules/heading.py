"""What a pass over the whole log needs of each line: much less than a commit, and much sooner read."""

import msgspec
import structlog

from engine.kernel.official import RevealSeed
from engine.kernel.ports import Stored
from engine.kernel.value import Revision

logger = structlog.get_logger()


class _Command(msgspec.Struct, frozen=True):
    type: str


class Heading(msgspec.Struct, frozen=True):
    """What the pass over the log needs of a line."""

    match: str
    revision: Revision
    command: _Command

    @property
    def closes(self) -> bool:
        return self.command.type == RevealSeed.name


_headings = msgspec.json.Decoder(Heading)


def heading_of(stored: Stored) -> Heading | None:
    """``None`` for a line that is no commit: whoever reads its match is told, and the others go on."""
    try:
        return _headings.decode(stored.line)
    except (msgspec.MsgspecError, ValueError):
        logger.error("bad_line", position=stored.position)
        return None
