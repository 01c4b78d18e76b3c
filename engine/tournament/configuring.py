"""What of the configuration may still be changed, and when.

How many come is known late, and with it how many rounds suit them, whether the groups come out even and how large a cut
can be. Before the first round everything may be changed. Afterwards what was played stays what it was: scoring, awards
and the stages that have begun, but for the number of rounds of a stage that draws each from the one before.
"""

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from engine.kernel.refusal import Refusal
from engine.tournament import commands as c
from engine.tournament import events as e
from engine.tournament.config import Config, Stage, config_from
from engine.tournament.state import Tournament


def configure(state: Tournament, command: c.Configure) -> tuple[e.Event, ...]:
    """Another configuration from now on. Raises ``Refusal``: ``bad_config``, ``config_fixed`` naming the key."""
    config = config_from(msgspec.to_builtins(command.config))
    for key in _fixed(state, config):
        raise Refusal("config_fixed", f"It is too late to change {key}.")
    return (e.Configured(config),)


def _fixed(state: Tournament, config: Config) -> Iterator[str]:
    """The keys that are changed and must not be."""
    if len(state.entrants) and config.registration.check_in != state.config.registration.check_in:
        yield "registration.check_in"
    if state.newest is None:
        return
    for section in ("scoring", "awards"):
        if getattr(config, section) != getattr(state.config, section):
            yield section
    if len(config.stages) <= state.stage:
        yield "stages"
        return
    for number, (before, after) in enumerate(zip(state.config.stages, config.stages, strict=False)):
        played = len(state.stage_rounds(number))
        kept = _as_begun(before, after, played)
        for name in Stage.__struct_fields__ if played else ():
            if getattr(before, name) != getattr(kept, name):
                yield f"stages[{number}].{name.removesuffix('_ms')}"


def _as_begun(before: Stage, after: Stage, played: int) -> Stage:
    """``after`` with what may be other than it was. Fewer rounds than were played are no number of rounds."""
    if before.format in ("swiss", "heats") and after.rounds >= played:
        return replace(after, rounds=before.rounds)
    return after
