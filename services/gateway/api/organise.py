"""Events, to run: whatever an organiser does, as a command with a name, a reason and a key of its own.

A repeat under the same key is the same action. Who says which revision they have seen is refused when the event has
gone on since; a refusal says the revision that the event stands at now, so that they can look before trying again.
"""

from collections.abc import Awaitable
from typing import TypeVar

import msgspec
from fastapi import APIRouter, Request
from starlette.responses import Response
from tavolata.tournament.v1 import tournament_pb2 as pb

from engine.kernel.ports import Failed, Unavailable
from engine.kernel.refusal import Refusal
from engine.tournament.commands import COMMANDS, Configure
from engine.tournament.config import config_of
from services.gateway.answers import done
from services.gateway.api import organise_desk
from services.gateway.api import organise_models as told
from services.gateway.api.organise_bodies import (
    AccessRequest,
    Applicants,
    ConfigurationCheck,
    Configuring,
    Creation,
    DraftRequest,
    OrganiserAction,
    PlayerId,
    Supposition,
)
from services.gateway.openapi import Errors, failing, ok
from services.gateway.problems import Refused
from services.gateway.reach import EventId, Key, Reach, Reached, id_from, key_reused
from services.gateway.shared import LISTS
from services.kit.paper.figures import fields_of, standings_fields

T = TypeVar("T")

router = APIRouter(prefix="/api", tags=["organise"], default_response_class=Response)
router.include_router(organise_desk.router)


@router.post("/tournaments", status_code=201, responses={201: ok(told.CreatedEvent), **failing(Errors.COMMAND)})
async def create(creation: Creation, key: Key, reach: Reached) -> Response:
    """Creates an event from its configuration."""
    event = creation.id or id_from(key, "e")
    try:
        created = await reach.house.tournament.create(event, creation.config_toml, creation.organiser)
    except Refusal as refusal:
        raise (refusal if creation.id else key_reused(refusal)) from None
    reach.shared.forget(event)
    reach.shared.forget(LISTS)
    body = {"id": event, "revision": created.revision, "warnings": [fields_of(each) for each in created.warnings]}
    return done(body, status=201, replayed=created.duplicate, headers={"Location": f"/api/tournaments/{event}"})


@router.post("/tournaments/check", responses={200: ok(told.CheckedConfiguration), **failing(Errors.COMMAND)})
async def check(asked: ConfigurationCheck, key: Key, reach: Reached) -> Response:
    """Says what is wrong with a configuration, and what may disappoint; changes nothing."""
    checked = await reach.house.tournament.check(asked.config_toml, entrants=asked.entrants)
    config = msgspec.Raw(checked.config_json.encode())
    warnings = [fields_of(each) for each in checked.warnings]
    return done({"config": config, "warnings": warnings}, replayed=False)


@router.post("/tournaments/{event}/commands", responses={200: ok(told.CommandReceipt), **failing(Errors.COMMAND)})
async def command(event: EventId, action: OrganiserAction, key: Key, reach: Reached) -> Response:
    """Does what a command asks; answers with every published number that is another one now."""
    asked = reach.house.tournament.command(
        event, key, action.actor, action.command.as_json(), expected_revision=action.expected_revision
    )
    return _receipt(await _at_its_revision(reach, event, asked))


@router.post("/tournaments/{event}/configuration", responses={200: ok(told.CommandReceipt), **failing(Errors.COMMAND)})
async def configure(event: EventId, asked: Configuring, key: Key, reach: Reached) -> Response:
    """Changes the configuration: all of it before the first round, later what was not played yet."""
    recorded = COMMANDS.encode(Configure(config_of(asked.config_toml), asked.reason))
    configuring = reach.house.tournament.command(
        event, key, asked.actor, msgspec.json.encode(recorded).decode(), expected_revision=asked.expected_revision
    )
    return _receipt(await _at_its_revision(reach, event, configuring))


@router.post("/tournaments/{event}/draft", responses={200: ok(told.DraftedRound), **failing(Errors.COMMAND)})
async def draft_round(event: EventId, asked: DraftRequest, key: Key, reach: Reached) -> Response:
    """Drafts the next round with the next seed of the chain; public once it is published."""
    drafting = reach.house.tournament.draft_round(event, key, asked.actor, reason=asked.reason)
    drafted = await _at_its_revision(reach, event, drafting)
    return done({"revision": drafted.revision, "round": drafted.round}, replayed=drafted.duplicate)


@router.post("/tournaments/{event}/people", responses={200: ok(told.EnteredPeople), **failing(Errors.COMMAND)})
async def register(event: EventId, asked: Applicants, key: Key, reach: Reached) -> Response:
    """Enters people, all of them or nobody; those whom the house does not know get an opaque id."""
    people = [pb.Person(**each.model_dump()) for each in asked.people]
    entering = reach.house.tournament.register(
        event, key, asked.actor, people, unranked=asked.unranked, reason=asked.reason
    )
    entered = await _at_its_revision(reach, event, entering)
    entrants = [fields_of(each) for each in entered.entrants]
    return done({"revision": entered.revision, "entrants": entrants}, replayed=entered.duplicate)


@router.post("/tournaments/{event}/what-if", responses={200: ok(told.SupposedEvent), **failing(Errors.COMMAND)})
async def what_if(event: EventId, asked: Supposition, key: Key, reach: Reached) -> Response:
    """Standings and later pairings as they would have been; changes nothing."""
    results = [pb.SupposedResult(**each.model_dump()) for each in asked.results]
    supposing = reach.house.tournament.what_if(event, results, config_json=asked.config_json())
    supposed = await _at_its_revision(reach, event, supposing)
    return done(fields_of(supposed) | {"standings": standings_fields(supposed.standings)}, replayed=False)


@router.post("/tournaments/{event}/access", responses={200: ok(told.PlayerLinks), **failing(Errors.COMMAND)})
async def hand_out(event: EventId, asked: AccessRequest, key: Key, request: Request, reach: Reached) -> Response:
    """Links for people of the event, each to play their own seats in it; a repeat makes others, and all hold.

    Who has sat down at a table since its match was opened plays with a link to that seat: name the round and the table.
    """
    issued = await reach.house.tournament.tokens(
        event, asked.entries, life_s=asked.hours * 3_600, round_number=asked.round, table=asked.table
    )
    base = str(request.base_url).rstrip("/")
    links = [
        {"entry": each.entry, "player": each.player, "name": each.name, "link": f"{base}/enter#{each.token}"}
        for each in issued
    ]
    return done({"links": links}, replayed=False)


@router.delete("/people/{player}", responses={200: ok(told.ErasedPerson), **failing(Errors.COMMAND)})
async def erase(player: PlayerId, reach: Reached) -> Response:
    """Forgets a person's name and contact for ever; every log still verifies."""
    before = await reach.house.tournament.erase(player)
    reach.shared.forget_all()
    return done({"player": player, "before": before}, replayed=False)


def _receipt(accepted: pb.CommandResponse) -> Response:
    changes = [fields_of(each) for each in accepted.changes]
    body = {"revision": accepted.revision, "events": list(accepted.events), "changes": changes}
    return done(body, replayed=accepted.duplicate)


async def _at_its_revision(reach: Reach, event: str, asked: Awaitable[T]) -> T:
    """A refusal goes on with the revision of the event, where it has one."""
    try:
        return await asked
    except Refusal as refusal:
        try:
            revision = (await reach.house.tournament.tournament(event)).tournament.revision
        except (Refusal, Unavailable, Failed):
            raise refusal from None
        raise Refused(refusal, revision) from refusal
    finally:
        reach.shared.forget(event)  # also where nobody knows whether it was done
