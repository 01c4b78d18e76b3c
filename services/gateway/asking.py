"""What many ask about events and matches, asked of the house once for all of them."""

from collections.abc import Awaitable, Callable, Hashable
from typing import Any

from engine.kernel.value import Revision, Spectator
from services.gateway.answers import Answer, made, made_json
from services.gateway.reach import Reach
from services.gateway.shared import LISTS, LONG_SECONDS, SHORT_SECONDS
from services.gateway.streams.positions import position_body

Find = Callable[[], Awaitable[Any]]


async def of_event(
    reach: Reach,
    event: str,
    what: tuple[Hashable, ...],
    find: Find,
    *,
    media_type: str = "application/json",
    seconds: float = LONG_SECONDS,
) -> Answer:
    """What ``find`` finds: bytes of ``media_type``, or what becomes a JSON document. ``what`` is all that it depends on
    beside the event, whose revision the noticeboard knows; nobody is answered as of before what they have been told.
    """
    reach.notices.begin()
    revision = reach.notices.revision(event)
    kept = seconds if reach.notices.there else SHORT_SECONDS
    return await _shared(reach, (event, *what), find, revision, media_type=media_type, seconds=kept)


async def of_events(reach: Reach, what: tuple[Hashable, ...], find: Find) -> Answer:
    """The same for what depends on several events, or on all."""
    reach.notices.begin()
    kept = LONG_SECONDS if reach.notices.there else SHORT_SECONDS
    return await _shared(reach, (LISTS, *what), find, reach.notices.change(), seconds=kept)


async def of_matches(reach: Reach, what: tuple[Hashable, ...], find: Find) -> Answer:
    """The same for what depends on several matches: they move on all the time."""
    return await _shared(reach, (LISTS, *what), find, None)


async def position(reach: Reach, match: str, language: str, revision: Revision = 0) -> Answer:
    """A match as a bystander may see it at one revision. 0 is the newest."""

    async def find() -> Any:
        found = await reach.house.spectator.snapshot(match, Spectator(), revision=revision, language=language)
        return position_body(found)

    return await _shared(reach, (match, "position", language, revision), find, _head(reach, match, language))


async def board(reach: Reach, match: str, language: str, revision: Revision = 0, *, seen: Revision = 0) -> Answer:
    """The picture of that position. ``seen`` is a revision that who asks has been told of: they are not shown what was
    asked for by somebody who had not.
    """

    async def find() -> Any:
        found = await reach.house.spectator.snapshot(match, Spectator(), revision=revision, language=language)
        return found.svg.encode()

    question = (match, "board", language, revision, seen)
    return await _shared(reach, question, find, _head(reach, match, language), media_type="image/svg+xml")


def _head(reach: Reach, match: str, language: str) -> Revision | None:
    return reach.hub.head(match, Spectator(), language)


async def _shared(
    reach: Reach,
    question: tuple[Hashable, ...],
    find: Find,
    as_of: Hashable,
    *,
    media_type: str = "application/json",
    seconds: float | None = None,
) -> Answer:
    async def found() -> Answer:
        body = await find()
        return await made(body, media_type) if isinstance(body, bytes) else await made_json(body)

    kept = SHORT_SECONDS if seconds is None else seconds
    return await reach.shared.ask(question, found, as_of=as_of, seconds=kept)
