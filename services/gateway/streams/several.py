"""Several matches on one connection: a browser has six to a house, and a page may show more boards than that.

Frames are those of the single streams, each with its match. The id is a cursor over all of them, ``a:12,b:7``: the
revision that the reader has of each match, so one header takes them all up again where they were.
"""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Final

from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Revision, clip
from services.gateway.streams.frames import Frame
from services.gateway.streams.place import Place

MATCHES_MAX: Final = 32
"""On one connection."""

QUIET: Final = ("heartbeat", "goodbye")
"""Frames that are about the connection: once, however many matches stand on it."""


def cursor_text(revisions: Mapping[str, Revision]) -> str:
    return ",".join(f"{match}:{revision}" for match, revision in revisions.items())


def cursor_of(text: str) -> dict[str, Revision]:
    """The inverse; raises ``Refusal`` (``bad_cursor``)."""
    cursor: dict[str, Revision] = {}
    for part in text.split(",") if text else ():
        match, _, revision = part.partition(":")
        if not (match and revision.isascii() and revision.isdigit() and len(revision) < 10):
            raise Refusal(
                "bad_cursor", f"A cursor is match:revision,match:revision; {clip(text)} is not.", Kind.INVALID
            )
        cursor[match] = int(revision)
    return cursor


async def follow_several(places: Sequence[Place], refused: Sequence[Frame]) -> AsyncGenerator[Frame, None]:
    """What one reader of several matches is told, until all are over; ``refused`` says of which nothing can be."""
    heard = asyncio.Event()
    for place in places:
        place.audience.listeners.add(heard.set)
    try:
        for each in refused:
            yield each
        for place in places:
            async for each in place.past():
                yield _marked(each, places)
        while not all(place.ended for place in places):
            heard.clear()
            silent = True
            quiet: dict[str, Frame] = {}
            for place in places:
                while not place.ended and (told := place.next()) is not None:
                    if told.event in QUIET:
                        quiet[told.event] = told
                        continue
                    silent = False
                    yield _marked(told, places)
            for each in quiet.values():
                yield each
            if "goodbye" in quiet:
                return
            if silent:
                await heard.wait()
    finally:
        for place in places:
            place.audience.listeners.discard(heard.set)


def _marked(told: Frame, places: Sequence[Place]) -> Frame:
    if not told.has_id:
        return told
    return told.under(told.event, cursor_text({each.audience.match: each.cursor for each in places}))
