"""The pages: one frame of HTML for all of them, filled by the module of each.

The frame carries what a page needs to begin: which page it is and of what, the sentences of its language, the games of
this house. What can be said without a script is said: the title, the description, and what a link card shows.
"""

import asyncio
import re
from collections.abc import Mapping
from functools import lru_cache
from html import escape
from http import HTTPStatus
from typing import Annotated, Any, Final, TypeAlias

import msgspec
from fastapi import APIRouter, Path, Query, Request
from starlette.responses import HTMLResponse, Response

from engine.games import all_games
from engine.kernel.catalogue import LANGUAGES
from engine.kernel.limits import SEATS_MAX
from engine.kernel.ports import Failed, Unavailable
from engine.kernel.refusal import Kind, Refusal
from services.gateway import asking
from services.gateway.answers import FOR_EVER, FOR_ONE, Answer, tagged, told
from services.gateway.api.games import levels_of
from services.gateway.api.session import session_now
from services.gateway.assets import WEB, Assets
from services.gateway.cards import Card, card_of, plain_tags, tags
from services.gateway.problems import STATUS, problem
from services.gateway.reach import EventId, MatchId, Reach, Reached

router = APIRouter(include_in_schema=False)

LANGUAGE_COOKIE: Final = "language"
THEME_COOKIE: Final = "theme"
CATALOGUES: Final = {
    "home": ("home",),
    "tournament": ("tournament",),
    "match": ("match",),
    "play": ("match", "play"),
    "embed": ("match",),
    "organise": ("tournament", "organise"),
    "verify": ("verify",),
    "enter": ("enter",),
    "nowhere": (),
}
"""Which sentences a page speaks, beside those that all share."""

STYLES: Final = {"play": ("match",)}
"""What a page looks like, beside what all share and what it has of its own."""

Turn: TypeAlias = Annotated[str, Query(max_length=64)]
"""The revision that a link is to; the page shows the newest where it is none."""

CARD_SECONDS: Final = 2.0
"""A page waits no longer for its card: it can say by itself that the house does not answer."""

SeatNumber: TypeAlias = Annotated[int, Path(ge=0, lt=SEATS_MAX)]

TURN: Final = re.compile(r"^[0-9]{1,9}$")

THEMES: Final = ("auto", "light", "dark")


@router.get("/")
async def home(request: Request) -> Response:
    return _page(request, "home")


@router.get("/t/{event}")
async def tournament(event: EventId, request: Request, reach: Reached) -> Response:
    return await _event_page(request, reach, "tournament", event)


@router.get("/m/{match}")
async def match(match: MatchId, request: Request, reach: Reached, turn: Turn = "") -> Response:
    return await _match_page(request, reach, "match", turn, match=match)


@router.get("/m/{match}/seat/{seat}")
async def play(match: MatchId, seat: SeatNumber, request: Request, reach: Reached, turn: Turn = "") -> Response:
    """Its card shows what a bystander sees, too: a link is read by more than the one who plays."""
    return await _match_page(request, reach, "play", turn, match=match, seat=seat)


@router.get("/embed/m/{match}")
async def embed(match: MatchId, request: Request, reach: Reached, turn: Turn = "") -> Response:
    return await _match_page(request, reach, "embed", turn, match=match)


@router.get("/organise")
async def organise(request: Request) -> Response:
    return _page(request, "organise")


@router.get("/organise/{event}")
async def organise_event(event: EventId, request: Request, reach: Reached) -> Response:
    return await _event_page(request, reach, "organise", event)


@router.get("/verify")
async def verify(request: Request) -> Response:
    return _page(request, "verify")


@router.get("/enter")
async def enter(request: Request) -> Response:
    """Where a link with a token leads; what stands behind # comes to no server."""
    return _page(request, "enter")


@router.get("/assets/{version}/{path:path}")
async def asset(version: str, path: str, request: Request) -> Response:
    """An older version is gone, and a page that still asks for it is loaded anew."""
    assets: Assets = request.app.state.assets
    found = assets.files.get(path) if version == assets.version else None
    if found is None:
        return problem(404, "no_such_page", "There is no such file; load the page again.")
    return told(request, found, cache=FOR_EVER)


@router.get("/livez")
@router.get("/readyz")
async def healthy() -> Response:
    return Response(b"ok\n", headers={"Cache-Control": "no-store"}, media_type="text/plain")


def nowhere(request: Request, status: int) -> Response | None:
    """What somebody is shown who browses to an address of no page; None for whoever does not browse."""
    browses = request.method == "GET" and "text/html" in request.headers.get("accept", "")
    if not browses or request.url.path.startswith(("/api/", "/assets/")):
        return None
    return _page(request, "nowhere", status=status)


def language_of(request: Request) -> str:
    """As asked in the address, else as chosen before, else the first that the browser speaks and the house, too."""
    accepted = [
        each.split(";")[0].split("-")[0].strip() for each in request.headers.get("accept-language", "").split(",")
    ]
    wanted = [request.query_params.get("lang", ""), request.cookies.get(LANGUAGE_COOKIE, ""), *accepted]
    return next((each for each in wanted if each in LANGUAGES), LANGUAGES[0])


async def _match_page(request: Request, reach: Reach, name: str, turn: str, *, match: str, **of: Any) -> Response:
    """A page with the card of its match; where there is none, a page that will say so, and its status."""
    language = language_of(request)
    revision = int(turn) if TURN.match(turn) else 0
    try:
        async with asyncio.timeout(CARD_SECONDS):
            shown, revision = await _to_preview(reach, match, revision, language)
    except Refusal as refusal:
        return _page(request, name, status=int(STATUS[refusal.kind]), match=match, **of)
    except (Unavailable, Failed, TimeoutError):
        return _page(request, name, match=match, **of)
    card = card_of(shown.body.decode(), match, str(request.base_url).rstrip("/"), language, revision)
    return _page(request, name, card=card, match=match, **of)


async def _to_preview(reach: Reach, match: str, revision: int, language: str) -> tuple[Answer, int]:
    """What a card shows, and the revision that it names. Raises ``Refusal``, ``Unavailable`` or ``Failed``."""
    try:
        return await asking.board(reach, match, language, revision), revision
    except Refusal as refusal:
        if not revision or refusal.kind == Kind.MISSING:
            raise
        # Of a past that is closed, or is yet to come, the card shows the present.
        return await asking.board(reach, match, language), 0


async def _event_page(request: Request, reach: Reach, name: str, event: str) -> Response:
    """A page that a link calls by the name of its event; where there is none, a page that will say so."""
    try:
        await reach.notices.opened(event)
    except Refusal as refusal:
        return _page(request, name, status=int(STATUS[refusal.kind]), event=event)
    except (Unavailable, Failed):
        return _page(request, name, event=event)
    return _page(request, name, title=reach.notices.name(event), event=event)


def _page(
    request: Request, name: str, *, card: Card | None = None, title: str = "", status: int = 200, **of: object
) -> Response:
    assets: Assets = request.app.state.assets
    language = language_of(request)
    words = catalogue(language, name)
    theme = request.cookies.get(THEME_COOKIE, THEMES[0])
    boot = {
        "page": name,
        "of": of,
        "language": language,
        "languages": LANGUAGES,
        "words": words,
        "games": _games(),
        "session": session_now(),
    }
    title = card.title if card else title or words.get(f"title.{name}", "Tavolata")
    about = card.about if card else words.get("about", "")
    body = _frame().format(
        language=language,
        theme=theme if theme in THEMES else THEMES[0],
        title=escape(f"{title} · Tavolata" if name != "home" else "Tavolata"),
        about=escape(about),
        card=tags(card) if card else plain_tags(title, about),
        styles="\n".join(f'<link rel="stylesheet" href="{assets.url(path)}">' for path in _styles(assets, name)),
        icon=assets.url("img/icon.svg"),
        import_map=assets.import_map,
        preload="\n".join(f'<link rel="modulepreload" href="{assets.url(path)}">' for path in _modules(assets)),
        script=assets.url(f"js/pages/{name}.js"),
        boot=_inert(boot),
        skip=escape(words.get("skip", "")),
        no_script=escape(words.get("no_script", "")),
    )
    vary = {"Vary": "Accept-Language, Cookie"}
    if status == HTTPStatus.OK:
        return tagged(request, body.encode(), "text/html; charset=utf-8", headers=vary)
    return HTMLResponse(body, status, headers={"Cache-Control": FOR_ONE} | vary)


def _styles(assets: Assets, name: str) -> list[str]:
    sheets = ("base", "parts", *STYLES.get(name, ()), name)
    return [path for sheet in sheets if (path := f"css/{sheet}.css") in assets.files]


def _modules(assets: Assets) -> list[str]:
    return [path for path in assets.files if path.startswith(("lib/", "js/lib/"))]


@lru_cache
def _frame() -> str:
    return (WEB / "frame.html").read_text("utf-8")


@lru_cache
def catalogue(language: str, page: str) -> Mapping[str, str]:
    """The sentences that all pages share and those of one; what a language lacks stands in English."""
    return {
        key: sentence
        for spoken in (LANGUAGES[0], language)
        for part in ("common", *CATALOGUES[page])
        for key, sentence in _sentences(spoken, part).items()
    }


def _sentences(language: str, part: str) -> dict[str, str]:
    sentences: dict[str, str] = msgspec.json.decode((WEB / "locale" / language / f"{part}.json").read_bytes())
    return sentences


@lru_cache
def _games() -> list[dict[str, Any]]:
    return [
        {"key": game.key, "title": game.title, "seats": [game.seats.start, game.seats.stop - 1],
         "levels": levels_of(game)}
        for _, game in sorted(all_games().items())
    ]  # fmt: skip


def _inert(value: object) -> str:
    """JSON that cannot end the element it stands in."""
    return msgspec.json.encode(value).decode().replace("<", "\\u003c")
