"""What is written down while a round is played, by those whom it happens to."""

from itertools import pairwise

import msgspec

from engine.kernel.value import Revision, Value
from tests.chaos.faults import Strike
from tests.sim.records import Answer, Sight


class Told(Value, frozen=True):
    """A player was told that its move is a fact. ``at`` is in seconds of the round."""

    match: str
    actor: str
    command_id: str
    revision: Revision
    repeat: bool
    """The house said that it had known the move before: an answer was lost."""
    at: float

    def answer(self) -> Answer:
        said = "duplicate" if self.repeat else "accepted"
        return Answer(self.match, self.actor, self.command_id, said, self.revision, in_log=0)


class Notes(msgspec.Struct):
    """Of one round. Times are in seconds since it began."""

    seconds: float = 0.0
    told: list[Told] = msgspec.field(default_factory=list)
    retries: list[float] = msgspec.field(default_factory=list)
    """When a call of a player had no answer and was made again."""
    resumed: int = 0
    """How often a watcher had to come again."""
    sights: list[Sight] = msgspec.field(default_factory=list)
    strikes: list[Strike] = msgspec.field(default_factory=list)

    @property
    def silence(self) -> tuple[float, float]:
        """The longest time without a move, and when it began."""
        times = sorted(each.at for each in self.told)
        return max(((after - before, before) for before, after in pairwise(times)), default=(0, 0))
