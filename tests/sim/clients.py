"""The people: who opens matches, who plays, who looks on. They know the network and what it tells them, nothing else.

Like the real bots they send a command again under its id until they hear yes or no, and choose from their own seat's
view. Unlike them they sleep, stutter, hang up, talk nonsense and walk away, as their habits say.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from typing import Any

import msgspec

from bots.brains import AnyBrain, brain_named, lot_named
from bots.mirror import Mirror
from engine.kernel.commit import HOST, seat_actor
from engine.kernel.game import Seats
from engine.kernel.limits import COMMITS_MAX
from engine.kernel.official import COMMANDS, DEFAULT, Leave
from engine.kernel.ports import Unavailable
from engine.kernel.refusal import Refusal
from engine.kernel.value import Revision, Seat, viewer_named
from services.kit.pulse import Pulse
from services.rules.app import OPENING_ID, MatchHost, Receipt
from services.spectator.app import Gallery
from tests.sim.network import Network
from tests.sim.plan import Habits, MatchPlan, games
from tests.sim.process import Process, Replica
from tests.sim.records import Answer, Record, Shown, Sight

NONSENSE = (
    "{",
    "[]",
    '{"type":"nobody.knows"}',
    '{"type":"luck.reveal_seed","data":{"seed":"00"}}',
    '{"type":"tavolata.expire","data":{"turn":1}}',
    '{"type":"tavolata.leave","data":{"seat":99}}',
    '{"type":"duel.pick","data":{"number":9,"bold":true}}',
)
NOT_YET = ("unknown_match", "no_such_revision")
"""What a viewer may be told who comes before the match is open."""


class House:
    """What a client can reach, and where its experience is written down. ``in_log`` asks the log itself."""

    def __init__(
        self,
        network: Network,
        hosts: Mapping[str, Sequence[Replica[MatchHost]]],
        galleries: Sequence[Replica[Gallery]],
        record: Record,
        in_log: Callable[[str, str, str], Revision],
    ) -> None:
        self.network = network
        self.hosts = hosts
        self.galleries = galleries
        self.record = record
        self.in_log = in_log

    async def ask(
        self,
        client: Process,
        game: str,
        match_id: str,
        actor: str,
        command_id: str,
        work: Callable[[MatchHost], Awaitable[Receipt]],
        *,
        same: bool = True,
    ) -> str:
        """One call of a command: what was said, or "" where nothing was heard. ``same``: it may be a repeat."""
        in_log = self.in_log(match_id, actor, command_id) if same else 0
        try:
            receipt = await self.network.call(client, self.hosts[game], f"{match_id} {command_id}", work)
        except Unavailable:
            return ""
        except Refusal as refusal:
            self.record.answers.append(Answer(match_id, actor, command_id, refusal.code, 0, in_log))
            return refusal.code
        said = "duplicate" if receipt.duplicate else "accepted"
        self.record.answers.append(Answer(match_id, actor, command_id, said, receipt.revision, in_log))
        return said


class Opener:
    """Opens a match, and perhaps again: the same, otherwise, and as a match of another game."""

    def __init__(self, house: House, client: Process, plan: MatchPlan, dice: random.Random) -> None:
        self._house = house
        self._client = client
        self._plan = plan
        self._dice = dice

    async def run(self) -> None:
        await asyncio.sleep(self._plan.opens_s)
        while not await self._open(self._plan.game, self._plan.turn_ms):  # noqa: ASYNC110 - a pause between calls
            await asyncio.sleep(0.3)
        if self._plan.pesters:
            await self._pester()

    async def _pester(self) -> None:
        others = [key for key in games() if key != self._plan.game]
        for game, turn_ms in (
            (self._plan.game, self._plan.turn_ms),
            (self._plan.game, self._plan.turn_ms + 1),
            (self._dice.choice(others), 0),
        ):
            await asyncio.sleep(self._dice.uniform(0, 3))
            await self._open(game, turn_ms)

    async def _open(self, game: str, turn_ms: int) -> str:
        plan = self._plan
        here = game == plan.game
        same = here and turn_ms == plan.turn_ms

        async def work(host: MatchHost) -> Receipt:
            return await host.open(
                plan.match_id,
                seats=plan.seats if here else 2,
                options_json=msgspec.json.encode(plan.options).decode() if here else "{}",
                nonces=plan.nonces if here else (),
                players=[f"player-{seat}" for seat in range(plan.seats)] if here else (),
                turn_ms=turn_ms,
                bank_ms=plan.clocks.bank_ms if here else 0,
                increment_ms=plan.clocks.increment_ms if here else 0,
                on_timeout=plan.clocks.on_timeout if here else DEFAULT,
            )

        return await self._house.ask(self._client, game, plan.match_id, HOST, OPENING_ID, work, same=same)


class Director:
    """Directs a match as planned; each command is sent until there is an answer, which may be no."""

    def __init__(self, house: House, client: Process, plan: MatchPlan, dice: random.Random) -> None:
        self._house = house
        self._client = client
        self._plan = plan
        self._dice = dice

    async def run(self) -> None:
        await asyncio.sleep(self._plan.opens_s)
        for number, direction in enumerate(self._plan.directions, 1):
            await asyncio.sleep(direction.after_s)
            text = msgspec.json.encode(COMMANDS.encode(direction.command)).decode()
            while await self._once(f"direct-{number}", text) in ("", "unknown_match"):  # noqa: ASYNC110 - as above
                await asyncio.sleep(self._dice.uniform(0.05, 1.0))

    async def _once(self, command_id: str, text: str) -> str:
        async def work(host: MatchHost) -> Receipt:
            return await host.direct(self._plan.match_id, command_id, text)

        return await self._house.ask(self._client, self._plan.game, self._plan.match_id, HOST, command_id, work)


class Viewer:
    """Reads one match's facts to the end, over every break, and now and then asks for a snapshot."""

    def __init__(self, house: House, client: Process, plan: MatchPlan, viewer: str, dice: random.Random) -> None:
        self.sight = Sight(client.name, plan.match_id, viewer)
        house.record.sights.append(self.sight)
        self._house = house
        self._client = client
        self._plan = plan
        self._viewer = viewer_named(viewer)
        self._dice = dice
        self._complete = False

    @property
    def revision(self) -> Revision:
        return self.sight.facts[-1].revision if self.sight.facts else 0

    async def run(self) -> None:
        while not self._complete:
            try:
                await self._read()
            except Unavailable:
                pass
            except Refusal as refusal:
                if refusal.code not in NOT_YET or self.revision:
                    raise
            await asyncio.sleep(self._dice.uniform(0.05, 0.5))
        await self._look()

    async def _read(self) -> None:
        match_id, viewer, after = self._plan.match_id, self._viewer, self.revision
        if not games()[self._plan.game].past_is_open:
            # What is recalled leads to the present only from the beginning; what was told before is passed over.
            self._begin_again()
            after = 0
        stream = self._house.network.stream(
            self._client,
            self._house.galleries,
            f"{match_id} behind {after}",
            lambda gallery: gallery.facts(match_id, viewer, after),
        )
        async with aclosing(stream) as facts:
            begun = False
            async for fact in facts:
                if not begun:
                    begun = True
                    await self._begun()
                if fact.revision > self.revision:
                    self.sight.facts.append(fact)
                self.take(fact)
        self._complete = True

    def _begin_again(self) -> None:
        """Before facts come from the beginning once more."""

    async def _begun(self) -> None:
        """Some fact of a reading has come."""

    def take(self, fact: Any) -> None:
        """What a player does with it."""

    async def _look(self) -> None:
        """At the match as it was at some revision; it is complete, so the answer is known."""
        revision = self._dice.randint(0, self.revision)
        try:
            snapshot = await self._house.network.call(
                self._client,
                self._house.galleries,
                f"{self._plan.match_id} at {revision}",
                lambda gallery: gallery.snapshot(self._plan.match_id, self._viewer, revision),
            )
        except Unavailable:
            return
        self._house.record.shown.append(Shown(self.sight.viewer, snapshot))


class Player(Viewer):
    """Sits in one seat: watches as that seat, and moves when it is asked for."""

    def __init__(self, house: House, client: Process, plan: MatchPlan, seat: Seat, dice: random.Random) -> None:
        super().__init__(house, client, plan, seat_actor(seat), dice)
        self._game = games()[plan.game]
        self._mirror = Mirror(self._game, seat)
        self._habits: Habits = plan.habits[seat]
        self._brain: AnyBrain = brain_named(self._habits.level, self._game, seat)
        self._seat = seat
        self._pulse = Pulse()
        self._commands = 0
        self._newest: Revision = 0

    async def run(self) -> None:
        playing = self._client.spawn(self._play())
        await super().run()
        await playing

    def _begin_again(self) -> None:
        self._mirror = Mirror(self._game, self._seat)
        self._newest = COMMITS_MAX

    async def _begun(self) -> None:
        """What is recalled on this reading is not newer than what a snapshot shows now."""
        if self._game.past_is_open:
            return
        snapshot = await self._house.network.call(
            self._client,
            self._house.galleries,
            f"{self._plan.match_id} now",
            lambda gallery: gallery.snapshot(self._plan.match_id, self._viewer, 0),
        )
        self._newest = snapshot.newest

    def take(self, fact: Any) -> None:
        self._mirror.take(fact)
        self._pulse.beat()

    def _is_asked(self) -> bool:
        """Whether the match waits for this seat now, as far as it knows."""
        if not self._mirror.revision or self._mirror.revision < self._newest:
            return False  # of the past there may be holes where there was a choice
        pending = self._mirror.pending
        return isinstance(pending, Seats) and self._seat in pending.seats

    @property
    def _over(self) -> bool:
        return bool(self._mirror.revision) and self._mirror.state.ended is not None

    async def _play(self) -> None:
        while not self._over:
            if not self._is_asked():
                await self._pulse.wait()
                continue
            await asyncio.sleep(self._pause_s())
            if not self._is_asked():
                continue
            revision = await self._move()
            while self._mirror.revision < revision:
                await self._pulse.wait()

    def _pause_s(self) -> float:
        if self._often(self._habits.sleeps):
            return (self._plan.turn_ms + self._plan.clocks.bank_ms) / 1000 * 1.2 or 2.0
        return self._dice.uniform(0, self._habits.think_s)

    async def _move(self) -> Revision:
        """One command, and what belongs to this person's habits; the revision it became, or 0."""
        habits = self._habits
        if self._often(habits.errs):
            await self._once(self._next_id("wrong"), self._dice.choice(NONSENSE))
            if not self._is_asked():
                return 0  # somebody or the clock was quicker
        if self._often(habits.leaves):
            leave = msgspec.json.encode({"type": Leave.name, "data": {"seat": self._seat}}).decode()
            return await self._send(self._next_id("leave"), leave)
        move = self._mirror.moves + 1
        command = self._brain.choose(self._mirror.state.game, lot_named(f"{self._plan.match_id}/{self._seat}/{move}"))
        text = msgspec.json.encode(self._game.commands.encode(command)).decode()
        careful = self._mirror.revision if self._often(habits.careful) else 0
        command_id = self._next_id("move")
        if self._often(habits.hangs_up):
            await self._hang_up(command_id, text, careful)
        revision = await self._send(command_id, text, careful)
        if self._often(habits.repeats):
            await self._once(command_id, text, careful)
        if not revision:
            await asyncio.sleep(0.3)
        return revision

    async def _hang_up(self, command_id: str, text: str, careful: Revision) -> None:
        calling = self._client.spawn(self._once(command_id, text, careful))
        await asyncio.sleep(self._dice.choice((0.0, 0.001, 0.01)))
        calling.cancel()
        await asyncio.wait({calling})

    async def _send(self, command_id: str, text: str, careful: Revision = 0) -> Revision:
        """Until there is an answer; the revision if it is yes."""
        while not (said := await self._once(command_id, text, careful)):  # noqa: ASYNC110 - a pause between calls
            await asyncio.sleep(self._dice.uniform(0.05, 1.0))
        if said not in ("accepted", "duplicate"):
            return 0
        return self._house.record.answers[-1].revision

    async def _once(self, command_id: str, text: str, careful: Revision = 0) -> str:
        async def work(host: MatchHost) -> Receipt:
            return await host.act(self._plan.match_id, command_id, self._seat, text, expected_revision=careful)

        return await self._house.ask(
            self._client, self._plan.game, self._plan.match_id, seat_actor(self._seat), command_id, work
        )

    def _next_id(self, what: str) -> str:
        self._commands += 1
        return f"{what}-{self._seat}-{self._commands}"

    def _often(self, chance: float) -> bool:
        return chance > 0 and self._dice.random() < chance
