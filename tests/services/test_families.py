"""Matches and tournaments lie side by side on one server, and never meet."""

import nats

from services.kit.family import MATCHES, TOURNAMENTS
from services.kit.jetstream import JetStreamLog
from services.kit.jetstream.streams import Stream, stream_config
from services.local.nats_server import NatsServer
from tests.kit.lines import fill
from tests.kit.nats import DEADLINE_S, arrived


async def test_tournaments_lie_beside_matches_in_a_log_of_their_own(nats_server: NatsServer) -> None:
    async with (
        await JetStreamLog.connect(nats_server.url, partitions=2, create=True) as matches,
        await JetStreamLog.connect(nats_server.url, family=TOURNAMENTS, create=True) as tournaments,
    ):
        client = await nats.connect(nats_server.url)
        live = await client.subscribe("live.>")
        await arrived(client)
        of_match = await fill(matches, "hearts", "cup", 1)
        of_tournament = await fill(tournaments, "tournament", "cup", 2)
        published = [await live.next_msg(timeout=DEADLINE_S) for _ in range(3)]
        await client.close()
        assert [stored.line for stored in await matches.read("cup", after=0)] == of_match
        assert [stored.line for stored in await tournaments.read("cup", after=0)] == of_tournament
        assert (await tournaments.bounds(0)).last == 2
    assert sorted(message.subject for message in published) == [
        "live.match.01.hearts.cup",
        "live.tournament.00.tournament.cup",
        "live.tournament.00.tournament.cup",
    ]


def test_the_streams_of_matches_are_called_what_they_were() -> None:
    """Logs that were made before there were families are opened under these names."""
    stream = Stream(MATCHES, 7)
    assert (stream.name, stream.subjects) == ("MATCHES_07", "match.07.>")
    assert stream.subject("hearts", "m1") == "match.07.hearts.m1"
    config = stream_config(stream, 8, bytes_max=0, replicas=1)
    assert config["republish"] == {"src": "match.07.>", "dest": "live.match.07.>"}
    assert config["metadata"] == {"tavolata.partitions": "8"}


def test_the_streams_of_tournaments() -> None:
    stream = Stream(TOURNAMENTS, 0)
    assert (stream.name, stream.subjects) == ("TOURNAMENTS_00", "tournament.00.>")
    assert stream.subject("tournament", "spring-cup") == "tournament.00.tournament.spring-cup"
