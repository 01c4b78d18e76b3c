"""The web application: the API, the pages, and what holds for every answer."""

from collections.abc import Collection
from typing import Final

import msgspec
from fastapi import FastAPI
from fastapi.telemetry import TelemetryConfig

from services.gateway import openapi, pages, paper, problems
from services.gateway.api import (
    commands,
    lobby,
    matches,
    organise,
    pictures,
    players,
    session,
    stream,
    tournaments,
    verify,
)
from services.gateway.assets import Assets
from services.gateway.door import Bodies, Door
from services.gateway.drawings import Drawings
from services.gateway.headers import SecureHeaders
from services.gateway.limits import Limits
from services.gateway.origins import OwnPagesOnly
from services.gateway.proxies import BehindProxies, Network
from services.gateway.reach import Reach
from services.gateway.streams.responder import OpenAnswers
from services.gateway.tracing import TracedRequests
from services.gateway.visitors import Visitors
from services.kit.access.trust import Trust
from services.kit.tracing import is_tracing

NOT_ITS_OWN: Final[TelemetryConfig] = {"tracing": False, "metrics": False, "logs": False, "auto_configure": False}
"""FastAPI could tell of requests by itself, in addresses and words that hold ids; what leaves here is ours to say."""

ABOUT = "Tables to watch, to replay and to play at; events to follow and to run."


class Access(msgspec.Struct, frozen=True):
    """Who may come: whose tokens count, which sites' pages may ask, what stands before the gateway."""

    trust: Trust | None = None
    origins: tuple[str, ...] = ()
    proxies: tuple[Network, ...] = ()


OPEN = Access()
"""Anybody, from our own pages and by programs."""


def web_app(reach: Reach, assets: Assets, hosts: Collection[str] | None = None, access: Access = OPEN) -> FastAPI:
    """``hosts`` are the names that the house goes by beside those of loopback; ``None`` if it goes by any."""
    app = FastAPI(title="Tavolata", version="1", summary=ABOUT, openapi_url="/api/openapi.json",
                  docs_url=None, redoc_url=None, telemetry=NOT_ITS_OWN,
                  generate_unique_id_function=lambda route: route.name)  # fmt: skip
    app.state.reach = reach
    app.state.access = access
    app.state.assets = assets
    app.state.answers = OpenAnswers()
    app.state.bodies = Bodies()
    app.state.drawings = Drawings()
    app.state.checks = verify.Checks()
    problems.add_to(app, pages.nowhere)
    app.include_router(tournaments.ratings_router)
    for part in (
        lobby,
        matches,
        commands,
        stream,
        pictures,
        players,
        session,
        tournaments,
        organise,
        verify,
        paper,
        pages,
    ):
        app.include_router(part.router)
    if is_tracing():
        app.add_middleware(TracedRequests)
    app.add_middleware(Visitors, trust=access.trust)
    app.add_middleware(OwnPagesOnly, hosts=hosts, origins=access.origins)
    app.add_middleware(Limits)
    app.add_middleware(Door, bodies=app.state.bodies)
    app.add_middleware(SecureHeaders, policy=assets.policy)  # what is refused at the door has them, too
    app.add_middleware(BehindProxies, proxies=access.proxies)  # outermost: the others go by what it finds
    openapi.add_to(app)
    return app
