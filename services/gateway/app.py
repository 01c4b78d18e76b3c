"""The web application: the API, the pages, and what holds for every answer."""

from fastapi import FastAPI

from services.gateway import pages, paper, problems
from services.gateway.api import lobby, matches, organise, pictures, players, tournaments, verify
from services.gateway.assets import Assets
from services.gateway.drawings import Drawings
from services.gateway.headers import SecureHeaders
from services.gateway.reach import Reach

ABOUT = "Tables to watch, to replay and to play at; events to follow and to run."


def web_app(reach: Reach, assets: Assets) -> FastAPI:
    app = FastAPI(title="Tavolata", version="1", summary=ABOUT, openapi_url="/api/openapi.json",
                  docs_url=None, redoc_url=None)  # fmt: skip
    app.state.reach = reach
    app.state.assets = assets
    app.state.drawings = Drawings()
    problems.add_to(app)
    app.include_router(tournaments.ratings_router)
    for part in (lobby, matches, pictures, players, tournaments, organise, verify, paper, pages):
        app.include_router(part.router)
    app.add_middleware(SecureHeaders, policy=assets.policy)
    return app
