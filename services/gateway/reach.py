"""What every endpoint is given: the clients of the house and whoever keeps the streams; and how parameters are read."""

import hashlib
from typing import Annotated, TypeAlias

import msgspec
from fastapi import Depends, Header, Path, Query, Request

from engine.kernel.catalogue import LANGUAGES
from engine.kernel.limits import ID_LENGTH_MAX
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Referee, Viewer, viewer_named
from services.gateway.shared import SharedAnswers
from services.gateway.streams.hub import Hub
from services.gateway.streams.lobby import Lobby
from services.gateway.streams.noticeboard import Noticeboard
from services.kit.wire.house import HouseClients


class Reach(msgspec.Struct, frozen=True):
    """What the gateway can reach, and what it has just heard from there."""

    house: HouseClients
    hub: Hub
    notices: Noticeboard
    lobby: Lobby
    shared: SharedAnswers = msgspec.field(default_factory=SharedAnswers)


def reach_of(request: Request) -> Reach:
    reach: Reach = request.app.state.reach
    return reach


Reached = Annotated[Reach, Depends(reach_of)]

ID_PATTERN = rf"^[A-Za-z0-9_-]{{1,{ID_LENGTH_MAX}}}$"

MatchId: TypeAlias = Annotated[str, Path(pattern=ID_PATTERN, description="The id of a match.")]
EventId: TypeAlias = Annotated[str, Path(pattern=ID_PATTERN, description="The id of an event.")]
KEY_SAYS = (
    "Made by the caller and kept for every retry: a repeat under the same key is answered as the first time, and has "
    "been done once."
)
Key: TypeAlias = Annotated[str, Header(alias="Idempotency-Key", pattern=ID_PATTERN, description=KEY_SAYS)]
LanguageQuery: TypeAlias = Annotated[
    str, Query(pattern=f"^({'|'.join(LANGUAGES)})$", description="Of sentences, labels and pictures.")
]
ViewerQuery: TypeAlias = Annotated[
    str, Query(pattern=r"^(spectator|seat:[0-9]{1,3})$", description="Who looks: spectator, or seat:N.")
]


RevisionQuery: TypeAlias = Annotated[int, Query(ge=0, le=2**31, description="A revision; 0 is the newest.")]


def viewer_in(text: str) -> Viewer:
    """Raises ``Refusal``. The referee, who sees every hand, does not come in by this door."""
    viewer = viewer_named(text)
    if isinstance(viewer, Referee):
        raise Refusal("unknown_viewer", "Here one looks as spectator or as seat:N.", Kind.INVALID)
    return viewer


def key_reused(refusal: Refusal) -> Refusal:
    """Of an id that was made from a key: that it exists means that the key was used for something else."""
    if refusal.code not in ("match_exists", "tournament_exists"):
        return refusal
    return Refusal("id_reused", "This key was used for something else.", Kind.EXISTS)


def id_from(key: str, prefix: str) -> str:
    """The id of what a request makes, if the caller names none: the same for every repeat of the request."""
    return prefix + hashlib.sha256(key.encode()).hexdigest()[:16]
