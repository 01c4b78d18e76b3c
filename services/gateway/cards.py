"""What a link to a match shows elsewhere: a title, a sentence, a picture of 1200 by 630.

All of it comes from a position as a bystander may see it: the picture, and the words that it carries for those who
listen. So a card tells no more than the page does.
"""

import re
from collections.abc import Mapping
from html import escape, unescape
from typing import Final
from urllib.parse import urlencode

import msgspec

from engine.kernel.game import Svg
from engine.kernel.picture import PAPER, frame, rect
from services.gateway.drawings import size_of

WIDTH, HEIGHT = 1200, 630
"""What social networks ask for."""
MARGIN: Final = 20

EMBED_WIDTH: Final = 800
EMBED_BAR: Final = 56
"""Pixels below an embedded board, whatever its width."""

_TITLE: Final = re.compile(r"<title>([^<]*)</title>")
_DESCRIPTION: Final = re.compile(r"<desc>([^<]*)</desc>")


class Card(msgspec.Struct, frozen=True):
    """Plain text, and addresses that hold everywhere."""

    title: str
    about: str
    page: str
    image: str
    oembed: str


def card_of(svg: Svg, match: str, base: str, language: str, revision: int) -> Card:
    """``base`` is where the house is, without a slash at the end; ``revision`` 0 is the newest."""
    title, about = words_of(svg)
    turn = {"turn": str(revision)} if revision else {}
    asked = {"language": language} | ({"revision": str(revision)} if revision else {})
    page = f"{base}/m/{match}" + (f"?{urlencode(turn)}" if turn else "")
    return Card(
        title=title,
        about=about,
        page=page,
        image=f"{base}/api/matches/{match}/card.png?{urlencode(asked)}",
        oembed=f"{base}/api/oembed?{urlencode({'url': page, 'format': 'json'})}",
    )


def tags(card: Card) -> str:
    """The elements of a page's head."""
    meta = {
        "og:type": "website",
        "og:site_name": "Tavolata",
        "og:title": card.title,
        "og:description": card.about,
        "og:url": card.page,
        "og:image": card.image,
        "og:image:type": "image/png",
        "og:image:width": str(WIDTH),
        "og:image:height": str(HEIGHT),
        "og:image:alt": card.about,
    }
    lines = [_meta(meta)]
    lines.append('<meta name="twitter:card" content="summary_large_image">')
    kind = 'rel="alternate" type="application/json+oembed"'
    lines.append(f'<link {kind} href="{escape(card.oembed)}" title="{escape(card.title)}">')
    return "\n".join(lines)


def plain_tags(title: str, about: str) -> str:
    """Of a page that no picture stands for."""
    return _meta({"og:type": "website", "og:site_name": "Tavolata", "og:title": title, "og:description": about})


def _meta(properties: Mapping[str, str]) -> str:
    return "\n".join(f'<meta property="{name}" content="{escape(value)}">' for name, value in properties.items())


def words_of(svg: Svg) -> tuple[str, str]:
    """The title and the description that a picture carries."""
    title, about = _TITLE.search(svg), _DESCRIPTION.search(svg)
    return unescape(title[1]) if title else "", unescape(about[1]) if about else ""


def on_card(svg: Svg, language: str) -> Svg:
    """The board as large as there is room for, in the middle of the paper."""
    across, down = size_of(svg)
    room_x, room_y = WIDTH - 2 * MARGIN, HEIGHT - 2 * MARGIN
    width = min(room_x, room_y * across // down)
    height = width * down // across
    place = f'x="{(WIDTH - width) // 2}" y="{(HEIGHT - height) // 2}" width="{width}" height="{height}"'
    title, about = words_of(svg)
    board = svg.replace("<svg ", f"<svg {place} ", 1)
    return frame(WIDTH, HEIGHT, language, escape(title), escape(about), rect(0, 0, WIDTH, HEIGHT, 0, PAPER), board)


def embed_size(svg: Svg, width_max: int = 0, height_max: int = 0) -> tuple[int, int]:
    """Of a frame round an embedded board, at most so large; 0 is without a limit."""
    across, down = size_of(svg)
    width = min(EMBED_WIDTH, width_max or EMBED_WIDTH)
    if height_max:
        width = min(width, max(1, (height_max - EMBED_BAR) * across // down))
    return width, (width * down + across - 1) // across + EMBED_BAR
