"""One client that asks without end keeps the house from nobody; and whom a proxy speaks for is believed of proxies."""

import asyncio
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send

from engine.kernel.refusal import Refusal
from services.gateway.limits import Bounds, Limits
from services.gateway.proxies import BehindProxies, networks_of

ADDRESS = Bounds(rate=2, burst=4, open_max=2)
TOKEN = Bounds(rate=1, burst=2, open_max=1)


class House:
    """Answers everything at once, or when it is told to; ``seen`` are the scopes of what came through."""

    def __init__(self, clients_max: int = 100) -> None:
        self.now = 0.0
        self.seen: list[Scope] = []
        self.go_on = asyncio.Event()
        self.go_on.set()
        self.limits = Limits(self._answer, ADDRESS, TOKEN, clients_max, elapsed=lambda: self.now)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.seen.append(scope)
        await self.go_on.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def ask(self, address: str = "192.0.2.1", token: str = "") -> tuple[int, dict[str, str]]:
        headers = [(b"authorization", f"Bearer {token}.of.theirs".encode())] if token else []
        return await asked(self.limits, {"client": (address, 5), "headers": headers})


async def asked(app: Any, more: dict[str, Any]) -> tuple[int, dict[str, str]]:
    told: list[Message] = []

    async def send(message: Message) -> None:
        told.append(message)

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    await app({"type": "http", "scheme": "http", "method": "GET", "path": "/", "headers": []} | more, receive, send)
    head = {name.decode(): value.decode() for name, value in told[0]["headers"]}
    return told[0]["status"], head


async def statuses(house: House, count: int, **who: str) -> list[int]:
    return [(await house.ask(**who))[0] for _ in range(count)]


async def test_an_address_that_asks_too_much_waits_and_others_do_not() -> None:
    house = House()
    assert await statuses(house, 6) == [200, 200, 200, 200, 429, 429]
    assert (await house.ask())[1]["retry-after"] == "1"
    assert await statuses(house, 1, address="192.0.2.2") == [200]
    house.now += 1
    assert await statuses(house, 3) == [200, 200, 429]


async def test_a_token_has_its_own_measure_and_making_tokens_up_makes_no_more_of_the_address() -> None:
    house = House()
    assert await statuses(house, 3, token="a") == [200, 200, 429]
    assert [(await house.ask(token=f"made-up-{n}"))[0] for n in range(3)] == [200, 200, 429]
    assert await statuses(house, 1, address="192.0.2.9", token="a") == [429], "the token is the same from anywhere"


async def test_this_machine_is_measured_by_its_tokens_only() -> None:
    house = House()
    assert await statuses(house, 10, address="127.0.0.1") == [200] * 10
    assert await statuses(house, 3, address="::1", token="a") == [200, 200, 429]


async def test_what_is_open_at_once_is_bounded() -> None:
    house = House()
    house.go_on.clear()
    streams = [asyncio.create_task(house.ask()) for _ in range(2)]
    await asyncio.wait(streams, timeout=0.01)
    assert len(house.seen) == 2
    assert (await house.ask())[0] == 429
    house.go_on.set()
    assert [status for status, _ in await asyncio.gather(*streams)] == [200, 200]
    assert (await house.ask())[0] == 200


async def test_a_network_of_ipv6_is_one_client() -> None:
    house = House()
    assert [(await house.ask(f"2001:db8::{n}"))[0] for n in range(1, 7)] == [200] * 4 + [429] * 2
    assert (await house.ask("2001:db8:0:1::1"))[0] == 200
    assert [(await house.ask("::ffff:192.0.2.1"))[0] for _ in range(5)] == [200] * 4 + [429], "this is one of IPv4"
    assert (await house.ask("::ffff:192.0.2.2"))[0] == 200


async def test_what_is_remembered_is_bounded() -> None:
    house = House(clients_max=3)
    for n in range(1, 100):
        await house.ask(f"198.51.100.{n}")
    assert len(house.limits._clients) == 3


@pytest.mark.parametrize(
    ("peer", "forwarded", "proto", "client", "scheme"),
    [
        ("10.0.0.1", "203.0.113.7", "https", "203.0.113.7", "https"),
        ("10.0.0.1", "1.2.3.4, 203.0.113.7", "https", "203.0.113.7", "https"),
        ("10.0.0.1", "203.0.113.7, 10.0.0.9", "http", "203.0.113.7", "http"),
        ("::ffff:10.0.0.1", "203.0.113.7", "https", "203.0.113.7", "https"),
        ("10.0.0.1", "", "", "10.0.0.1", "http"),
        ("10.0.0.1", "nonsense", "ftp", "10.0.0.1", "http"),
        ("10.0.0.1", "203.0.113.7, nonsense", "https", "10.0.0.1", "https"),
        ("192.0.2.1", "203.0.113.7", "https", "192.0.2.1", "http"),
        ("127.0.0.1", "203.0.113.7", "https", "127.0.0.1", "http"),
    ],
)
async def test_only_proxies_of_ours_speak_for_others(
    peer: str, forwarded: str, proto: str, client: str, scheme: str
) -> None:
    seen: list[Scope] = []

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(scope)
        await send({"type": "http.response.start", "status": 200, "headers": []})

    headers = [(b"x-forwarded-for", forwarded.encode()), (b"x-forwarded-proto", proto.encode())]
    await asked(BehindProxies(answer, networks_of("10.0.0.0/8")), {"client": (peer, 1), "headers": headers})
    assert (seen[0]["client"][0], seen[0]["scheme"]) == (client, scheme)


async def test_a_proxy_that_adds_a_header_of_its_own_is_believed_and_the_one_before_it_is_not() -> None:
    """Whoever asked has sent the same header, so that they would be counted as somebody else."""
    seen: list[Scope] = []

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(scope)
        await send({"type": "http.response.start", "status": 200, "headers": []})

    headers = [
        (b"x-forwarded-for", b"127.0.0.1"),
        (b"x-forwarded-proto", b"https"),
        (b"x-forwarded-for", b"203.0.113.7"),
        (b"x-forwarded-proto", b"http"),
    ]
    await asked(BehindProxies(answer, networks_of("10.0.0.0/8")), {"client": ("10.0.0.1", 1), "headers": headers})
    assert (seen[0]["client"][0], seen[0]["scheme"]) == ("203.0.113.7", "http")


def test_a_proxy_that_is_no_address_is_told() -> None:
    with pytest.raises(Refusal) as caught:
        networks_of("10.0.0.0/99")
    assert caught.value.code == "bad_setting"
