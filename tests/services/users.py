"""A NATS server that knows the users of a house, for the tests of what they may do."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from services.kit.jetstream.credentials import STRANGER, Login, public_key, read_seed
from services.kit.jetstream.making import make_log
from services.kit.jetstream.users import OPERATOR, READER, authorization, users
from services.local.keys import make_seeds, seed_file
from services.local.nats_server import NatsServer

GAMES: Final = ("hearts", "spades")
PARTITIONS: Final = 2
STRANGERS: Final = "strangers"
USERS: Final = ("deck", "rules-hearts", "rules-spades", "scoring", "spectator", "tournament", OPERATOR, READER)
STREAMS: Final = ("MATCHES_00", "MATCHES_01", "TOURNAMENTS_00", "TOURNAMENTS_01", "BEATS", "BOOKMARKS")


class House(NamedTuple):
    url: str
    logins: dict[str, Login]

    @property
    def keys(self) -> dict[str, str]:
        return {name: public_key(login.seed) for name, login in self.logins.items() if login.seed}


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    everybody = users(GAMES, PARTITIONS)
    assert tuple(user.name for user in everybody) == USERS
    keys = make_seeds(tmp_path / "seeds", USERS)
    logins = {name: Login(read_seed(seed_file(tmp_path / "seeds", name))) for name in USERS}
    server = NatsServer(tmp_path / "nats", durability="fast", users=authorization(everybody, keys, strangers=READER))
    async with server:
        assert tuple(await make_log(server.url, logins[OPERATOR], partitions=PARTITIONS)) == STREAMS
        yield House(server.url, logins | {STRANGERS: STRANGER})
