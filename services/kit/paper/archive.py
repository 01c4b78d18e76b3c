"""All of an event that goes into files, and the one JSON document that holds it without the log."""

from typing import Any

import msgspec
from tavolata.tournament.v1 import tournament_pb2 as pb

from services.kit.paper.figures import fields_of, round_fields, standings_fields
from services.kit.wire.tournament import TournamentClient

SCHEMA = "tavolata.tournament"
SCHEMA_VERSION = 1
"""Counts up when a field of the JSON file changes its meaning or goes; a new field does not count."""


class Archive(msgspec.Struct, frozen=True):
    """``standings``: of the stages in order, then the final ones."""

    found: pb.GetTournamentResponse
    rounds: list[pb.GetRoundResponse]
    standings: list[pb.GetStandingsResponse]
    log: list[bytes]


async def archive_of(client: TournamentClient, event: str) -> Archive:
    """Asked part by part; the log last, so it holds at least what the other parts show."""
    found = await client.tournament(event)
    rounds = await all_rounds(client, event)
    standings = [await client.standings(event, stage=stage + 1) for stage in range(found.tournament.stage + 1)]
    if found.tournament.phase == "finished":
        standings.append(await client.standings(event))
    return Archive(found, rounds, standings, await client.export(event))


async def all_rounds(client: TournamentClient, event: str) -> list[pb.GetRoundResponse]:
    """Every published round, in order, cancelled ones too."""
    newest = (await client.tournament(event)).tournament.round
    return [await client.round(event, number) for number in range(1, newest + 1)]


def document_of(archive: Archive) -> dict[str, Any]:
    """Everything but the log as one JSON document. Exact figures are texts: ``"5/2"``."""
    found = archive.found
    return {
        "schema": SCHEMA,
        "version": SCHEMA_VERSION,
        "tournament": fields_of(found.tournament),
        "config": msgspec.json.decode(found.config_json or "{}"),
        "commitment": found.commitment,
        "entrants": [fields_of(each) for each in found.entrants],
        "penalties": [fields_of(each) for each in found.penalties],
        "rounds": [round_fields(each) for each in archive.rounds],
        "standings": [standings_fields(each) for each in archive.standings],
    }
