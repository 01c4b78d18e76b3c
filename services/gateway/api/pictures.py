"""Boards as pictures. For link cards and pages that embed a match, only what a bystander may see."""

import re
from html import escape
from typing import Annotated, Any, Final, Literal
from urllib.parse import parse_qs, urlsplit

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from engine.kernel.game import Svg
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Spectator
from services.gateway import asking, cards
from services.gateway.answers import ASK_AGAIN, answer, is_held
from services.gateway.drawings import Drawings, name_of, width_for
from services.gateway.reach import (
    ID_PATTERN,
    LanguageQuery,
    MatchId,
    Reached,
    RevisionQuery,
    ViewerQuery,
    kept_by,
    looker_in,
)

router = APIRouter(prefix="/api", tags=["pictures"])

WIDTHS: Final = range(200, 2_001)

_PNG: Final[dict[int | str, dict[str, Any]]] = {
    200: {"content": {"image/png": {}}, "description": "The picture."},
    304: {"description": "It is as it was."},
    503: {"description": "It cannot be drawn just now."},
}
_PLACE: Final = re.compile(r"^/(?:m|embed/m)/([^/]+)(?:/seat/[0-9]{1,3})?$")


@router.get("/matches/{match}/board.png", responses=_PNG)
async def board_png(
    match: MatchId, request: Request, reach: Reached,
    viewer: ViewerQuery = "spectator", language: LanguageQuery = "en", revision: RevisionQuery = 0,
    width: Annotated[int, Query(ge=WIDTHS.start, le=WIDTHS.stop - 1, description="In pixels.")] = 1_000,
) -> Response:  # fmt: skip
    """The board at one revision as PNG. Very tall boards come smaller than asked."""
    looking = looker_in(viewer, match)
    if looking != Spectator():
        found = await reach.house.spectator.snapshot(match, looking, revision=revision, language=language)
        drawn = await _drawings(request).png(found.svg, width_for(found.svg, width))
        return Response(drawn, headers={"Cache-Control": kept_by(looking)}, media_type="image/png")
    svg = (await asking.board(reach, match, language, revision)).body.decode()
    return await _drawn(request, svg, width_for(svg, width))


@router.get("/matches/{match}/card.png", responses=_PNG)
async def card_png(
    match: MatchId, request: Request, reach: Reached, language: LanguageQuery = "en", revision: RevisionQuery = 0
) -> Response:
    """The board at one revision on a card of 1200 by 630, as link previews show it."""
    svg = (await asking.board(reach, match, language, revision)).body.decode()
    return await _drawn(request, cards.on_card(svg, language), cards.WIDTH)


@router.get("/oembed")
async def oembed(
    request: Request, reach: Reached,
    url: Annotated[str, Query(max_length=2_000, description="The address of a match here.")],
    maxwidth: Annotated[int, Query(ge=0, le=10_000)] = 0,
    maxheight: Annotated[int, Query(ge=0, le=10_000)] = 0,
    format: Literal["json"] = "json", language: LanguageQuery = "en",
) -> Response:  # fmt: skip
    """How to embed a match (oEmbed 1.0)."""
    match, revision = _asked_for(url)
    svg = (await asking.board(reach, match, language, revision)).body.decode()
    base = str(request.base_url).rstrip("/")
    card = cards.card_of(svg, match, base, language, revision)
    width, height = cards.embed_size(svg, maxwidth, maxheight)
    source = f"{base}/embed/m/{match}" + (f"?turn={revision}" if revision else "")
    frame = f'<iframe src="{escape(source)}" title="{escape(card.title)}" width="{width}" height="{height}"'
    return answer(request, {
        "type": "rich",
        "version": "1.0",
        "title": card.title,
        "provider_name": "Tavolata",
        "provider_url": f"{base}/",
        "cache_age": 60,
        "html": f'{frame} style="border:0"></iframe>',
        "width": width,
        "height": height,
        "thumbnail_url": card.image,
        "thumbnail_width": cards.WIDTH,
        "thumbnail_height": cards.HEIGHT,
    })  # fmt: skip


async def _drawn(request: Request, svg: Svg, width: int) -> Response:
    """A picture is known by what it is drawn from: who has it is told so, and nothing is drawn."""
    head = {"ETag": f'"{name_of(svg, width)}"', "Cache-Control": ASK_AGAIN}
    if is_held(request, head["ETag"]):
        return Response(status_code=304, headers=head)
    return Response(await _drawings(request).png(svg, width), headers=head, media_type="image/png")


def _drawings(request: Request) -> Drawings:
    drawings: Drawings = request.app.state.drawings
    return drawings


def _asked_for(url: str) -> tuple[str, int]:
    """Match and revision of an address. Raises ``Refusal`` (``unknown_match``)."""
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = urlsplit("")
    found = _PLACE.match(parts.path)
    if found is None or not re.match(ID_PATTERN, found[1]):
        raise Refusal("unknown_match", "That is not the address of a match here.", Kind.MISSING)
    turn = parse_qs(parts.query).get("turn", ["0"])[0]
    return found[1], int(turn) if re.match(r"^[0-9]{1,9}$", turn) else 0
