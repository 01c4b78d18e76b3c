"""What an organiser should know of a configuration that holds: it is allowed, and may disappoint."""

from collections.abc import Iterable

from engine.kernel.value import Value, clip
from engine.tournament.config import Config, Stage
from engine.tournament.formats.feasibility import (
    Concern,
    concerns_of_cut,
    concerns_of_groups,
    concerns_of_ladder,
    concerns_of_rounds,
    concerns_of_tables,
)
from engine.tournament.formats.pods import Sizes
from engine.tournament.schemes import warnings
from engine.tournament.sizes import table_sizes
from services.tournament.games import unknown_games


class Warned(Value, frozen=True):
    """``code`` is a stable literal."""

    code: str
    sentence: str


def warnings_of(config: Config, entrants: int = 0) -> tuple[Warned, ...]:
    """``entrants`` are those expected; 0 is the cap, and without one only what holds for any number is said."""
    found: list[Warned] = []
    count = entrants or config.registration.cap
    for number, stage in enumerate(config.stages):
        if number and stage.entrants and count:
            found.extend(_told(concerns_of_cut(count, stage.entrants), stage))
        count = min(count, stage.entrants or count)
        if stage.format != "elimination":
            sizes = range(stage.smallest, stage.largest + 1)
            found.extend(Warned(each.code, each.sentence) for each in warnings(config.scoring.scheme, sizes))
        if count:
            found.extend(_told(_concerns(stage, count), stage))
    for key in unknown_games(config):
        sentence = f"This house does not play {clip(key)}: the results of its tables are entered by hand."
        found.append(Warned("unknown_game", sentence))
    return tuple(dict.fromkeys(found))


def _concerns(stage: Stage, count: int) -> tuple[Concern, ...]:
    sizes = _sizes(stage)
    match stage.format:
        case "elimination":
            return concerns_of_ladder(stage.byes_to or count, sizes, stage.advance, stage.final)
        case "groups":
            groups = max(1, count // stage.group_size) if stage.group_size else 1
            return concerns_of_groups(count, groups, stage.target)
        case "arena":
            return ()
        case _:
            unseatable = concerns_of_tables(count, sizes)
            return unseatable or concerns_of_rounds(count, sizes(count), stage.rounds)


def _sizes(stage: Stage) -> Sizes:
    return lambda count: table_sizes(count, stage.smallest, stage.target, stage.largest)


def _told(concerns: Iterable[Concern], stage: Stage) -> list[Warned]:
    return [Warned(each.code, f"{stage.name}: {each.sentence}") for each in concerns]
