"""The tournament service as a caller sees it."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Final

import grpc
from tavolata.tournament.v1 import tournament_pb2 as pb
from tavolata.tournament.v1 import tournament_pb2_grpc

from engine.kernel.value import Revision
from services.kit.wire.channel import EXPORT_SECONDS, stream, unary

DRAFT_SECONDS: Final = 120.0
"""For a draft, a supposition or a correction of a large event: thousands of entrants are paired or ranked again."""

PAGE: Final = 500


class TournamentClient:
    """Everything raises ``Refusal``, ``Unavailable`` or ``Failed``."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub = tournament_pb2_grpc.TournamentServiceStub(channel)

    # -- changing --------------------------------------------------------------------------------------------------

    async def create(self, tournament: str, config_toml: str, organiser: str) -> pb.CreateTournamentResponse:
        request = pb.CreateTournamentRequest(tournament_id=tournament, config_toml=config_toml, organiser=organiser)
        response: pb.CreateTournamentResponse = await unary(self._stub.CreateTournament, request)
        return response

    async def check(self, config_toml: str, *, entrants: int = 0) -> pb.CheckConfigurationResponse:
        request = pb.CheckConfigurationRequest(config_toml=config_toml, entrants=entrants)
        response: pb.CheckConfigurationResponse = await unary(self._stub.CheckConfiguration, request)
        return response

    async def command(
        self, tournament: str, command_id: str, actor: str, command_json: str, *, expected_revision: Revision = 0
    ) -> pb.CommandResponse:
        request = pb.CommandRequest(
            tournament_id=tournament, command_id=command_id, actor=actor, command_json=command_json,
            expected_revision=expected_revision,
        )  # fmt: skip
        response: pb.CommandResponse = await unary(self._stub.Command, request, DRAFT_SECONDS)
        return response

    async def draft_round(
        self, tournament: str, command_id: str, actor: str, *, reason: str = ""
    ) -> pb.DraftRoundResponse:
        request = pb.DraftRoundRequest(tournament_id=tournament, command_id=command_id, actor=actor, reason=reason)
        response: pb.DraftRoundResponse = await unary(self._stub.DraftRound, request, DRAFT_SECONDS)
        return response

    async def register(
        self,
        tournament: str,
        command_id: str,
        actor: str,
        people: Sequence[pb.Person],
        *,
        unranked: bool = False,
        reason: str = "",
    ) -> pb.RegisterPeopleResponse:
        request = pb.RegisterPeopleRequest(
            tournament_id=tournament, command_id=command_id, actor=actor, people=people, unranked=unranked,
            reason=reason,
        )  # fmt: skip
        response: pb.RegisterPeopleResponse = await unary(self._stub.RegisterPeople, request, DRAFT_SECONDS)
        return response

    async def erase(self, player: str) -> bool:
        """Whether the person had been erased before."""
        response = await unary(self._stub.ErasePerson, pb.ErasePersonRequest(player=player))
        return bool(response.duplicate)

    # -- reading ---------------------------------------------------------------------------------------------------

    async def tournaments(self) -> AsyncGenerator[pb.Tournament, None]:
        """All of them, page by page, newest first."""
        token = ""
        while True:
            request = pb.ListTournamentsRequest(page_size=PAGE, page_token=token)
            response = await unary(self._stub.ListTournaments, request)
            for tournament in response.tournaments:
                yield tournament
            token = response.next_page_token
            if not token:
                return

    async def tournament(self, tournament: str) -> pb.GetTournamentResponse:
        request = pb.GetTournamentRequest(tournament_id=tournament)
        response: pb.GetTournamentResponse = await unary(self._stub.GetTournament, request)
        return response

    async def round(self, tournament: str, number: int = 0, *, draft: bool = False) -> pb.GetRoundResponse:
        """``number`` 0 is the newest that is published."""
        request = pb.GetRoundRequest(tournament_id=tournament, round=number, draft=draft)
        response: pb.GetRoundResponse = await unary(self._stub.GetRound, request)
        return response

    async def standings(self, tournament: str, *, stage: int = 0, after_round: int = 0) -> pb.GetStandingsResponse:
        """``stage`` counts from 1; 0 is the newest. ``after_round`` 0 is now."""
        request = pb.GetStandingsRequest(tournament_id=tournament, stage=stage, after_round=after_round)
        response: pb.GetStandingsResponse = await unary(self._stub.GetStandings, request)
        return response

    async def status(self, tournament: str) -> pb.GetStatusResponse:
        response: pb.GetStatusResponse = await unary(
            self._stub.GetStatus, pb.GetStatusRequest(tournament_id=tournament)
        )
        return response

    async def watch(self, tournament: str = "") -> AsyncGenerator[pb.Tournament, None]:
        """One event, or all of them for no id: now, and after each change."""
        request = pb.WatchTournamentRequest(tournament_id=tournament)
        async with aclosing(stream(self._stub.WatchTournament, request)) as responses:
            async for response in responses:
                yield response.tournament

    async def explain_standing(self, tournament: str, entry: int, *, stage: int = 0) -> str:
        """JSON."""
        request = pb.ExplainStandingRequest(tournament_id=tournament, entry=entry, stage=stage)
        response = await unary(self._stub.ExplainStanding, request)
        return str(response.explanation_json)

    async def explain_pairing(self, tournament: str, entry: int, *, number: int = 0) -> str:
        """JSON."""
        request = pb.ExplainPairingRequest(tournament_id=tournament, round=number, entry=entry)
        response = await unary(self._stub.ExplainPairing, request)
        return str(response.explanation_json)

    async def what_if(
        self, tournament: str, results: Sequence[pb.SupposedResult], *, config_json: str = ""
    ) -> pb.WhatIfResponse:
        request = pb.WhatIfRequest(tournament_id=tournament, results=results, config_json=config_json)
        response: pb.WhatIfResponse = await unary(self._stub.WhatIf, request, DRAFT_SECONDS)
        return response

    async def export(self, tournament: str) -> list[bytes]:
        """The lines of the event's log, without what no draft may show yet."""
        lines: list[bytes] = []
        request = pb.ExportTournamentRequest(tournament_id=tournament)
        async with aclosing(stream(self._stub.ExportTournament, request, EXPORT_SECONDS)) as responses:
            async for response in responses:
                lines.extend(response.lines)
        return lines

    async def ratings(self, game: str = "", *, page_size: int = 0, page_token: str = "") -> pb.ListRatingsResponse:
        """A page, best first; ``game`` empty is all games together."""
        request = pb.ListRatingsRequest(game=game, page_size=page_size, page_token=page_token)
        response: pb.ListRatingsResponse = await unary(self._stub.ListRatings, request)
        return response

    async def find_players(self, text: str, *, page_size: int = 0) -> pb.FindPlayersResponse:
        """People of events by a part of their public name, and where they are; at most 20."""
        request = pb.FindPlayersRequest(text=text, page_size=page_size)
        response: pb.FindPlayersResponse = await unary(self._stub.FindPlayers, request)
        return response

    async def name_players(self, players: Sequence[str]) -> dict[str, str]:
        """Public names by id, of at most 500; empty for an id that nobody has."""
        response = await unary(self._stub.NamePlayers, pb.NamePlayersRequest(players=players))
        return dict(zip(players, response.names, strict=True))

    async def entrant(self, tournament: str, entry: int) -> pb.GetEntrantResponse:
        """Where one entrant sits, stands, and has played."""
        request = pb.GetEntrantRequest(tournament_id=tournament, entry=entry)
        response: pb.GetEntrantResponse = await unary(self._stub.GetEntrant, request)
        return response

    async def bracket(self, tournament: str, *, stage: int = 0) -> pb.GetBracketResponse:
        """An elimination; ``stage`` counts from 1, 0 is the newest that has begun, or else the next."""
        request = pb.GetBracketRequest(tournament_id=tournament, stage=stage)
        response: pb.GetBracketResponse = await unary(self._stub.GetBracket, request)
        return response

    async def actions(
        self, tournament: str, *, page_size: int = 0, page_token: str = "", actor: str = "", house: bool = False
    ) -> pb.ListActionsResponse:
        """A page of what was done, the newest first; ``house`` also what the house did by itself."""
        request = pb.ListActionsRequest(
            tournament_id=tournament, page_size=page_size, page_token=page_token, actor=actor, house=house
        )
        response: pb.ListActionsResponse = await unary(self._stub.ListActions, request, DRAFT_SECONDS)
        return response

    async def tokens(
        self, tournament: str, entries: Sequence[int] = (), *, life_s: int = 0, round_number: int = 0, table: int = 0
    ) -> Sequence[pb.IssuedToken]:
        """For people of the event to speak for their seats; for everybody if there are no ``entries``.

        With round and table: for those who sit there now, each for that one seat.
        """
        request = pb.IssueTokensRequest(
            tournament_id=tournament, entries=entries, life_s=life_s, round=round_number, table=table
        )
        response: pb.IssueTokensResponse = await unary(self._stub.IssueTokens, request, DRAFT_SECONDS)
        return response.tokens
