"""Tables in a small house, for the tests of what may be shown yet: who moves, and what a bystander is sent."""

import asyncio
from collections.abc import Callable
from contextlib import aclosing, suppress
from typing import Any

import msgspec

from engine.kernel.commit import Commit, decode_line
from engine.kernel.deal import Deal
from engine.kernel.game import Seats
from engine.kernel.history import AnyHistory, History
from engine.kernel.official import LuckResolved
from engine.kernel.ports import Log
from engine.kernel.refusal import Refusal
from engine.kernel.value import Instant, Revision, Spectator
from services.kit.following import match_of_rules
from services.kit.pulse import Pulse
from services.scoring.scoreboard import Scoreboard, Standing
from tests.kit.given import NOON
from tests.kit.nats import until
from tests.services.hosts import commits, leave
from tests.services.small_house import Heard, Person, SmallHouse

SILENCE_S = 0.02
"""How long a stream that has nothing to say is listened to; one that says too much is heard at once."""


class Watch:
    """A clock whose hands a test moves."""

    def __init__(self) -> None:
        self._at: Instant = NOON
        self._moved = Pulse()
        self.sleepers = 0

    def now(self) -> Instant:
        return self._at

    async def sleep_until(self, at: Instant) -> None:
        self.sleepers += 1
        while self._at < at:
            await self._moved.wait()

    def forward(self, ms: int) -> None:
        self._at += ms * 1000
        self._moved.beat()


async def open_table(house: SmallHouse, deal: Deal | None, match: str, seats: int = 2, **more: Any) -> None:
    await house.host.open(match, seats=seats, deal=deal, **more)


async def folded(log: Log, match: str, until_revision: Revision | None = None) -> AnyHistory:
    stored = await log.read(match, after=0)
    history: AnyHistory = History(match_of_rules(decode_line(stored[0].line).rules), match)
    for line in stored[:until_revision]:
        history.accept(line.line, line.position)
    return history


async def move(house: SmallHouse, match: str, choose: int = 0) -> bool:
    """Whoever may moves makes the first legal move (or the one at ``choose`` from the end); False if it is over."""
    history = await folded(house.log, match)
    pending = history.pending
    if not isinstance(pending, Seats):
        return False
    game = history.match.game
    legal = list(game.legal(history.state.game, pending.seats[0]))
    command = msgspec.json.encode(game.commands.encode(legal[-choose % len(legal)])).decode()
    await house.host.act(match, f"move-{history.revision}", pending.seats[0], command)
    return True


async def give_up(house: SmallHouse, match: str) -> None:
    """All seats leave but for one, and so the match ends; or that one, too, where the rules let it go on alone."""
    seat = 0
    while (await folded(house.log, match)).state.ended is None:
        await house.host.act(match, f"bye-{seat}", seat, leave(seat))
        seat += 1


async def draws(log: Log, match: str) -> list[str]:
    """The draw ids of a match in order."""
    return [
        msgspec.json.decode(event.data)["draw_id"]
        for commit in await commits(log, match)
        for event in commit.events
        if event.type == LuckResolved.name
    ]


async def may_be_shown(log: Log, deal: Deal, match: str) -> Revision:
    """The rule, written down here a second time, from the log alone: how far bystanders may be shown a match."""
    tables = [await commits(log, deal.match(number)) for number in range(1, deal.tables + 1)]

    def drawn(commit: Commit) -> str:
        return next(
            (msgspec.json.decode(each.data)["draw_id"] for each in commit.events if each.type == LuckResolved.name), ""
        )

    def has_completed(table: list[Commit], draw_id: str) -> bool:
        if any(event.type == "tavolata.match_ended" for commit in table for event in commit.events):
            return True
        ids = [drawn(commit) for commit in table if drawn(commit)]
        return draw_id in ids[:-1]

    shown = 0
    of_match = await commits(log, match)
    if of_match and of_match[-1].id == "luck:seed":
        return of_match[-1].revision
    for commit in of_match:
        if drawn(commit) and not all(has_completed(table, drawn(commit)) for table in tables):
            break
        shown = commit.revision
    return shown


async def standing(log: Log, match: str, revision: Revision) -> Standing:
    return Scoreboard().project(await folded(log, match, revision))


async def fence(house: SmallHouse, feed: Heard, name: str) -> None:
    """Wait until the services have read all that is in the log: an ordinary match behind it is known to them."""
    await open_table(house, None, name)
    newest = len(await house.log.read(name, after=0))

    async def is_known() -> bool:
        try:
            known = (await house.scoring.match(name)).revision == newest
        except Refusal:
            return False
        heard = [subject for subject, _ in feed.messages if subject.endswith(f".{name}")]
        return known and len(heard) == newest

    await until(is_known, f"the services have read to the end of {name}")


async def look(one: Person, match: str, revisions: int = 14) -> Revision:
    """Everything that a bystander can ask about a match; the newest revision that this one was told of."""
    spectator, scoring = one.spectator, one.scoring
    await one.try_to(scoring.match(match))
    _ = [match async for match in scoring.matches()]
    await one.try_to(spectator.export(match))
    for revision in range(revisions):
        await one.try_to(spectator.snapshot(match, Spectator(), revision=revision))
    try:
        newest = (await spectator.snapshot(match, Spectator())).newest
    except Refusal:
        newest = 0
    for after in range(revisions):
        if after == 0 or after != newest:
            await one.try_to(_facts(one, match, after, newest - after))
    if newest:
        async with aclosing(spectator.positions(match, Spectator())) as positions:
            await anext(positions)
        with suppress(TimeoutError):
            async with asyncio.timeout(SILENCE_S):
                await _facts(one, match, newest, 1)
    return newest


async def _facts(one: Person, match: str, after: Revision, count: int) -> None:
    """The next facts behind a revision, at least one: a stream that may not be read says so at its first."""
    async with aclosing(one.spectator.facts(match, Spectator(), after=after)) as facts:
        for _ in range(max(1, count)):
            await anext(facts)


async def follow(house: SmallHouse, match: str, hear: Callable[[Revision], None]) -> None:
    """One stream before the curtain, to its end."""
    async with aclosing(house.gallery.facts(match, Spectator(), 0)) as facts:
        async for fact in facts:
            hear(fact.revision)


def heard_of(feed: Heard, match: str) -> list[Revision]:
    return [
        msgspec.json.decode(payload)["revision"] for subject, payload in feed.messages if subject.endswith(f".{match}")
    ]
