"""docs/api/asyncapi.json against a real server: each channel is one that the house writes to, and no other is.

The structure is checked first, by what AsyncAPI 3.0 asks of it; then the subjects, from the functions that make them;
then every message of some matches and of an event, as a subscriber to everything hears them.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import jsonschema  # type: ignore[import-untyped]  # it has no types
import msgspec
import nats
import pytest
from nats.aio.msg import Msg
from referencing import Resource

from engine.games import all_games
from engine.kernel.ports import Log, Position, Stored
from services.kit.family import MATCHES, TOURNAMENTS
from services.kit.jetstream import JetStreamLog
from services.kit.jetstream.beats import BEATS, BOOKMARKS, bookmark_subject
from services.kit.jetstream.feed import CorePublisher
from services.kit.jetstream.streams import Stream, stream_config
from services.local.nats_server import NatsServer
from services.local.plan import plan_house
from services.rules.open_matches import BOOKMARK_LINES, OpenMatches
from services.spectator.feed import FEED, Feed
from tests.kit.given import NOON
from tests.kit.nats import arrived, nats_server, until
from tests.kit.schemas import DIALECT, FOLDER, Json, registry
from tests.kit.table import play
from tests.kit.tournaments import Desk, event, swiss

__all__ = ["nats_server"]

PAGE = FOLDER.parent / "asyncapi.json"
DOCUMENT: Json = msgspec.json.decode(PAGE.read_bytes())
CHANNELS: dict[str, Json] = DOCUMENT["channels"]
FAMILIES = {"matches": MATCHES, "tournaments": TOURNAMENTS}
LINES_APPENDED = 12
"""Of one match: its opening, its deal, some moves."""


def found(reference: str) -> Json:
    """What ``#/components/messages/fact`` means."""
    at: Any = DOCUMENT
    for step in reference.removeprefix("#/").split("/"):
        at = at[step]
    assert isinstance(at, dict)
    return at


def resolved(value: Json) -> Json:
    return found(value["$ref"]) if "$ref" in value else value


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from ([value["$ref"]] if "$ref" in value else ())
        for part in value.values():
            yield from references(part)
    elif isinstance(value, list):
        for part in value:
            yield from references(part)


def message_of(channel: str) -> Json:
    (message,) = CHANNELS[channel]["messages"].values()
    return resolved(message)


def subject_pattern(address: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\{\w+\\}", "[A-Za-z0-9_-]+", re.escape(address)))


def checked(schema: Json) -> Any:
    """A validator of a part of the document; ``./schemas/…`` is a file beside it."""
    document = Resource.from_contents(msgspec.json.decode(_beside(DOCUMENT | {"$schema": DIALECT})))
    text = re.sub(rb'"\$ref":"#', b'"$ref":"asyncapi.json#', _beside(schema))
    files = registry().with_resource("asyncapi.json", document)
    return jsonschema.Draft202012Validator(msgspec.json.decode(text), registry=files)


def _beside(schema: Json) -> bytes:
    """References to files as they are called in the registry."""
    return re.sub(rb'"\$ref":"\./schemas/', b'"$ref":"', msgspec.json.encode(schema))


class TestStructure:
    def test_it_is_a_document_of_the_third_version(self) -> None:
        assert DOCUMENT["asyncapi"] == "3.0.0"
        assert DOCUMENT["info"].keys() >= {"title", "version"}
        assert DOCUMENT.keys() <= {"asyncapi", "info", "defaultContentType", "servers", "channels", "operations"} | {
            "components"
        }
        assert all(server.keys() >= {"host", "protocol"} for server in DOCUMENT["servers"].values())

    def test_the_server_is_where_a_house_has_it(self, tmp_path: Path) -> None:
        plan = plan_house(tmp_path, 7400)
        assert DOCUMENT["servers"]["house"] == DOCUMENT["servers"]["house"] | {"host": f"127.0.0.1:{plan.nats_port}"}

    def test_every_reference_leads_somewhere(self) -> None:
        files = registry()
        for reference in set(references(DOCUMENT)):
            if reference.startswith("#"):
                assert found(reference)
            else:
                assert files.resolver().lookup(reference.removeprefix("./schemas/")).contents

    @pytest.mark.parametrize("name", CHANNELS)
    def test_the_parameters_of_a_channel_are_those_of_its_address(self, name: str) -> None:
        channel = CHANNELS[name]
        assert list(channel["parameters"]) == re.findall(r"\{(\w+)\}", channel["address"])
        assert channel["messages"]

    def test_every_channel_has_an_operation_and_its_payload_a_schema_of_ours(self) -> None:
        assert all(each["action"] in ("send", "receive") for each in DOCUMENT["operations"].values())
        used = {each["channel"]["$ref"] for each in DOCUMENT["operations"].values()}
        assert used == {f"#/channels/{name}" for name in CHANNELS}
        for name in CHANNELS:
            payload = message_of(name)["payload"]
            assert payload.keys() == {"schemaFormat", "schema"}
            ours = "#/components/schemas/bookmark" if name == "bookmarks" else "./schemas/"
            assert payload["schema"]["$ref"].startswith(ours)

    def test_nothing_but_the_feed_is_public(self) -> None:
        told = {name: [tag["name"] for tag in channel["tags"]] for name, channel in CHANNELS.items()}
        assert told == {name: ["public" if name == "feed" else "operators"] for name in CHANNELS}


class TestNames:
    @pytest.mark.parametrize("name", FAMILIES)
    def test_a_family_lies_under_its_subjects_in_its_streams(self, name: str) -> None:
        channel, live = CHANNELS[name], CHANNELS[f"live{name.title()}"]
        stream = Stream(FAMILIES[name], 7)
        _, kind, identity = channel["parameters"]
        subject = channel["address"].replace("{partition}", "07")
        assert subject == stream.subject(f"{{{kind}}}", f"{{{identity}}}")
        config = stream_config(stream, 8, bytes_max=0, replicas=1)
        assert live["address"].replace("{partition}", "07") == subject.replace(
            stream.subjects[:-1], config["republish"]["dest"][:-1]
        )
        kept = channel["x-jetstream"] | {"name": channel["x-jetstream"]["name"].replace("{partition}", "07")}
        assert config == config | kept

    def test_the_feed_and_the_beats_have_theirs(self) -> None:
        assert CHANNELS["feed"]["address"] == FEED + ".{game}.{match}"
        assert CHANNELS["beats"]["x-jetstream"]["name"] == BEATS
        assert CHANNELS["bookmarks"]["x-jetstream"]["name"] == BOOKMARKS
        assert CHANNELS["bookmarks"]["address"].replace("{partition}", "07") == bookmark_subject("{game}", 7)
        assert f"{BOOKMARK_LINES:,} lines" in DOCUMENT["operations"]["leaveBookmark"]["summary"]


class Heard(NamedTuple):
    subject: str
    headers: dict[str, str]
    data: bytes


class TestMessages:
    async def test_all_that_is_said_is_described(self, nats_server: NatsServer) -> None:
        heard = await self.everything(nats_server)
        spoken: dict[str, list[Heard]] = {name: [] for name in CHANNELS}
        for message in heard:
            names = [name for name in CHANNELS if subject_pattern(CHANNELS[name]["address"]).fullmatch(message.subject)]
            assert len(names) == 1, f"{message.subject} is described as {names}"
            spoken[names[0]].append(message)
        for name, messages in spoken.items():
            assert messages, f"nobody speaks on {CHANNELS[name]['address']}"
            described = message_of(name)
            payload = checked(described["payload"]["schema"])
            headers = checked(described.get("headers", {"maxProperties": 0}))
            in_words = described.get("contentType") == "text/plain"
            for message in messages:
                payload.validate(message.data.decode() if in_words else msgspec.json.decode(message.data))
                headers.validate(message.headers)
        assert len(spoken["feed"]) == len(spoken["matches"]) == len(spoken["liveMatches"])

    async def test_the_streams_are_set_up_as_it_says(self, nats_server: NatsServer) -> None:
        await self.everything(nats_server)
        client = await nats.connect(nats_server.url)
        try:
            for channel in CHANNELS.values():
                if "x-jetstream" in channel:
                    kept = channel["x-jetstream"] | {"name": channel["x-jetstream"]["name"].format(partition="00")}
                    answer = await client.request(f"$JS.API.STREAM.INFO.{kept['name']}", b"")
                    config = msgspec.json.decode(answer.data)["config"]
                    assert config == config | kept
        finally:
            await client.close()

    @pytest.mark.parametrize("wrong", [{}, {"ce-type": "tavolata.fact"}, {"Nats-Expected-Stream": "MATCHES_0"}])
    def test_other_headers_are_refused(self, wrong: dict[str, str]) -> None:
        right = {
            "Nats-Expected-Stream": "MATCHES_00",
            "Nats-Expected-Last-Subject-Sequence": "3",
            "ce-specversion": "1.0",
            "ce-type": "tavolata.commit",
            "ce-source": "/tavolata/just4fun",
            "ce-id": "m1/4",
            "ce-time": "2026-11-29T22:52:41.023797Z",
            "ce-subject": "m1",
            "content-type": "application/json",
        }
        headers = checked(message_of("matches")["headers"])
        assert headers.is_valid(right)
        assert not headers.is_valid(right | wrong if wrong else {})

    async def everything(self, server: NatsServer) -> list[Heard]:
        """Lines of a match of each game, an event, a beat and a bookmark, as a subscriber to everything hears them."""
        heard: list[Heard] = []

        async def hear(message: Msg) -> None:
            heard.append(Heard(message.subject, dict(message.headers or {}), message.data))

        client = await nats.connect(server.url)
        for first in ("feed", "match", "live", "tournament", "beat", "bookmark"):
            await client.subscribe(f"{first}.>", cb=hear)
        await arrived(client)
        connect = partial(JetStreamLog.connect, server.url, create=True)
        async with await connect() as log, await CorePublisher.connect(server.url) as publisher:
            stored = [each async for each in self.matches(log)]
            feed = Feed(publisher, log)
            await feed.publish(stored, late_until=[0], shown=lambda match: None)
            await feed.settle()
            await log.beats().beat(next(iter(all_games())), NOON)
            await self.leave_bookmark(log, next(iter(all_games())))
        async with await connect(family=TOURNAMENTS) as log:
            desk = Desk(event(swiss()))
            desk.gather(9)
            await append(log, TOURNAMENTS.noun, desk.ledger.identity, tuple(desk.lines))
        wanted = 3 * len(stored) + 2 + 2 * len(desk.lines)
        await until(lambda: len(heard) >= wanted, f"{wanted} messages are heard")
        await client.close()
        assert len(heard) == wanted
        return heard

    async def leave_bookmark(self, log: JetStreamLog, game: str) -> None:
        matches = OpenMatches(log, game, log.beats())
        matches.lines_between = 1
        following = asyncio.create_task(matches.follow(0, lambda match: None, lambda heading: None))

        async def is_left() -> bool:
            return await log.beats().bookmark(game, 0) is not None

        await until(is_left, "a bookmark is left")
        following.cancel()

    async def matches(self, log: Log) -> AsyncIterator[Stored]:
        for number, (key, game) in enumerate(all_games().items(), 1):
            lines = play(game, game.seats[0], {}, number).lines[:LINES_APPENDED]
            for each in await append(log, key, f"m-{number}", lines):
                yield each


async def append(log: Log, kind: str, identity: str, lines: tuple[bytes, ...]) -> list[Stored]:
    stored: list[Stored] = []
    position: Position = 0
    for line in lines:
        position = (await log.append(kind, identity, line, expected=position)).position
        stored.append(Stored(position, line))
    return stored
