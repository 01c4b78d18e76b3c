"""One run: builds the house that a plan describes, lets everybody in, and waits until all is done and quiet.

After the last match is complete and the storm is over, the read models must come to the end of the log, every match
must be given out as an export, and closing the services must leave nothing behind. Whatever was seen on the way is the
evidence for the checkers.
"""

import asyncio
import gc
import random
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
import structlog.testing
from sqlalchemy.engine import Engine
from sqlmodel import create_engine

from engine.games import all_games
from engine.kernel.ports import Unavailable
from services.deck.app import Deck
from services.kit.following import match_of_rules
from services.kit.key import KeyRing, MasterKey
from services.kit.memory_log import MemoryLog
from services.rules.app import MatchHost
from services.scoring.app import Scoring
from services.scoring.tables import TABLES as SCORING_TABLES
from services.scoring.tables import VERSION
from services.spectator.app import FEED_VERSION, Gallery
from services.spectator.feed import Feed
from services.spectator.tables import TABLES
from tests.kit.duel import DUEL
from tests.sim.clients import Director, House, Opener, Player, Viewer
from tests.sim.faults import BeatServer, LogServer, SimBeats, SimLog, SimReadModel, Weather
from tests.sim.network import DeckPort, Network
from tests.sim.plan import MatchPlan, Plan, games
from tests.sim.process import Process, Replica, Service, for_ever, keep_book, nothing
from tests.sim.records import Evidence, Record
from tests.sim.trace import Trace
from tests.sim.virtual_loop import Stuck, VirtualClock, VirtualLoop

REST_LOOKS = 200
REST_PAUSE_S = 0.5

BOOKMARK_LINES = 5
"""Between two bookmarks: a match of the simulation has some dozens of lines."""
"""How often, and how far apart, it is asked whether the read models have come to the end, once nothing goes wrong."""

LOUD = ("error", "critical")


class Publisher:
    """Core NATS as the feed sees it: what is published is heard at once, and may be said not to have been."""

    def __init__(self, process: Process, weather: Weather, record: Record) -> None:
        self._process = process
        self._weather = weather
        self._record = record

    async def publish(self, subject: str, payload: bytes) -> None:
        self._process.step(f"publishes to {subject}")
        self._record.feed.append((subject, payload))

    async def flush(self) -> None:
        await asyncio.sleep(self._weather.latency_s())
        self._process.step("flushes")
        if self._weather.strikes("answer_lost"):
            raise Unavailable("feed_unavailable", "NATS did not answer.")


class World:
    """The house of one plan on one loop."""

    def __init__(self, plan: Plan, loop: VirtualLoop, trace: Trace) -> None:
        self.plan = plan
        self.trace = trace
        self.loop = loop
        self.clock = VirtualClock(loop)
        self.weather = Weather(plan, loop.time)
        self.wire = Process("wire", trace)
        self.log = self.make_log(loop)
        self.record = Record(self.log.has_ended)
        self.beats = BeatServer(self.record, self.clock.now)
        self.network = Network(self.weather, self.on_failure)
        self.key = MasterKey("sim", random.Random(f"key {plan.seed}").randbytes(32).hex())
        self.disks: dict[str, Engine] = {name: create_engine("sqlite://") for name in ("scoring", "feed")}
        self.decks = self._replicas("deck", plan.deck_replicas, self.build_deck)
        self.hosts = {
            key: self._replicas(f"rules-{key}", plan.rules_replicas[key], self._build_host(key)) for key in games()
        }
        self.scorings = self._replicas("scoring", 1, self.build_scoring)
        self.galleries = self._replicas("spectator", 1, self.build_gallery)

    @property
    def replicas(self) -> list[Replica[Any]]:
        hosts = [host for hosts in self.hosts.values() for host in hosts]
        return [*self.decks, *hosts, *self.scorings, *self.galleries]

    # -- what is built; a test may build something worse ------------------------------------------------------------

    def make_log(self, loop: VirtualLoop) -> LogServer:
        return LogServer(MemoryLog(self.plan.partitions), self.wire, self.weather, self.trace, loop.time)

    def build_deck(self, process: Process) -> Service[Deck]:
        return Service(Deck(KeyRing(self.key), self.log_of(process)), nothing, for_ever)

    def build_host(self, key: str, process: Process) -> Service[MatchHost]:
        luck = DeckPort(process, self.network, self.decks, self.record)
        host = MatchHost(games()[key], self.log_of(process), luck, self.clock, self.beats_of(process))
        host._open_matches.lines_between = BOOKMARK_LINES
        return Service(host, nothing, host.run)

    def build_scoring(self, process: Process) -> Service[Scoring]:
        model = SimReadModel(process, self.weather, self.disks["scoring"], "scoring", VERSION, SCORING_TABLES)
        scoring = Scoring(self.log_of(process), model, self.clock)
        return Service(scoring, scoring.prepare, scoring.run)

    def build_gallery(self, process: Process) -> Service[Gallery]:
        checkpoint = SimReadModel(process, self.weather, self.disks["feed"], "feed", FEED_VERSION, TABLES)
        log = self.log_of(process)
        feed = Feed(Publisher(process, self.weather, self.record), log)
        gallery = Gallery(log, feed, checkpoint, self.clock)
        return Service(gallery, gallery.prepare, gallery.run)

    def log_of(self, process: Process) -> SimLog:
        return SimLog(process, self.log, self.weather)

    def beats_of(self, process: Process) -> SimBeats:
        return SimBeats(process, self.beats, self.weather)

    # -- the run ----------------------------------------------------------------------------------------------------

    async def run(self) -> Evidence:
        keepers = [asyncio.create_task(replica.keep_alive()) for replica in self.replicas]
        await asyncio.gather(*(self._client(name, work) for name, work in self._people()))
        await asyncio.sleep(max(0.0, self.plan.storm_s - self.loop.time()))
        await self._rest()
        await self._close(keepers)
        return Evidence(self.plan, self.log.lines(), self.record, at_rest=True)

    def on_failure(self, who: str, error: BaseException) -> None:
        self.trace.add(who, f"fails: {error!r}")
        self.record.failures.append(f"{who}: {error!r}")

    def _people(self) -> Iterator[tuple[str, Callable[[House, Process, random.Random], Coroutine[Any, Any, None]]]]:
        def opener(plan: MatchPlan) -> Any:
            return lambda house, client, dice: Opener(house, client, plan, dice).run()

        def director(plan: MatchPlan) -> Any:
            return lambda house, client, dice: Director(house, client, plan, dice).run()

        def player(plan: MatchPlan, seat: int) -> Any:
            return lambda house, client, dice: Player(house, client, plan, seat, dice).run()

        def viewer(plan: MatchPlan, name: str) -> Any:
            return lambda house, client, dice: Viewer(house, client, plan, name, dice).run()

        for plan in self.plan.matches:
            yield f"{plan.match_id}-host", opener(plan)
            if plan.directions:
                yield f"{plan.match_id}-director", director(plan)
            for seat in range(plan.seats):
                yield f"{plan.match_id}-seat-{seat}", player(plan, seat)
            for number, name in enumerate(plan.viewers):
                yield f"{plan.match_id}-viewer-{number}", viewer(plan, name)

    async def _client(self, name: str, work: Any) -> None:
        client = Process(name, self.trace)
        house = House(self.network, self.hosts, self.galleries, self.record, self.log.revision_of)
        await client.spawn(work(house, client, random.Random(f"{self.plan.seed} {name}")))

    async def _rest(self) -> None:
        """Until what follows the log has come to its end, and every match is exported."""
        main = Process("caretaker", self.trace)
        for _ in range(REST_LOOKS):
            if await self._is_quiet(main):
                break
            await asyncio.sleep(REST_PAUSE_S)
        for plan in self.plan.matches:
            match_id = plan.match_id

            async def export(gallery: Gallery, match_id: str = match_id) -> list[bytes]:
                return [line async for lines in gallery.export(match_id) for line in lines]

            for _ in range(REST_LOOKS):
                try:
                    self.record.exports[match_id] = await self.network.call(
                        main, self.galleries, f"export of {match_id}", export
                    )
                    break
                except Unavailable:  # the last that died is still being started again
                    await asyncio.sleep(REST_PAUSE_S)

    async def _is_quiet(self, main: Process) -> bool:
        async def matches(scoring: Scoring) -> Any:
            return await scoring.matches(ended=None, game="", page_size=0, page_token="")

        try:
            self.record.standings, _ = await self.network.call(main, self.scorings, "scores", matches)
        except Unavailable:
            return False
        scored = sum(standing.revision for standing in self.record.standings)
        told = {(subject, msgspec.json.decode(payload)["revision"]) for subject, payload in self.record.feed}
        return scored == len(told) == len(self.log.stored_at)

    async def _close(self, keepers: "list[asyncio.Task[None]]") -> None:
        """As ``lifecycle.serve`` does it; then nothing of a service may still run or be held."""
        for keeper in keepers:
            keeper.cancel()
        await asyncio.gather(*keepers, return_exceptions=True)
        for replica in self.replicas:
            service = replica.service
            if replica.running is not None:
                replica.running.cancel()
                await asyncio.wait({replica.running})
            if isinstance(service, MatchHost):
                await service.close()
            for what in _held(service):
                self.record.leftovers.append(f"{replica.name} holds {what}")
            if replica.process is not None:
                replica.process.crash()
        await asyncio.sleep(20.0)  # the last ghosts arrive
        me = asyncio.current_task()
        for task in sorted(repr(task.get_coro()) for task in asyncio.all_tasks() if task is not me):
            self.record.leftovers.append(f"a task still runs: {task.split(' at ')[0]}")

    def _build_host(self, key: str) -> Callable[[Process], Service[MatchHost]]:
        return lambda process: self.build_host(key, process)

    def _replicas(self, name: str, count: int, build: Callable[[Process], Service[Any]]) -> list[Replica[Any]]:
        group: list[Replica[Any]] = []

        def pause_s() -> float | None:
            staying = [replica for replica in group if not replica.gone]
            if len(staying) > 1 and self.weather.strikes("stays_down"):
                return None
            return self.weather.some_s(5.0)

        group += [
            Replica(
                f"{name}-{number}",
                self.trace,
                build=build,
                dies=lambda: self.weather.strikes("crash"),
                pause_s=pause_s,
                on_failure=self.on_failure,
            )
            for number in range(count)
        ]
        return group


class Run(msgspec.Struct):
    """A seed that has been run; ``evidence`` is what there is, also where the house got ``stuck``."""

    seed: int
    evidence: Evidence
    stuck: Stuck | None
    trace: Trace
    virtual_s: float


def run_plan(plan: Plan, *, world: type[World] = World, tell: Callable[[str], None] | None = None) -> Run:
    """Run one plan from beginning to end. The collector waits: when it runs must not decide what happens."""
    loop = VirtualLoop(plan.ends_s)
    trace = Trace(loop.time, tell)
    gc.disable()
    try:
        with _duel_is_found(), structlog.testing.capture_logs() as logged:
            house = world(plan, loop, trace)
            loop.set_task_factory(keep_book)
            loop.set_exception_handler(lambda _, context: house.on_failure("loop", _unheard(context)))
            stuck: Stuck | None = None
            try:
                evidence = loop.run_until_complete(house.run())
            except Exception as error:
                if isinstance(error, Stuck):
                    stuck = error
                    trace.add("loop", f"{type(error).__name__}: {error}")
                else:
                    house.on_failure("a client", error)
                evidence = Evidence(plan, house.log.lines(), house.record, at_rest=False)
            virtual_s = loop.now_s
            _abandon(loop)
            for disk in house.disks.values():
                disk.dispose()
            evidence.record.failures += [str(entry) for entry in logged if entry["log_level"] in LOUD]
    finally:
        loop.close()
        gc.enable()
    return Run(plan.seed, evidence, stuck, trace, virtual_s)


def _held(service: object) -> Iterator[str]:
    """What a service that nobody uses any more has no reason to hold."""
    match service:
        case MatchHost():
            yield from (f"a request: {task}" for task in service._requests._running)
            yield from (f"a chore for {match_id}" for match_id in service._chores)
            yield from (f"a clock for {match_id}" for match_id in service._bells.waiting())
            yield from (f"a lock of {match_id}" for match_id in service._tables._locks._wanted)
        case Gallery():
            yield from (f"a lock of {match_id}" for match_id in service._loading._wanted)
            yield from (
                f"a reader of {match_id}"
                for match_id, room in (*service._rooms.items(), *service._fronts.items())
                if room.readers
            )
        case _:
            return


def _abandon(loop: VirtualLoop) -> None:
    """End what still runs after a run that got stuck, so that nothing is complained of later."""
    loop.ends_s = float("inf")
    loop.set_exception_handler(lambda *_: None)
    for _ in range(10):
        tasks = [task for task in asyncio.all_tasks(loop) if not task.done()]
        if not tasks:
            break
        for task in tasks:
            task.cancel()
        loop.run_until_complete(asyncio.sleep(1.0))
    loop.run_until_complete(loop.shutdown_asyncgens())


def _unheard(context: dict[str, Any]) -> BaseException:
    error = context.get("exception")
    return error if isinstance(error, BaseException) else RuntimeError(context["message"])


@contextmanager
def _duel_is_found() -> Iterator[None]:
    """The dice duel is no game of the house: it is found while a simulation runs, and no longer."""
    found = all_games()
    found[DUEL.key] = DUEL
    try:
        yield
    finally:
        del found[DUEL.key]
        match_of_rules.cache_clear()
