"""What is done to a house, in which order and for how long: all of it follows from a seed.

Faults come one after the other. Before each, moves are acknowledged again, so what is shown is that the house found
itself after every single one of them. Which node leads the log is the servers' business and no seed's: a plan says
``leader`` or ``follower``, and the ground finds out who that is when the fault strikes.
"""

import random
from collections.abc import Iterable, Sequence
from typing import Final, Literal, Protocol, TypeAlias

from engine.kernel.value import Value

Kind: TypeAlias = Literal["kill", "pause", "cut", "drop_acks", "restart"]

KINDS: Final[dict[Kind, str]] = {
    "kill": "killed with -9",
    "pause": "paused (SIGSTOP)",
    "cut": "cut from the network",
    "drop_acks": "acknowledgements dropped",
    "restart": "restarted (SIGTERM)",
}
LEADER: Final = "leader"
"""The node that leads the stream of matches when the fault strikes."""
FOLLOWER: Final = "follower"
"""Another node."""
NODES: Final = (LEADER, FOLLOWER)

SECONDS: Final[dict[Kind, tuple[float, float]]] = {
    "kill": (0.0, 2.0),  # before it is started again
    "pause": (2.0, 12.0),  # an election takes 4 to 9 s: some pauses end before it, some behind it
    "cut": (2.0, 8.0),
    "drop_acks": (1.0, 4.0),
    "restart": (0.0, 0.0),
}
"""How long a fault may last."""


class Fault(Value, frozen=True):
    """``target`` is a service's label, ``leader`` or ``follower``."""

    kind: Kind
    target: str
    seconds: float


class Strike(Value, frozen=True):
    """A fault as it was done: to whom, and from when until the target was well again, in seconds of the round."""

    fault: Fault
    target: str
    began: float
    ended: float


class Ground(Protocol):
    """Where a house stands. Every call returns when the target is well again: it answers, or is current."""

    @property
    def services(self) -> Sequence[str]:
        """Their labels; each replica has one of its own."""
        ...

    async def find(self, target: str) -> str:
        """The node that is ``leader`` or ``follower`` now; a service is itself."""
        ...

    async def kill(self, label: str, seconds: float) -> None:
        """-9, and started again after so long."""
        ...

    async def pause(self, label: str, seconds: float) -> None:
        """It holds its connections and says nothing."""
        ...

    async def cut(self, label: str, seconds: float) -> None:
        """Nothing passes between it and the log; of a node, nothing between it and the services."""
        ...

    async def drop_acks(self, label: str, seconds: float) -> None:
        """What it asks of the log arrives there; what the log answers is lost."""
        ...

    async def restart(self, label: str) -> None:
        """Asked to stop, and started again when it has."""
        ...


def plan_of(seed: int, services: Sequence[str]) -> tuple[Fault, ...]:
    """Every service and node is killed, hosts and nodes are paused and cut off, writers lose their acknowledgements,
    and somewhere all services are restarted one after the other, in the order that the seed gives.
    """
    dice = random.Random(f"chaos/{seed}")
    writers = [label for label in services if label.startswith(("rules", "tournament"))]
    readers = [label for label in services if label.startswith(("spectator", "scoring"))]
    asked: list[tuple[Kind, str]] = [
        *(("kill", label) for label in (*services, *NODES)),
        *(("pause", label) for label in (*writers[:1], "deck", *readers[:1], *NODES)),
        *(("cut", label) for label in (*writers[-1:], *readers, FOLLOWER)),
        *(("drop_acks", label) for label in (*writers, *readers[:1])),
    ]
    dice.shuffle(asked)
    faults = [fault(dice, kind, target) for kind, target in asked]
    place = dice.randrange(1, len(faults))
    return (*faults[:place], *rolling(services), *faults[place:])


def rolling(services: Iterable[str]) -> tuple[Fault, ...]:
    """All of them restarted, one after the other."""
    return tuple(Fault("restart", label, 0.0) for label in services)


def fault(dice: random.Random, kind: Kind, target: str) -> Fault:
    """Of this kind; the dice say how long."""
    shortest, longest = SECONDS[kind]
    return Fault(kind, target, round(dice.uniform(shortest, longest), 1))


async def strike(ground: Ground, fault: Fault, label: str) -> None:
    """Do it to ``label``. Returns when that is well again."""
    match fault.kind:
        case "kill":
            await ground.kill(label, fault.seconds)
        case "pause":
            await ground.pause(label, fault.seconds)
        case "cut":
            await ground.cut(label, fault.seconds)
        case "drop_acks":
            await ground.drop_acks(label, fault.seconds)
        case "restart":
            await ground.restart(label)
