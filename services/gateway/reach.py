"""What every endpoint is given: the clients of the house and whoever keeps the streams; and how parameters are read."""

import hashlib
from typing import Annotated, TypeAlias, assert_never

import msgspec
from fastapi import Depends, Header, Path, Query, Request

from engine.kernel.catalogue import LANGUAGES
from engine.kernel.limits import ID_LENGTH_MAX
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Referee, SeatView, Spectator
from services.gateway.answers import ASK_AGAIN, PRIVATE
from services.gateway.shared import SharedAnswers
from services.gateway.streams.hub import Hub
from services.gateway.streams.lobby import Lobby
from services.gateway.streams.noticeboard import Noticeboard
from services.kit.access.caller import caller
from services.kit.access.rights import may_look_as_referee
from services.kit.lookers import Caster, Looker, looker_named
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
    str,
    Query(
        pattern=r"^(spectator|referee|caster|seat:[0-9]{1,3})$",
        description="Who looks: spectator, seat:N; in a house that asks who one is, also referee or caster.",
    ),
]
RevisionQuery: TypeAlias = Annotated[int, Query(ge=0, le=2**31, description="A revision; 0 is the newest.")]


def looker_in(text: str, match_id: str) -> Looker:
    """Who looks at a match. Raises ``Refusal``.

    Whoever would see every hand is asked here, too, before anything is looked for; an open house, which could not ask,
    lets nobody do so by this door.
    """
    looking = looker_named(text)
    match looking:
        case Spectator() | SeatView():
            return looking
        case Referee() | Caster():
            if caller().is_open:
                raise Refusal("unknown_viewer", "Here one looks as spectator or as seat:N.", Kind.INVALID)
            may_look_as_referee(caller(), match_id, live=isinstance(looking, Referee))
            return looking
        case _:
            assert_never(looking)


def kept_by(looker: Looker) -> str:
    """Who may keep what this one is shown, as ``Cache-Control``: what is not for everybody, nobody."""
    return ASK_AGAIN if isinstance(looker, Spectator) else PRIVATE


def key_reused(refusal: Refusal) -> Refusal:
    """Of an id that was made from a key: that it exists means that the key was used for something else."""
    if refusal.code not in ("match_exists", "tournament_exists"):
        return refusal
    return Refusal("id_reused", "This key was used for something else.", Kind.EXISTS)


def id_from(key: str, prefix: str) -> str:
    """The id of what a request makes, if the caller names none: the same for every repeat of the request."""
    return prefix + hashlib.sha256(key.encode()).hexdigest()[:16]
