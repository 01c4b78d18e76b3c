"""A session of a browser: a token, kept where no script can read it, and where it leads to."""

import time
from datetime import UTC, datetime
from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from engine.kernel.ports import Unavailable
from engine.kernel.refusal import Kind, Refusal
from services.gateway.answers import done
from services.gateway.openapi import Errors, failing, ok
from services.gateway.origins import FOREIGN_PAGE
from services.gateway.reach import Key
from services.gateway.visitors import COOKIE, SECURE_COOKIE, cookie_name
from services.kit.access.caller import Caller, caller
from services.kit.access.grants import (
    ALL,
    CasterGrant,
    Grant,
    OrganiserGrant,
    PlayerGrant,
    RefereeGrant,
    SeatGrant,
    kind_of,
)
from services.kit.access.tokens import TOKEN_BYTES_MAX, Token

router = APIRouter(prefix="/api/session", tags=["session"], default_response_class=Response)


class SignIn(BaseModel, extra="forbid"):
    """A token."""

    token: str = Field(max_length=TOKEN_BYTES_MAX, min_length=1)


class Session(BaseModel):
    """Who one is here."""

    asks: bool
    """Whether this house asks who one is; in an open house everybody may everything."""
    kind: str
    """seat, player, organiser, referee, caster or service; empty for nobody."""
    match: str
    seat: int | None
    player: str
    event: str
    """The event that it is for; * for all."""
    expires_at: str
    """When one has to sign in again; empty for nobody."""
    goes_to: str
    """The page where one goes from here."""


@router.post("", responses={200: ok(Session), **failing(Errors.COMMAND)})
async def sign_in(asked: SignIn, key: Key, request: Request) -> Response:
    """Keeps a token in a cookie, so that the pages are asked for by who it speaks for. A repeat is harmless.

    For our own pages: another site's, also one that may act here, makes nobody somebody else on ours.
    """
    trust = request.app.state.access.trust
    if trust is None:
        raise Refusal("open_house", "This house asks nobody who they are, so there is nothing to sign in to.")
    if request.scope.get("is_foreign"):
        raise Refusal("foreign_page", FOREIGN_PAGE, Kind.DENIED)
    visitor = Caller(asked.token.strip(), trust)
    visitor.grant()
    assert visitor.token is not None
    response = done(_session(visitor.token), replayed=False)
    response.set_cookie(
        cookie_name(request.scope),
        asked.token.strip(),
        max_age=max(1, visitor.token.expires_at - int(time.time())),
        path="/",
        secure=request.scope["scheme"] == "https",
        httponly=True,
        samesite="strict",
    )
    return response


@router.get("", responses={200: ok(Session), **failing(Errors.LOOK)})
async def session() -> Response:
    """Says who one is here. One whose token counts no more is nobody."""
    return done(session_now(), replayed=False)


@router.delete("", responses={200: ok(Session), **failing(Errors.COMMAND)})
async def sign_out() -> Response:
    """Forgets who one is."""
    response = done(_session(None), replayed=False)
    response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
    response.delete_cookie(SECURE_COOKIE, path="/", secure=True, httponly=True, samesite="strict")
    return response


def session_now() -> dict[str, Any]:
    """Of whoever asks just now."""
    try:
        if not caller().is_open:
            caller().grant()
    except (Refusal, Unavailable):
        return _session(None)
    return _session(caller().token)


def _session(token: Token | None) -> dict[str, Any]:
    said: dict[str, Any] = {
        "asks": not caller().is_open,
        "kind": "",
        "match": "",
        "seat": None,
        "player": "",
        "event": "",
        "expires_at": "",
        "goes_to": "/",
    }
    if token is None:
        return said
    until = datetime.fromtimestamp(token.expires_at, UTC).isoformat().replace("+00:00", "Z")
    return (
        said | {"kind": kind_of(token.grant), "expires_at": until, "goes_to": goes_to(token.grant)} | _of(token.grant)
    )


def _of(grant: Grant) -> dict[str, Any]:
    match grant:
        case SeatGrant(match, seat):
            return {"match": match, "seat": seat}
        case PlayerGrant(player, event):
            return {"player": player, "event": event}
        case OrganiserGrant(event):
            return {"event": event}
        case RefereeGrant(event, match) | CasterGrant(event, match):
            return {"event": event, "match": match}
        case _:
            return {}


def goes_to(grant: Grant) -> str:
    """The page that a token is for."""
    match grant:
        case SeatGrant(match, seat):
            return f"/m/{match}/seat/{seat}"
        case OrganiserGrant(event):
            return "/organise" if event == ALL else f"/organise/{event}"
        case RefereeGrant(event, match) | CasterGrant(event, match):
            return f"/m/{match}" if match else "/" if event == ALL else f"/t/{event}"
        case PlayerGrant(_, event) if event != ALL:
            return f"/t/{event}"
        case _:
            return "/"
