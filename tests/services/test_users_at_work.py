"""What a service does all day works for its user, and what it is not to do fails at once, with the reason."""

import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from pathlib import Path
from typing import Any

import msgspec
import nats
import pytest
import structlog
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from structlog.testing import capture_logs

from engine.kernel.ports import Failed, Unavailable
from engine.kernel.refusal import Refusal
from services.kit.config import Settings
from services.kit.family import TOURNAMENTS
from services.kit.jetstream import JetStreamLog
from services.kit.jetstream.client import NatsClient
from services.kit.jetstream.connection import Connection
from services.kit.jetstream.credentials import STRANGER, Login, login_of, new_seed, public_key
from services.kit.jetstream.feed import CorePublisher
from services.kit.jetstream.users import OPERATOR
from services.kit.partition import partition_of
from tests.kit.given import NOON
from tests.kit.lines import fill, line_of
from tests.kit.logs import one_by_one
from tests.kit.nats import arrived, until
from tests.services.users import PARTITIONS, STREAMS, House, house

__all__ = ["house"]

FOLLOWERS = ("rules-hearts", "scoring", "spectator", "tournament")


async def opened(house: House, name: str, **options: Any) -> JetStreamLog:
    return await JetStreamLog.connect(house.url, login=house.logins[name], partitions=PARTITIONS, **options)


async def test_services_append_read_follow_and_beat(house: House) -> None:
    async with await opened(house, "rules-hearts") as rules, await opened(house, "rules-spades") as others:
        lines = {match: await fill(rules, "hearts", match, 3) for match in ("m1", "m2", "m3", "m4")}
        await fill(others, "spades", "s1", 2)
        await rules.beats().beat("hearts", NOON)
        assert await rules.beats().last("hearts") == NOON
        for name in ("deck", *FOLLOWERS):
            async with await opened(house, name) as log:
                for match in lines:
                    assert [stored.line for stored in await log.read(match, after=0)] == lines[match]
        for name in FOLLOWERS:
            async with await opened(house, name) as log:
                game = "hearts" if name.startswith("rules") else None
                seen: list[tuple[int, int]] = []
                for partition in range(PARTITIONS):
                    last = (await log.bounds(partition, game=game)).last
                    async with aclosing(one_by_one(log.follow(partition, after=0, game=game))) as following:
                        while last and (not seen or seen[-1][0] != partition or seen[-1][1] < last):
                            seen.append((partition, (await anext(following)).position))
                assert len(seen) == (12 if game else 14), name


async def test_what_is_stored_now_rings_the_bell(house: House) -> None:
    async with await opened(house, "rules-hearts") as rules, await opened(house, "scoring") as scoring:
        lines = await fill(rules, "hearts", "m1", 1)
        partition = partition_of("m1", PARTITIONS)
        async with aclosing(one_by_one(scoring.follow(partition, after=0))) as following:
            position = (await anext(following)).position
            for revision in range(2, 6):
                lines.append(line_of("m1", revision, before=lines[-1]))
                position = (await rules.append("hearts", "m1", lines[-1], expected=position)).position
                told = time.monotonic()
                assert (await anext(following)).line == lines[-1]
                assert time.monotonic() - told < 2, "by the bell, not by looking after some seconds"


async def test_the_tournament_service_keeps_its_own_log(house: House) -> None:
    async with await opened(house, "tournament", family=TOURNAMENTS) as log:
        await fill(log, "tournament", "cup", 3)
        assert len(await log.read("cup", after=0)) == 3


async def test_the_feed_is_told_by_one_and_heard_by_whoever_comes(house: House) -> None:
    heard: list[tuple[str, bytes]] = []

    async def take(message: Msg) -> None:
        heard.append((message.subject, message.data))

    stranger = await nats.connect(house.url)
    reader = await nats.connect(house.url, **house.logins["reader"].options)
    try:
        for client in (stranger, reader):
            await client.subscribe("feed.match.>", cb=take)
            await arrived(client)
        async with await CorePublisher.connect(house.url, login=house.logins["spectator"]) as publisher:
            await publisher.publish("feed.match.hearts.m1", b"a fact")
            await publisher.flush()
            await until(lambda: len(heard) == 2, "both have heard")
        with capture_logs() as said:
            async with await CorePublisher.connect(house.url, login=house.logins["scoring"]) as publisher:
                await publisher.publish("feed.match.hearts.m1", b"a lie")
                await publisher.flush()
                await until(lambda: bool(said), "it is said")
        assert [(line["event"], line["subject"]) for line in said] == [("log_forbidden", "feed.match.hearts.m1")]
        assert heard == [("feed.match.hearts.m1", b"a fact")] * 2
    finally:
        await stranger.close()
        await reader.close()


FORBIDDEN: dict[str, tuple[str, Callable[[JetStreamLog], Awaitable[object]]]] = {
    "another game": ("rules-hearts", lambda log: log.append("spades", "m1", line_of("m1", 1), expected=0)),
    "another's beat": ("rules-hearts", lambda log: log.beats().beat("spades", NOON)),
    "a reader's line": ("scoring", lambda log: log.append("hearts", "m1", line_of("m1", 1), expected=0)),
    "a stream": ("tournament", lambda log: log._connection.api("STREAM.DELETE.MATCHES_00", {})),
    "a consumer": ("scoring", lambda log: log._connection.api("CONSUMER.CREATE.MATCHES_00", {})),
}


@pytest.mark.parametrize("deed", FORBIDDEN)
async def test_what_is_forbidden_fails_at_once_and_says_so(house: House, deed: str) -> None:
    name, do = FORBIDDEN[deed]
    async with await opened(house, name) as log:
        before = time.monotonic()
        with capture_logs() as said, pytest.raises(Failed) as failed:
            await do(log)
        assert failed.value.code == "log_forbidden"
        assert time.monotonic() - before < 0.9, "by the server's word, not by its silence"
        assert [line["event"] for line in said] == ["log_forbidden"]


async def test_a_stranger_and_an_unknown_user_are_told(house: House) -> None:
    for login in (Login(), Login(new_seed())):
        with pytest.raises(Failed) as failed:
            await JetStreamLog.connect(house.url, login=login, partitions=PARTITIONS, patience_s=4.0)
        assert failed.value.code == "log_forbidden"


async def test_a_server_that_hangs_up_has_said_that_it_does_not_know_us_all_the_same() -> None:
    """nats-py tells of the word, and then, if it was still writing, of a connection that was reset."""
    connection = Connection(NatsClient(), structlog.get_logger(), ask_s=1.0, patience_s=1.0, api=STRANGER.api)
    await connection._on_error(NatsError("nats: 'Authorization Violation'"))
    await connection._on_error(ConnectionResetError(104, "Connection reset by peer"))
    assert connection._unknown_user


async def test_only_the_operator_makes_the_log(house: House) -> None:
    async with await opened(house, OPERATOR) as log:
        await log._connection.api("STREAM.DELETE.TOURNAMENTS_00", {})
    with pytest.raises(Unavailable):
        await opened(house, "tournament", family=TOURNAMENTS, patience_s=0.2)
    with pytest.raises(Failed):
        await opened(house, "tournament", family=TOURNAMENTS, create=True)
    async with await opened(house, OPERATOR, family=TOURNAMENTS, create=True):
        pass
    async with await opened(house, "tournament", family=TOURNAMENTS):
        pass


TARGETS = (
    "feed.match.spades.m",
    "live.match.00.spades.m",
    "match.00.spades.m",
    "match.01.spades.m",
    "tournament.00.tournament.t",
    "beat.spades",
    "$JS.API.STREAM.DELETE.TOURNAMENTS_00",
    "$JS.API.STREAM.PURGE.BEATS",
    "log.api.STREAM.DELETE.TOURNAMENTS_00",
)


async def test_no_answer_goes_where_its_asker_may_not_publish(house: House) -> None:
    """A question names where its answer goes. Within one account the server would send it into a stream, into the feed,
    or, if it is empty, to what deletes a stream.
    """
    heard: list[str] = []

    async def take(message: Msg) -> None:
        heard.append(message.subject)

    reader = await nats.connect(house.url, **house.logins["reader"].options)
    rules = await nats.connect(house.url, **house.logins["rules-hearts"].options)
    spades = await nats.connect(house.url, **house.logins["rules-spades"].options)
    async with await opened(house, OPERATOR) as operator:
        try:
            await reader.subscribe("feed.>", cb=take)
            await arrived(reader)
            await spades.subscribe("live.match.00.spades.*", cb=take)
            await arrived(spades)
            assert (await rules.request("match.00.hearts.m", b"", timeout=5)).data.endswith(b'"seq":1}')
            before = [await lines_in(operator, stream) for stream in STREAMS]
            for target in TARGETS:
                for question in ("DIRECT.GET", "STREAM.MSG.GET", "STREAM.INFO"):
                    await rules.publish(f"log.api.{question}.MATCHES_00", b'{"seq": 1}', reply=target)
                await rules.publish("match.00.hearts.x", b"", reply=target, headers={"Nats-Expected-Stream": "NONE"})
            answer = await rules.request("log.api.STREAM.INFO.MATCHES_00", b"", timeout=5)  # behind all of these
            assert b'"messages":1' in answer.data
            await arrived(reader)
            await arrived(spades)
            assert [await lines_in(operator, stream) for stream in STREAMS] == before
            assert not heard
        finally:
            for client in (reader, rules, spades):
                await client.close()


async def lines_in(log: JetStreamLog, stream: str) -> int:
    answer = msgspec.json.decode(await log._connection.api(f"STREAM.INFO.{stream}", {}))
    return int(answer["state"]["last_seq"])


class TestLogin:
    def test_a_process_without_a_seed_is_a_stranger(self) -> None:
        assert login_of(Settings()).options == {}

    def test_no_print_of_a_login_shows_its_seed(self, tmp_path: Path) -> None:
        path = tmp_path / "deck.seed"
        path.write_text(f"{new_seed()}\n")
        path.chmod(0o600)
        login = login_of(Settings(nats_seed_file=path))
        assert login.seed == path.read_text().strip()
        assert repr(login) == f"Login({public_key(login.seed)})"
        assert login.seed not in repr([login])
        assert login.options["inbox_prefix"] == f"_INBOX_{public_key(login.seed)}"

    @pytest.mark.parametrize("content", ["", "SU", "hello", "SU" + "A" * 56, "é" * 58], ids=len)
    def test_a_damaged_seed_is_refused(self, content: str, tmp_path: Path) -> None:
        path = tmp_path / "deck.seed"
        path.write_text(content)
        path.chmod(0o600)
        with pytest.raises(Refusal, match="seed_file_damaged") as refused:
            login_of(Settings(nats_seed_file=path))
        assert not content or content not in refused.value.sentence

    def test_a_seed_that_others_may_read_is_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "deck.seed"
        path.write_text(new_seed())
        path.chmod(0o644)
        with pytest.raises(Refusal, match="key_file_open"):
            login_of(Settings(nats_seed_file=path))

    def test_tls_takes_all_three_files(self, tmp_path: Path) -> None:
        with pytest.raises(Refusal, match="bad_tls"):
            login_of(Settings(tls_ca_file=tmp_path / "ca.pem"))
        nowhere = tmp_path / "nowhere"
        with pytest.raises(Refusal, match="bad_tls"):
            login_of(Settings(tls_ca_file=nowhere, tls_cert_file=nowhere, tls_key_file=nowhere))


async def test_tls_in_the_address_is_not_talked_out_of(house: House) -> None:
    """Whoever stands between could say that there is no TLS here; the seed would sign for him."""
    with pytest.raises(Unavailable, match="cannot be reached"):
        await JetStreamLog.connect(house.url.replace("nats://", "tls://"), login=house.logins["deck"], patience_s=0.5)
