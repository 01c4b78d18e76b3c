"""Two people at one table: what one of them holds never reaches the other, and neither is in the other's way."""

import re
from contextlib import aclosing

import grpc
import msgspec
from playwright.sync_api import expect

from engine.kernel.facts import Fact
from engine.kernel.value import Referee
from services.kit.wire.clients import SpectatorClient
from tests.browser.players import Player, any_of, aside
from tests.browser.visitor import Visitor, Visitors
from tests.e2e.command import Up

MOVES = 6
"""Of the two together."""

DRAWN = "just4fun.hand_drawn"


def known_to_the_referee(house: Up, match: str, newest: int) -> list[Fact]:
    """All facts with nothing left out, by gRPC; the browser has no way to them."""

    async def ask() -> list[Fact]:
        found: list[Fact] = []
        async with (
            grpc.aio.insecure_channel(house.services["spectator"]) as channel,
            aclosing(SpectatorClient(channel).facts(match, Referee())) as facts,
        ):
            async for fact in facts:
                found.append(fact)
                if fact.revision == newest:
                    break
        return found

    return aside(ask)


def sat_down(visitors: Visitors, match: str, *how: str) -> tuple[list[Visitor], list[Player]]:
    """Two people with a browser each at a new table."""
    people = [visitors(), visitors()]
    assert people[0].house.ask("match", "open", *how, "--seats", "2", "--id", match).code == 0
    players = [Player(each.goto(f"/m/{match}/seat/{seat}"), any_of(seat)) for seat, each in enumerate(people)]
    return people, players


def test_a_hand_reaches_its_own_seat_alone(visitors: Visitors) -> None:
    people, players = sat_down(visitors, "apart", "just4fun")
    for _ in range(MOVES):
        for player in players:
            expect(player.panel).to_have_attribute("data-standing", re.compile("^(yours|waiting)$"))
        turn = next(player for player in players if player.standing == "yours")
        turn.move()
        expect(turn.panel).to_have_attribute("data-standing", "waiting")
    newest = people[0].page.request.get("/api/matches/apart").json()["newest"]
    received = [each.received() for each in people]
    told_apart = 0
    for fact in known_to_the_referee(people[0].house, "apart", newest):
        for event in filter(lambda event: event.type == DRAWN, fact.events):
            secret = msgspec.json.encode({"type": event.type, "v": event.v, "data": event.data})
            seat = msgspec.json.decode(secret)["data"]["seat"]
            assert secret.decode() in received[seat], "a person is told the own hand"
            assert secret.decode() not in received[1 - seat], f"seat {1 - seat} was told {secret.decode()}"
            told_apart += 1
        for sentence in fact.words:
            if drawn := re.match(r"Seat (\d) draws (?!\d+ cards?\.)", sentence):
                assert sentence in received[int(drawn[1])]
                assert sentence not in received[1 - int(drawn[1])]
    assert told_apart >= MOVES
    for seat, text in enumerate(received):
        hands = set(re.findall(rf'id=\\"hand-{1 - seat}\\"><title>([^<]*)', text))
        assert any("4 hidden cards" in title for title in hands), "the other hand is drawn, face down"
        assert all("hidden card" in title or title.endswith(": 0 cards") for title in hands), hands


def test_who_decides_at_the_same_time_is_not_in_the_way(visitors: Visitors) -> None:
    _, (one, other) = sat_down(visitors, "same", "welcome_to")
    one.answer()
    crumb = one.panel.locator(".crumbs li")
    expect(crumb).to_have_count(1)
    chosen = crumb.inner_text()
    other.move()
    expect(other.panel).to_contain_text("The match waits for Seat 0.")
    expect(one.page.locator(".facts")).to_contain_text("Seat 1 is ready.")
    expect(crumb).to_have_text([chosen])
    expect(one.panel).not_to_contain_text("no longer possible")
    one.move()
    expect(one.panel.locator(".prompt")).to_have_text("Choose a combination.")
    expect(one.page.locator(".facts")).to_contain_text("On the table")
    expect(one.panel.get_by_role("alert")).to_have_count(0)
