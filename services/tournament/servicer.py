"""protobuf in, protobuf out. Names are looked up for each answer and kept nowhere."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing

import grpc
import msgspec
from tavolata.tournament.v1 import tournament_pb2 as pb
from tavolata.tournament.v1 import tournament_pb2_grpc

from engine.kernel.refusal import Kind, Refusal
from engine.tournament.config import config_of
from engine.tournament.limits import ENTRANTS_MAX
from engine.tournament.whatif import Supposed
from services.kit.access.signing import SigningKey
from services.kit.wire.errors import Context
from services.tournament import servicer_messages as messages
from services.tournament.actions import called, people_of
from services.tournament.app import Tournaments
from services.tournament.brackets import bracket_shown
from services.tournament.desk import Applicant
from services.tournament.entrants import entrant_shown
from services.tournament.games import check_games
from services.tournament.ledgers import Kept
from services.tournament.rated import RECKONED_WITH
from services.tournament.rounds import round_shown
from services.tournament.standings import Standings, standings_of
from services.tournament.status import status_of, waits_for
from services.tournament.tokens import player_tokens, seat_tokens
from services.tournament.warnings import warnings_of
from services.tournament.why import round_of, suppose, why_pairing, why_standing

LINES_BYTES = 512 * 1024
"""Of one message of an export."""


class TournamentServicer(tournament_pb2_grpc.TournamentServiceServicer):
    def __init__(self, tournaments: Tournaments, key: SigningKey | None) -> None:
        self._tournaments = tournaments
        self._key = key
        self._desk = tournaments.desk

    # -- changing --------------------------------------------------------------------------------------------------

    async def CreateTournament(
        self, request: pb.CreateTournamentRequest, context: Context
    ) -> pb.CreateTournamentResponse:
        receipt, config = await self._desk.create(request.tournament_id, request.config_toml, request.organiser)
        return pb.CreateTournamentResponse(
            duplicate=receipt.duplicate,
            revision=receipt.revision,
            warnings=map(messages.warning, warnings_of(config)),
        )

    async def CheckConfiguration(
        self, request: pb.CheckConfigurationRequest, context: Context
    ) -> pb.CheckConfigurationResponse:
        config = config_of(request.config_toml)
        check_games(config)
        if request.entrants > ENTRANTS_MAX:
            sentence = f"An event has at most {ENTRANTS_MAX} entrants, not {request.entrants}."
            raise Refusal("too_many_entrants", sentence, Kind.INVALID)
        return pb.CheckConfigurationResponse(
            config_json=msgspec.json.encode(config).decode(),
            warnings=map(messages.warning, warnings_of(config, request.entrants)),
        )

    async def Command(self, request: pb.CommandRequest, context: Context) -> pb.CommandResponse:
        done = await self._desk.command(
            request.tournament_id,
            request.command_id,
            request.actor,
            request.command_json,
            expected=request.expected_revision,
        )
        return pb.CommandResponse(
            duplicate=done.receipt.duplicate,
            revision=done.receipt.revision,
            events=done.events,
            changes=map(messages.change, done.changes),
        )

    async def DraftRound(self, request: pb.DraftRoundRequest, context: Context) -> pb.DraftRoundResponse:
        receipt, number = await self._desk.draft_round(
            request.tournament_id, request.command_id, request.actor, request.reason
        )
        return pb.DraftRoundResponse(duplicate=receipt.duplicate, revision=receipt.revision, round=number)

    async def RegisterPeople(self, request: pb.RegisterPeopleRequest, context: Context) -> pb.RegisterPeopleResponse:
        receipt, entries = await self._desk.register(
            request.tournament_id,
            request.command_id,
            request.actor,
            [Applicant(each.player, each.name, each.contact, each.alias) for each in request.people],
            ranked=not request.unranked,
            reason=request.reason,
        )
        kept = self._tournaments.ledgers.known(request.tournament_id)
        entrants = [kept.state.entrants[entry - 1] for entry in entries]
        names = await self._tournaments.names(each.player for each in entrants)
        return pb.RegisterPeopleResponse(
            duplicate=receipt.duplicate,
            revision=receipt.revision,
            entrants=[messages.entrant(each, names) for each in entrants],
        )

    async def ErasePerson(self, request: pb.ErasePersonRequest, context: Context) -> pb.ErasePersonResponse:
        return pb.ErasePersonResponse(duplicate=await self._desk.erase(request.player))

    # -- reading ---------------------------------------------------------------------------------------------------

    async def ListTournaments(self, request: pb.ListTournamentsRequest, context: Context) -> pb.ListTournamentsResponse:
        page, token = self._tournaments.page(request.page_size, request.page_token)
        return pb.ListTournamentsResponse(tournaments=map(messages.tournament, page), next_page_token=token)

    async def GetTournament(self, request: pb.GetTournamentRequest, context: Context) -> pb.GetTournamentResponse:
        kept = await self._fresh(request.tournament_id)
        names = await self._tournaments.names(each.player for each in kept.state.entrants)
        return pb.GetTournamentResponse(
            tournament=messages.tournament(kept),
            config_json=msgspec.json.encode(kept.state.config).decode(),
            entrants=[messages.entrant(each, names) for each in kept.state.entrants],
            penalties=[messages.penalty(each) for each in kept.state.penalties if not each.revoked],
            commitment=kept.state.commitment,
            apart=map(messages.apart, kept.state.apart),
        )

    async def GetRound(self, request: pb.GetRoundRequest, context: Context) -> pb.GetRoundResponse:
        kept = await self._fresh(request.tournament_id)
        shown = await round_shown(kept, self._tournaments.rankings, request.round, draft=request.draft)
        here = {*shown.drafted.byes, *shown.absent, *(seat.entry for table in shown.tables for seat in table.seats)}
        names = await self._tournaments.names(kept.state.entrants[entry - 1].player for entry in here)
        return messages.round_response(kept.state, shown, names)

    async def GetStandings(self, request: pb.GetStandingsRequest, context: Context) -> pb.GetStandingsResponse:
        kept = await self._fresh(request.tournament_id)
        stage = request.stage - 1 if request.stage else None
        standings = await self._tournaments.rankings.standings(kept, stage, request.after_round)
        return await self._standings(kept, standings)

    async def GetStatus(self, request: pb.GetStatusRequest, context: Context) -> pb.GetStatusResponse:
        kept = await self._fresh(request.tournament_id)
        status = await status_of(kept.state, self._tournaments.now())
        trouble = self._tournaments.runner.trouble(kept.id)
        response = messages.status_response(kept, status)
        response.waits_for = waits_for(kept.state) if trouble is None else trouble.code
        response.trouble = "" if trouble is None else trouble.sentence
        return response

    async def WatchTournament(
        self, request: pb.WatchTournamentRequest, context: Context
    ) -> AsyncIterator[pb.WatchTournamentResponse]:
        async with aclosing(self._tournaments.watch(request.tournament_id)) as changes:
            async for kept in changes:
                yield pb.WatchTournamentResponse(tournament=messages.tournament(kept))

    async def ExplainStanding(self, request: pb.ExplainStandingRequest, context: Context) -> pb.ExplainStandingResponse:
        kept = await self._fresh(request.tournament_id)
        stage = request.stage - 1 if request.stage else None
        explanation = await why_standing(self._tournaments.rankings, kept, request.entry, stage)
        return pb.ExplainStandingResponse(explanation_json=explanation)

    async def ExplainPairing(self, request: pb.ExplainPairingRequest, context: Context) -> pb.ExplainPairingResponse:
        kept = await self._fresh(request.tournament_id)
        return pb.ExplainPairingResponse(explanation_json=await why_pairing(kept, request.round, request.entry))

    async def WhatIf(self, request: pb.WhatIfRequest, context: Context) -> pb.WhatIfResponse:
        kept = await self._fresh(request.tournament_id)
        results = [
            Supposed(each.round or _newest_closed(kept), each.table, tuple(each.scores)) for each in request.results
        ]
        outcome = await suppose(self._tournaments.ledgers, kept, results, _json_object(request.config_json))
        return pb.WhatIfResponse(
            standings=await self._standings(kept, await standings_of(outcome.state)),
            changes=map(messages.change, outcome.changes),
            rounds=map(messages.other_round, outcome.rounds),
        )

    async def ExportTournament(
        self, request: pb.ExportTournamentRequest, context: Context
    ) -> AsyncIterator[pb.ExportTournamentResponse]:
        batch: list[bytes] = []
        size = 0
        for line in await self._tournaments.export(request.tournament_id):
            batch.append(line)
            size += len(line)
            if size > LINES_BYTES:
                yield pb.ExportTournamentResponse(lines=batch)
                batch, size = [], 0
        if batch:
            yield pb.ExportTournamentResponse(lines=batch)

    async def ListRatings(self, request: pb.ListRatingsRequest, context: Context) -> pb.ListRatingsResponse:
        page, token = await self._tournaments.rated.page(request.game, request.page_size, request.page_token)
        names = await self._tournaments.names(each.player for each in page)
        return pb.ListRatingsResponse(
            ratings=[messages.rating(each, names) for each in page],
            next_page_token=token,
            model=RECKONED_WITH,
        )

    async def FindPlayers(self, request: pb.FindPlayersRequest, context: Context) -> pb.FindPlayersResponse:
        found = await self._tournaments.find_players(request.text, request.page_size)
        return pb.FindPlayersResponse(players=map(messages.found_player, found))

    async def NamePlayers(self, request: pb.NamePlayersRequest, context: Context) -> pb.NamePlayersResponse:
        return pb.NamePlayersResponse(names=await self._tournaments.name_players(request.players))

    async def GetEntrant(self, request: pb.GetEntrantRequest, context: Context) -> pb.GetEntrantResponse:
        kept = await self._fresh(request.tournament_id)
        shown = await entrant_shown(kept, self._tournaments.rankings, request.entry)
        entrants = kept.state.entrants
        names = await self._tournaments.names(entrants[entry - 1].player for entry in shown.everybody)
        return messages.entrant_response(kept.state, shown, names)

    async def GetBracket(self, request: pb.GetBracketRequest, context: Context) -> pb.GetBracketResponse:
        kept = await self._fresh(request.tournament_id)
        stage = request.stage - 1 if request.stage else None
        shown = await bracket_shown(kept, self._tournaments.rankings, stage)
        entrants = kept.state.entrants
        names = await self._tournaments.names(entrants[entry - 1].player for entry in shown.everybody)
        return messages.bracket_response(kept.state, shown, names)

    async def ListActions(self, request: pb.ListActionsRequest, context: Context) -> pb.ListActionsResponse:
        kept = await self._fresh(request.tournament_id)
        page, token = await self._tournaments.actions.page(
            kept, request.page_size, request.page_token, actor=request.actor, house=request.house
        )
        entrants = kept.state.entrants
        names = await self._tournaments.names(entrants[entry - 1].player for entry in people_of(page))
        who = called(lambda entry: names[entrants[entry - 1].player])
        return pb.ListActionsResponse(actions=[messages.action(each, who) for each in page], next_page_token=token)

    async def IssueTokens(self, request: pb.IssueTokensRequest, context: Context) -> pb.IssueTokensResponse:
        kept = await self._fresh(request.tournament_id)
        entries, life_s = list(request.entries), request.life_s
        if request.round or request.table:
            issued = seat_tokens(self._key, kept.state, request.round, request.table, entries, life_s)
        else:
            issued = await asyncio.to_thread(
                player_tokens, self._key, kept.id, list(kept.state.entrants), entries, life_s
            )
        names = await self._tournaments.names(entrant.player for entrant, _ in issued)
        return pb.IssueTokensResponse(
            tokens=[
                pb.IssuedToken(entry=entrant.entry, player=entrant.player, name=names[entrant.player], token=token)
                for entrant, token in issued
            ]
        )

    # -- common ----------------------------------------------------------------------------------------------------

    async def _fresh(self, tournament_id: str) -> Kept:
        return await self._tournaments.ledgers.fresh(tournament_id)

    async def _standings(self, kept: Kept, standings: Standings) -> pb.GetStandingsResponse:
        entrants = kept.state.entrants
        names = await self._tournaments.names(entrants[line.entry - 1].player for line in standings.lines)
        return messages.standings_response(kept.state, standings, names)


def register(server: grpc.aio.Server, tournaments: Tournaments, key: SigningKey | None = None) -> Sequence[str]:
    """``key`` signs the tokens of players; an open house has none."""
    tournament_pb2_grpc.add_TournamentServiceServicer_to_server(TournamentServicer(tournaments, key), server)
    return [pb.DESCRIPTOR.services_by_name["TournamentService"].full_name]


def _newest_closed(kept: Kept) -> int:
    """The number of the newest closed round. Raises ``Refusal``."""
    closed = [each.number for each in kept.state.rounds if each.phase.value == "closed"]
    return closed[-1] if closed else round_of(kept.state, 0).number


def _json_object(text: str) -> dict[str, object]:
    try:
        return msgspec.json.decode(text or "{}", type=dict[str, object])
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise Refusal("bad_config", f"The configuration is no JSON object: {error}.", Kind.INVALID) from error
