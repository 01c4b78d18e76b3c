"""Who sits down at a table that is playing gets a token of the seat; that of the first one holds until it ends."""

from contextlib import AsyncExitStack
from pathlib import Path

import msgspec
import pytest
from tavolata.tournament.v1 import tournament_pb2 as pb

from engine.kernel.refusal import Refusal
from engine.kernel.value import Seat, SeatView
from services.kit.access.caller import Caller
from services.kit.access.grants import PlayerGrant, SeatGrant
from services.kit.access.rights import may_speak
from services.kit.access.tokens import read
from services.kit.lifecycle import start_server
from services.kit.memory_log import MemoryLog
from services.kit.wire.channel import open_channel
from services.kit.wire.clients import MatchClient, SpectatorClient
from services.kit.wire.tournament import TournamentClient
from services.tournament.servicer import register
from services.tournament.venue import RulesServices
from tests.access.keys import Keys
from tests.kit.nats import until
from tests.services.small_house import GAME, small_house
from tests.services.test_tournament_wire import PAIRS
from tests.services.tournaments import ORGANISER, T, World

MATCH = f"{T}-r1-t1"


async def test_a_substitute_plays_with_a_token_of_the_seat(tmp_path: Path) -> None:
    keys = Keys(tmp_path / "keys")
    matches = MemoryLog()
    async with small_house(matches, tmp_path) as house, AsyncExitStack() as stack:
        rules = MatchClient(await stack.enter_async_context(open_channel(house.addresses["rules"])))
        shown = SpectatorClient(await stack.enter_async_context(open_channel(house.addresses["spectator"])))
        host = await stack.enter_async_context(
            World(tmp_path, matches=matches).host(venue=RulesServices({GAME: rules}))
        )
        server = await start_server(
            "tournament", "127.0.0.1:0", lambda server: register(server, host, keys.key("tournament"))
        )
        stack.push_async_callback(server.stop, 0)
        client = TournamentClient(await stack.enter_async_context(open_channel(f"127.0.0.1:{server.port}")))

        async def do(command: str, **data: object) -> None:
            written = msgspec.json.encode({"type": f"tournament.{command}", "data": data}).decode()
            await client.command(T, command, ORGANISER, written)

        await client.create(T, PAIRS, "ana")
        await do("open_registration")
        people = [pb.Person(name=name) for name in ("Ana", "Bo", "Cy", "Di", "Eve")]
        entered = (await client.register(T, "people", ORGANISER, people)).entrants
        await do("close_registration")
        await client.draft_round(T, "draft-1", ORGANISER)
        await do("publish_round")
        with pytest.raises(Refusal, match="unknown_round"):
            await client.tokens(T, round_number=2, table=1)
        await do("start_round")

        async def are_open() -> bool:
            return (await client.status(T)).open == 2

        await until(are_open, "the matches are open")
        told = await client.round(T)
        first, other = [place.entry for place in told.tables[0].places]
        late = next(iter({1, 2, 3, 4, 5} - {place.entry for table in told.tables for place in table.places}))
        with pytest.raises(Refusal, match="not_at_table"):
            await client.tokens(T, [late], round_number=1, table=1)
        await do("substitute", round=1, table=1, entry=first, by=late)

        (issued,) = await client.tokens(T, [late], life_s=60, round_number=1, table=1)
        assert (issued.entry, issued.player) == (late, entered[late - 1].player)
        assert read(issued.token, keys.trust).grant == SeatGrant(MATCH, 0)
        both = await client.tokens(T, round_number=1, table=1)
        assert {each.entry: read(each.token, keys.trust).grant for each in both} == {
            late: SeatGrant(MATCH, 0),
            other: SeatGrant(MATCH, 1),
        }
        (of_player,) = await client.tokens(T, [late])
        players = (await shown.snapshot(MATCH, SeatView(0))).players

        async def player_at(match: str, seat: Seat) -> str:
            return str(players[seat])

        async def speaks(token: str, seat: Seat) -> None:
            await may_speak(Caller(token, keys.trust), MATCH, seat, player_at)

        await speaks(issued.token, 0)
        for token, seat in ((issued.token, 1), (of_player.token, 0)):  # the match was opened with somebody else
            with pytest.raises(Refusal, match="not_your_seat"):
                await speaks(token, seat)
        await speaks(keys.token(PlayerGrant(entered[first - 1].player, T)), 0)  # until it ends
        for table, code in ((9, "unknown_table"), (0, "unknown_table")):
            with pytest.raises(Refusal, match=code):
                await client.tokens(T, round_number=1, table=table)
        await do("report_result", round=1, table=1, seated=[[late, 1, 9], [other, 2, 5]])
        with pytest.raises(Refusal, match="has_result"):
            await client.tokens(T, round_number=1, table=1)
