"""The same storm on containers: ``python -m tests.chaos --ground compose``, where an engine and the images are.

The house is that of ``docker-compose.yml``, in a project of its own, hit with the docker command. The demo's tournament
is played in it by the house's own bots, and watched and verified by the demo; and before that, with the same keys, in a
house that nothing happens to. No proxy stands in these lines, so acknowledgements are not dropped here.
"""

import asyncio
import json
import subprocess
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from engine.kernel.value import Value
from tests.chaos.faults import FOLLOWER, LEADER, Fault, Kind, Strike, plan_of, strike
from tests.chaos.storm import Tell
from tests.kit.compose import ComposeHouse, compose_house
from tests.tidy.tree import ROOT

T = TypeVar("T")

SERVICES: Final = ("rules-just4fun", "rules-memcel", "deck", "scoring", "spectator", "tournament", "gateway")
NODES: Final = ("nats-1", "nats-2", "nats-3")
STREAM: Final = "MATCHES_00"
KINDS: Final[frozenset[Kind]] = frozenset({"kill", "pause", "cut", "restart"})
LINES_BETWEEN: Final = 20
"""Come to the log before each fault."""
STILL_S: Final = 180.0
"""No such line for so long: the house has not found itself again."""
HEALTHY_S: Final = 120.0
POLL_S: Final = 0.5
BOTS: Final = "greedy@700"
"""At a pace, or the event would be over before the storm."""


class Outcome(Value, frozen=True):
    """``differences`` are the sentences that are not true."""

    strikes: tuple[Strike, ...]
    ends: dict[str, int]
    """How far each node's copy of the matches goes."""
    matches: int
    differences: tuple[str, ...]


class ComposeGround:
    """A ``Ground`` of containers, one a service."""

    def __init__(self, house: ComposeHouse) -> None:
        self._house = house

    @property
    def services(self) -> Sequence[str]:
        return SERVICES

    async def find(self, target: str) -> str:
        if target not in (LEADER, FOLLOWER):
            return target

        async def leads() -> list[str]:
            return [name for name, detail in (await self.streams()).items() if detail["leader"] == name]

        [leader] = await _once(leads, HEALTHY_S)
        return leader if target == LEADER else next(name for name in NODES if name != leader)

    async def streams(self) -> dict[str, dict[str, Any]]:
        """What each node that answers says of the stream of matches: ``leader`` and ``last``."""
        found = {}
        for name in NODES:
            page = await self._said("exec", self._container(name), *_WGET, _PAGE)
            for account in json.loads(page or "{}").get("account_details", ()):
                for detail in account.get("stream_detail", ()):
                    if detail["name"] == STREAM:
                        found[name] = {"leader": detail["cluster"].get("leader"), "last": detail["state"]["last_seq"]}
        return found

    async def kill(self, label: str, seconds: float) -> None:
        await self._do("kill", self._container(label))
        await asyncio.sleep(seconds)
        await self._do("start", self._container(label))
        await self._healthy(label)

    async def pause(self, label: str, seconds: float) -> None:
        await self._do("pause", self._container(label))
        await asyncio.sleep(seconds)
        await self._do("unpause", self._container(label))
        await self._healthy(label)

    async def cut(self, label: str, seconds: float) -> None:
        """From the network where clients of the log meet it; nodes hear each other on another one."""
        bus = f"{self._house.project}_bus"
        await self._do("network", "disconnect", bus, self._container(label))
        await asyncio.sleep(seconds)
        await self._do("network", "connect", "--alias", label, bus, self._container(label))
        await self._healthy(label)

    async def drop_acks(self, label: str, seconds: float) -> None:
        raise AssertionError("no proxy stands between containers")

    async def restart(self, label: str) -> None:
        await self._do("restart", self._container(label))
        await self._healthy(label)

    def _container(self, label: str) -> str:
        return f"{self._house.project}-{label}-1"

    async def _healthy(self, label: str) -> None:
        async def is_healthy() -> bool:
            status = await self._said("inspect", "--format", "{{.State.Health.Status}}", self._container(label))
            return status == "healthy"

        await _once(is_healthy, HEALTHY_S)

    async def _do(self, *arguments: str) -> None:
        done = await asyncio.to_thread(_docker, *arguments)
        assert done.returncode == 0, f"docker {' '.join(arguments)}: {done.stderr.strip()}"

    async def _said(self, *arguments: str) -> str:
        """Empty if it fails: whoever is asked may be down."""
        done = await asyncio.to_thread(_docker, *arguments)
        return "" if done.returncode else done.stdout.strip()


_WGET: Final = ("wget", "-q", "-O", "-")
_PAGE: Final = "http://127.0.0.1:8222/jsz?accounts=true&streams=true"


def _docker(*arguments: str) -> "subprocess.CompletedProcess[str]":
    try:
        return subprocess.run(["docker", *arguments], capture_output=True, text=True, timeout=HEALTHY_S, check=False)
    except subprocess.TimeoutExpired as error:
        return subprocess.CompletedProcess(error.cmd, 1, "", "it took too long")


def compose_plan(seed: int) -> tuple[Fault, ...]:
    """Of the same plan, what containers can suffer."""
    return tuple(fault for fault in plan_of(seed, SERVICES) if fault.kind in KINDS)


async def run_on_compose(folder: Path, seed: int, players: int, faults: Sequence[Fault], tell: Tell) -> Outcome:
    """Raises ``AssertionError`` if the house does not find itself again, or the demo finds anything wrong."""
    keys = folder / "keys"
    tell("the calm house")
    with compose_house(keys) as house:
        calm = await _demo(house, seed, players)
    tell("the house in the storm")
    strikes: list[Strike] = []
    with compose_house(keys) as house:
        ground = ComposeGround(house)
        playing = asyncio.create_task(_demo(house, seed, players))
        striking = asyncio.create_task(_strike_all(ground, faults, strikes, tell))
        try:
            played = await playing
        finally:
            striking.cancel()
            await asyncio.gather(playing, striking, return_exceptions=True)
        if not striking.cancelled():
            striking.result()

        async def agreed() -> dict[str, int]:
            ends = {name: each["last"] for name, each in (await ground.streams()).items()}
            return ends if len(ends) == len(NODES) and len(set(ends.values())) == 1 else {}

        ends = await _once(agreed, HEALTHY_S)
    return Outcome(
        tuple(strikes),
        ends,
        len(played["matches"]),
        tuple(_differences(played, calm)),
    )


async def _strike_all(ground: ComposeGround, faults: Sequence[Fault], strikes: list[Strike], tell: Tell) -> None:
    loop = asyncio.get_running_loop()
    began = loop.time()
    for fault in faults:
        await _lines_come(ground)
        target = await ground.find(fault.target)
        tell(f"fault {len(strikes) + 1} of {len(faults)}: {fault.kind} {target} {fault.seconds or ''}")
        at = loop.time() - began
        await strike(ground, fault, target)
        strikes.append(Strike(fault, target, at, loop.time() - began))


async def _lines_come(ground: ComposeGround) -> None:
    async def end() -> int:
        return max((each["last"] for each in (await ground.streams()).values()), default=0)

    first = await end()

    async def have_come() -> bool:
        return await end() >= first + LINES_BETWEEN

    await _once(have_come, STILL_S)


async def _once(ask: Callable[[], Awaitable[T]], seconds: float) -> T:
    """The first answer that is not empty. Raises ``TimeoutError``."""
    async with asyncio.timeout(seconds):
        while not (answer := await ask()):  # noqa: ASYNC110 - no event tells of it
            await asyncio.sleep(POLL_S)
        return answer


async def _demo(house: ComposeHouse, seed: int, players: int) -> dict[str, Any]:
    """The demo's own document: it has watched every table without a gap and verified every export."""
    arguments = ("--server", "door:7400", "--data", "/exports/demo", "--players", str(players), "--bots", BOTS)
    process = await asyncio.create_subprocess_exec(
        "docker", "compose", "--project-name", house.project, "--progress", "quiet",
        "run", "--rm", "--no-TTY", "--env", f"TAVOLATA_TOKEN={house.token('organiser')}", "client",
        "demo", *arguments, "--seed", str(seed), "--json",
        cwd=ROOT, env=house.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    out, said = await process.communicate()
    assert process.returncode == 0, f"the demo failed: {said.decode()[-2000:]}"
    return msgspec.json.decode(out, type=dict[str, Any])


def _differences(played: dict[str, Any], calm: dict[str, Any]) -> list[str]:
    """Which results and standings are others than those of the calm house."""

    def results(document: dict[str, Any]) -> dict[str, Any]:
        return {match["match"]: (match["ranks"], match["totals"]) for match in document["matches"]}

    mine, others = results(played), results(calm)
    found = [f"{match} ended {mine.get(match)}, and {others.get(match)} in the calm house"
             for match in sorted({*mine, *others}) if mine.get(match) != others.get(match)]  # fmt: skip
    if played["standings"] != calm["standings"]:
        found.append("the standings are not those of the calm house")
    return found
