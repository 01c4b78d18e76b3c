"""Every user tries everything on a real server: what is not theirs is refused, and what is theirs works.

``ALLOWED`` is the other half of ``services/kit/jetstream/users.py``, written down by deed rather than by subject. A
user who may do more than it says fails here, and so does one who may do less.
"""

import re
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Final

from nats.aio.client import Client
from nats.aio.msg import Msg

from services.kit.jetstream import JetStreamLog
from services.kit.jetstream.credentials import inbox_of
from services.kit.jetstream.users import OPERATOR, READER
from tests.kit.nats import until
from tests.services.users import GAMES, PARTITIONS, STRANGERS, STREAMS, USERS, House, house

__all__ = ["house"]

MATCH_STREAMS: Final = ("MATCHES_00", "MATCHES_01")
EVENT_STREAMS: Final = ("TOURNAMENTS_00", "TOURNAMENTS_01")
BESIDE: Final = ("BEATS", "BOOKMARKS")

ASKING: Final = {
    "look at": "STREAM.INFO.{}",
    "get from": "STREAM.MSG.GET.{}",
    "fetch from": "DIRECT.GET.{}",
    "fetch the last of": "DIRECT.GET.{}.match.00.hearts.m",
    "make": "STREAM.CREATE.{}",
    "change": "STREAM.UPDATE.{}",
    "empty": "STREAM.PURGE.{}",
    "delete": "STREAM.DELETE.{}",
    "delete a line of": "STREAM.MSG.DELETE.{}",
    "copy": "STREAM.SNAPSHOT.{}",
    "restore": "STREAM.RESTORE.{}",
    "unseat the leader of": "STREAM.LEADER.STEPDOWN.{}",
    "list the consumers of": "CONSUMER.NAMES.{}",
    "make a consumer of": "CONSUMER.CREATE.{}",
    "make a filtered consumer of": "CONSUMER.CREATE.{}.mine.match.00.hearts.*",
    "make a durable consumer of": "CONSUMER.DURABLE.CREATE.{}.mine",
    "look at a consumer of": "CONSUMER.INFO.{}.theirs",
    "pull from": "CONSUMER.MSG.NEXT.{}.theirs",
    "delete a consumer of": "CONSUMER.DELETE.{}.nobody",
}
"""Each is asked with a body that is no answer to anything, so the server takes the question and does nothing."""

READ: Final = ("look at", "get from", "fetch from")


def deeds(asked: tuple[str, ...], streams: tuple[str, ...]) -> set[str]:
    return {f"{deed} {stream}" for deed in asked for stream in streams}


ALLOWED: Final[dict[str, set[str]]] = {
    "deck": deeds(READ, MATCH_STREAMS),
    "rules-hearts": {
        *deeds(READ, MATCH_STREAMS),
        *("append to hearts 00", "append to hearts 01", "hear of hearts 00", "hear of hearts 01"),
        *("beat for hearts", "get from BEATS"),
        *("leave a bookmark in hearts 00", "leave a bookmark in hearts 01", "get from BOOKMARKS"),
    },
    "rules-spades": {
        *deeds(READ, MATCH_STREAMS),
        *("append to spades 00", "append to spades 01", "hear of spades 00", "hear of spades 01"),
        *("beat for spades", "get from BEATS"),
        *("leave a bookmark in spades 00", "leave a bookmark in spades 01", "get from BOOKMARKS"),
    },
    "scoring": {
        *deeds(READ, MATCH_STREAMS),
        *deeds(("hear of",), ("hearts 00", "hearts 01", "spades 00", "spades 01")),
    },
    "spectator": {
        *deeds(READ, MATCH_STREAMS),
        *deeds(("hear of",), ("hearts 00", "hearts 01", "spades 00", "spades 01")),
        "tell the feed",
    },
    "tournament": {
        *deeds(READ, (*MATCH_STREAMS, *EVENT_STREAMS)),
        *deeds(("hear of",), ("hearts 00", "hearts 01", "spades 00", "spades 01", "tournaments 00", "tournaments 01")),
        *("append to tournaments 00", "append to tournaments 01"),
    },
    OPERATOR: {
        *deeds(tuple(ASKING), STREAMS) - deeds(("fetch from", "fetch the last of"), BESIDE),  # which are not direct
        *("list the streams", "look at the account", "answer a copy"),
        *deeds(("hear of",), ("hearts 00", "hearts 01", "spades 00", "spades 01", "tournaments 00", "tournaments 01")),
        *("hear of everything stored", "hear advisories"),
    },
    READER: {"hear the feed"},
    STRANGERS: {"hear the feed", "hear the inbox of reader"},  # who they are taken for; its seed asks nothing
}

PUBLISHING: Final = {
    **{f"append to {game} {number}": f"match.{number}.{game}.m" for game in GAMES for number in ("00", "01")},
    **{f"append to tournaments {number}": f"tournament.{number}.tournament.t" for number in ("00", "01")},
    **{f"beat for {game}": f"beat.{game}" for game in GAMES},
    **{
        f"leave a bookmark in {game} {number}": f"bookmark.{number}.{game}" for game in GAMES for number in ("00", "01")
    },
}
TELLING: Final = {
    "tell the feed": "feed.match.hearts.m",
    "tell what is stored": "live.match.00.hearts.m",
    "tell the operator of a new stream": "$JS.EVENT.ADVISORY.STREAM.CREATED.X",
    "answer a copy": "$JS.SNAPSHOT.ACK.x",
    "acknowledge": "$JS.ACK.MATCHES_00.theirs.1.1.1.1.0",
    "ask the servers": "$SYS.REQ.SERVER.PING",
    "answer a question of others": "_R_.x",
}
HEARING: Final = {
    **{f"hear of {game} {number}": f"live.match.{number}.{game}.*" for game in GAMES for number in ("00", "01")},
    **{f"hear of tournaments {number}": f"live.tournament.{number}.*.*" for number in ("00", "01")},
    "hear of everything stored": "live.>",
    "hear the feed": "feed.>",
    "hear appends": "match.>",
    "hear everything": ">",
    "hear any inbox": "_INBOX.>",
    "hear answers": "_R_.>",
    "hear advisories": "$JS.EVENT.>",
    "hear the servers": "$SYS.>",
    "hear acknowledgements": "$JS.ACK.>",
    "hear questions": "$JS.API.>",
    "hear the questions of users": "log.api.>",
}


class Person:
    """A connection of one user that keeps whatever the server answers, or says is not for this user."""

    def __init__(self, client: Client, inbox: str) -> None:
        self.client = client
        self.inbox = inbox
        self.answers: dict[str, Msg] = {}
        self.forbidden: Counter[str] = Counter()

    async def take(self, message: Msg) -> None:
        self.answers.setdefault(message.subject.rpartition(".")[2], message)

    async def hear_error(self, error: Exception) -> None:
        for subject in re.findall(r'permissions violation for \w+ to "([^"]*)"', str(error)):
            self.forbidden[subject] += 1


@asynccontextmanager
async def person(house: House, name: str) -> AsyncIterator[Person]:
    client = Client()
    one = Person(client, "")
    await client.connect(house.url, error_cb=one.hear_error, **house.logins[name].options)
    try:
        one.inbox = client.new_inbox()
        if name not in (READER, STRANGERS):
            await client.subscribe(f"{one.inbox}.*", cb=one.take)
        yield one
    finally:
        await client.close()


async def what_works(house: House, name: str) -> set[str]:
    """The deeds that the server lets a user do, all of them tried at once; inboxes of others are a deed each."""
    asked: dict[str, tuple[str, str]] = {}
    hearing = HEARING | {
        f"hear the inbox of {other}": f"{inbox_of(key)}.>" for other, key in house.keys.items() if other != name
    }
    async with person(house, name) as one:
        for prefix in ("log.api", "$JS.API"):
            for deed, question in questions():
                asked[f"{len(asked)}"] = (deed, f"{prefix}.{question}")
        for deed, subject in (PUBLISHING | TELLING).items():
            asked[f"{len(asked)}"] = (deed, subject)
        for token, (_, subject) in asked.items():
            headers = {"Nats-Expected-Stream": "NONE"} if subject in PUBLISHING.values() else None
            body = b'{"batch": 1, "no_wait": true}' if "MSG.NEXT" in subject else b"?"
            await one.client.publish(subject, body, reply=f"{one.inbox}.{token}", headers=headers)
        for subject in hearing.values():
            await one.client.subscribe(subject, cb=nobody)
        for _ in range(2):  # a ping overtakes what waits in the client to be sent
            await one.client.flush()

        def unknown() -> list[str]:
            told = (subject for token, (_, subject) in asked.items() if token not in one.answers)
            return [subject for subject in told if subject.lower() not in one.forbidden]

        await until(lambda: not unknown(), f"{name} knows of every deed")
        works = {deed for deed, subject in hearing.items() if subject.lower() not in one.forbidden}
        for token, (deed, subject) in asked.items():
            if subject.lower() not in one.forbidden and (deed in TELLING or answers(one.answers[token])):
                works.add(deed)
        return works


def questions() -> Iterator[tuple[str, str]]:
    yield "list the streams", "STREAM.NAMES"
    yield "list the streams", "STREAM.LIST"
    yield "look at the account", "INFO"
    for deed, question in ASKING.items():
        for stream in STREAMS:
            yield f"{deed} {stream}", question.format(stream)


def answers(message: Msg) -> bool:
    """Whether somebody is there: not nobody, and not an account that has no JetStream."""
    status = (message.headers or {}).get("Status")
    return status != "503" and b"not enabled for account" not in message.data


async def nobody(message: Msg) -> None:
    raise AssertionError(message.subject)


async def test_every_user_may_do_what_the_table_says_and_nothing_else(house: House) -> None:
    async with await JetStreamLog.connect(house.url, login=house.logins[OPERATOR], partitions=PARTITIONS) as log:
        for stream in STREAMS:  # somebody else's consumer
            config = {"name": "theirs", "ack_policy": "none", "inactive_threshold": 60_000_000_000}
            body = {"stream_name": stream, "config": config, "action": "create"}
            await log._connection.api(f"CONSUMER.CREATE.{stream}.theirs", body)
    found = {name: await what_works(house, name) for name in (*USERS, STRANGERS)}
    for name, works in found.items():
        assert works == ALLOWED[name], f"{name}: {sorted(works ^ ALLOWED[name])}"
