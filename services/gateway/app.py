"""The web application: the API, the pages, and what holds for every answer."""

from fastapi import FastAPI

from services.gateway import openapi, pages, paper, problems
from services.gateway.api import (
    commands,
    lobby,
    matches,
    organise,
    pictures,
    players,
    stream,
    tournaments,
    verify,
)
from services.gateway.assets import Assets
from services.gateway.door import Door
from services.gateway.drawings import Drawings
from services.gateway.headers import SecureHeaders
from services.gateway.reach import Reach
from services.gateway.streams.responder import OpenAnswers

ABOUT = "Tables to watch, to replay and to play at; events to follow and to run."


def web_app(reach: Reach, assets: Assets) -> FastAPI:
    app = FastAPI(title="Tavolata", version="1", summary=ABOUT, openapi_url="/api/openapi.json",
                  docs_url=None, redoc_url=None, generate_unique_id_function=lambda route: route.name)  # fmt: skip
    app.state.reach = reach
    app.state.assets = assets
    app.state.answers = OpenAnswers()
    app.state.drawings = Drawings()
    problems.add_to(app, pages.nowhere)
    app.include_router(tournaments.ratings_router)
    for part in (lobby, matches, commands, stream, pictures, players, tournaments, organise, verify, paper, pages):
        app.include_router(part.router)
    app.add_middleware(SecureHeaders, policy=assets.policy)
    app.add_middleware(Door)
    openapi.add_to(app)
    return app
