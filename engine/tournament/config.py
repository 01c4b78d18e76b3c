"""What is agreed before an event: read from TOML, every field checked, every error naming its key.

The complete configuration, defaults written out, stands in the first commit of the event, and again in each that
changes it, so that a later default changes no old event. Which games there are, and what options they take, is asked
of the rules services when the first table of a stage is opened; here a game is a key.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated, Any, Literal, TypeAlias, assert_never, get_args, get_type_hints

import msgspec

from engine.kernel.durations import Milliseconds, milliseconds
from engine.kernel.limits import TURN_MS_MAX
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Value, clip
from engine.tournament.awards import award_points
from engine.tournament.formats.elimination import ladder, seeded_byes
from engine.tournament.formats.pods import snake
from engine.tournament.limits import (
    CONFIG_BYTES_MAX,
    ENTRANTS_MAX,
    NAME_LENGTH_MAX,
    ROUNDS_MAX,
    STAGES_MAX,
    TABLE_SIZE_MAX,
)
from engine.tournament.schemes import SCHEMES, check_fits, scheme_of
from engine.tournament.sizes import byes_needed, table_sizes
from engine.tournament.standings.rules import StandingRules

Format: TypeAlias = Literal["swiss", "groups", "planned", "elimination", "heats", "arena"]
Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=ENTRANTS_MAX)]
Size: TypeAlias = Annotated[int, msgspec.Meta(ge=2, le=TABLE_SIZE_MAX)]
Points: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=1_000)]
AwardText: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^(win|average|half|-?[0-9]{1,9}(/[1-9][0-9]{0,8})?)$")]
"""``win``: what the first of a table of the target size gets; ``average``: what its seats get on average; ``half``:
half of ``win``; or a number, a fraction allowed.
"""


class Registration(Value, frozen=True):
    """Who may come in, and until when."""

    cap: Count = 0
    """Entrants at most; 0 is no cap."""
    waiting_list: bool = True
    """Whether those beyond the cap wait for a place; else they are refused."""
    check_in: bool = True
    """Whether only those who have checked in are paired."""
    late_until: Annotated[int, msgspec.Meta(ge=0, le=ROUNDS_MAX)] = 0
    """The last round that a late entrant may begin with; 0 is none: after round 1 is published nobody comes in."""


class Awards(Value, frozen=True):
    """What a round without a table counts."""

    bye: AwardText = "win"
    absent: AwardText = "0"
    late: AwardText = "0"
    no_show: AwardText = "0"


class Clocks(Value, frozen=True):
    """Of turns and rounds, in milliseconds; in the file texts like ``"1h30m"``. 0 is none."""

    turn_ms: Milliseconds = 0
    bank_ms: Milliseconds = 0
    increment_ms: Milliseconds = 0
    on_timeout: Literal["default", "forfeit"] = "default"
    round_ms: Milliseconds = 0
    on_round_end: Literal["flag", "call"] = "flag"
    """When the round's time is over: say so and let the tables play on, or call time at each (defaults are played)."""
    no_show_ms: Milliseconds = 0
    """How long a seat that has not moved at all may keep its table waiting; 0 is for ever."""


class Spectators(Value, frozen=True):
    """What they may see, and when."""

    delay_ms: Milliseconds = 0


class Stage(Value, frozen=True):
    """One part of an event: all its rounds have one format. The first takes everybody, each later one a cut."""

    name: str
    format: Format
    games: tuple[str, ...]
    """The games of its rounds, in turn."""
    rounds: Annotated[int, msgspec.Meta(ge=1, le=ROUNDS_MAX)] = 1
    """Not asked of an elimination or of groups, which end when they end."""
    options: dict[str, dict[str, Any]] = msgspec.field(default_factory=dict)
    """Of a game, by its key; what is not said takes the game's default."""
    smallest: Size = 3
    target: Size = 4
    largest: Size = 4
    first_table: Annotated[int, msgspec.Meta(ge=1, le=100_000)] = 1
    duplicate: bool = False
    """Whether all tables of a round are dealt the same luck."""
    entrants: Count = 0
    """How many the cut lets in; 0 is all."""
    cut_ties: Literal["refuse", "expand", "lot"] = "refuse"
    carry: bool = False
    """Whether the points of the stages before count on."""
    repeat_points: Points = 10
    short_points: Points = 50
    short_tables: Literal["bottom", "top"] = "bottom"
    first_round: Literal["lots", "seed"] = "lots"
    power_last_round: bool = False
    """Whether in the last round the best meet whatever they have met before."""
    group_size: Count = 0
    """Of ``groups``: entrants of a group; 0 is one group."""
    advance: Annotated[int, msgspec.Meta(ge=1, le=TABLE_SIZE_MAX)] = 1
    """Of ``elimination``: how many of each table go on."""
    byes_to: Count = 0
    """Of ``elimination``: the first round brings the field down to this, the best seeds having byes; 0: no byes."""
    final: Size = 4
    """Of ``elimination``: how many sit at the last table."""
    on_draw: Literal["seed", "referee"] = "seed"
    """Of ``elimination``: who goes on when a place that matters is shared: the better seed, or whom a referee names."""
    qualify: Literal["HMW", "HMW-P", "best"] = "HMW-P"
    best_heats: Annotated[int, msgspec.Meta(ge=1, le=ROUNDS_MAX)] = 2
    horizon_ms: Milliseconds = 0
    """Of ``arena``: how long new tables are seated."""
    typical_ms: Milliseconds = 0
    pool: Count = 0
    """Of ``arena``: how many wait before a table is seated; 0 is twice a table or an eighth of the field."""
    wait_ms: Milliseconds = 600_000

    def game_of(self, number: int) -> str:
        """The game of the stage's round ``number``, from 1."""
        return self.games[(number - 1) % len(self.games)]

    def tables(self, count: int) -> tuple[int, ...]:
        """The tables of so many. Raises ``Refusal`` (``not_seatable``)."""
        return table_sizes(count, self.smallest, self.target, self.largest)

    def ladder_tables(self, count: int) -> tuple[int, ...]:
        """Of ``elimination``: the tables of so many; none if they cannot be seated. No more than the final takes sit at
        its one table, however few.
        """
        try:
            return self.tables(count)
        except Refusal:
            return (count,) if 2 <= count <= self.final else ()


class Config(Value, frozen=True):
    """One event."""

    name: str
    stages: tuple[Stage, ...]
    registration: Registration = Registration()
    awards: Awards = Awards()
    scoring: StandingRules = StandingRules(SCHEMES["5-3-2-1"])
    """The scheme may be given by its name."""
    clocks: Clocks = Clocks()
    spectators: Spectators = Spectators()
    rated: bool = True


READ_BY: Mapping[str, tuple[Format, ...]] = {
    "rounds": ("swiss", "planned", "heats"),
    "repeat_points": ("swiss", "heats"),
    "short_points": ("swiss", "heats"),
    "short_tables": ("swiss", "heats"),
    "first_round": ("swiss", "heats"),
    "power_last_round": ("swiss",),
    "group_size": ("groups",),
    "advance": ("elimination",),
    "byes_to": ("elimination",),
    "final": ("elimination",),
    "on_draw": ("elimination",),
    "qualify": ("heats",),
    "best_heats": ("heats",),
    "horizon_ms": ("arena",),
    "typical_ms": ("arena",),
    "pool": ("arena",),
    "wait_ms": ("arena",),
}
"""Keys of a stage that only some formats read: elsewhere they would say nothing, and whoever wrote them believes
otherwise.
"""

DURATIONS = {
    "clocks": ("turn", "bank", "increment", "round", "no_show"),
    "spectators": ("delay",),
    "stages": ("horizon", "typical", "wait"),
}
"""Written as texts in the file, under names without a unit; kept in milliseconds."""


def config_of(text: str) -> Config:
    """The configuration in a TOML file. Raises ``Refusal`` (``bad_config``) naming the key that is wrong."""
    if len(text.encode()) > CONFIG_BYTES_MAX:
        raise _bad("", f"the file has more than {CONFIG_BYTES_MAX} bytes")
    try:
        data = tomllib.loads(text)
    except ValueError as error:  # also a number of very many digits
        raise _bad("", f"this is no TOML: {error}") from error
    except RecursionError as error:
        raise _bad("", "this has too many levels") from error
    for section, names in DURATIONS.items():
        given = data.get(section)
        for number, table in enumerate(given if isinstance(given, list) else [given]):
            if isinstance(table, dict):
                where = f"{section}[{number}]" if isinstance(given, list) else section
                _durations(table, where, names)
    return config_from(data)


def config_from(data: Any) -> Config:
    """The configuration from decoded JSON or TOML, checked. Raises ``Refusal`` (``bad_config``)."""
    scoring = data.get("scoring") if isinstance(data, dict) else None
    if isinstance(scoring, dict) and isinstance(scoring.get("scheme"), str):
        with _telling("scoring.scheme"):
            scheme = msgspec.to_builtins(scheme_of(scoring["scheme"]))
        data = {**data, "scoring": {**scoring, "scheme": scheme}}
    try:
        config = msgspec.convert(data, Config)
    except msgspec.ValidationError as error:
        sentence, _, at = str(error).partition(" - at `$")
        key = at.rstrip("`").lstrip(".")
        raise _bad(key, _plain(key, sentence)) from error
    _check(config)
    return config


def _plain(key: str, sentence: str) -> str:
    """What msgspec says, in the words of the file."""
    if sentence.startswith("Invalid enum value "):
        return f"{sentence.removeprefix('Invalid enum value ')} is none of {', '.join(_choices(key))}"
    if "matching regex" in sentence:
        return 'an award is "win", "average", "half", or a number such as "3" or "-1/2"'
    return sentence[:1].lower() + sentence[1:]


def _choices(key: str) -> tuple[str, ...]:
    """What may stand at a key that has one of several words."""
    kind: Any = Config
    for part in re.findall(r"\w+", key):
        kind = get_args(kind)[0] if part.isdigit() else get_type_hints(kind)[part]
    return get_args(kind)


def _durations(table: dict[str, Any], where: str, names: tuple[str, ...]) -> None:
    for name in names:
        if f"{name}_ms" in table:
            raise _bad(f"{where}.{name}_ms", f'a duration is written as {name} = "10m"')
        if name in table:
            try:
                table[f"{name}_ms"] = milliseconds(table.pop(name), TURN_MS_MAX)
            except ValueError as error:
                raise _bad(f"{where}.{name}", str(error)) from error


def _check(config: Config) -> None:
    _check_text(config.name, "name", "an event has")
    if not 1 <= len(config.stages) <= STAGES_MAX:
        raise _bad("stages", f"an event has 1 to {STAGES_MAX} stages")
    if config.registration.late_until > config.stages[0].rounds:
        raise _bad("registration.late_until", f"the first stage has {config.stages[0].rounds} rounds")
    if config.stages[0].entrants:
        raise _bad("stages[0].entrants", "the first stage takes everybody; registration.cap says how many may come")
    if config.scoring.lot_seed:
        raise _bad("scoring.lot_seed", "lots are drawn with the first seed that is revealed, which nobody chooses")
    for number, stage in enumerate(config.stages):
        where = f"stages[{number}]"
        _check_stage(stage, where)
        if stage.carry and number and config.stages[number - 1].format == "arena":
            raise _bad(
                f"{where}.carry", "in an arena everybody plays as often as they like; its points do not count on"
            )
        with _telling(f"{where}.smallest"):
            check_fits(config.scoring.scheme, range(stage.smallest, stage.largest + 1))
        if stage.format == "elimination":
            with _telling(f"{where}.final"):
                check_fits(config.scoring.scheme, (stage.final,))
        for name in config.awards.__struct_fields__:
            with _telling(f"awards.{name}"):
                award_points(config.scoring.scheme, stage.target, getattr(config.awards, name))
    if 0 < config.registration.cap < config.stages[0].smallest:
        raise _bad("registration.cap", f"{config.stages[0].smallest} are needed for a single table")


def _check_stage(stage: Stage, where: str) -> None:
    _check_text(stage.name, f"{where}.name", "a stage has")
    if not stage.smallest <= stage.target <= stage.largest:
        raise _bad(f"{where}.target", f"{stage.smallest} ≤ target ≤ {stage.largest} must hold, not {stage.target}")
    if not stage.games:
        raise _bad(f"{where}.games", "a stage has at least one game")
    for number, game in enumerate(stage.games):
        _check_text(game, f"{where}.games[{number}]", "a game has")
    for game in stage.options.keys() - set(stage.games):
        raise _bad(f"{where}.options.{game}", "options are given for a game that the stage does not play")
    for field in msgspec.structs.fields(Stage):
        formats = READ_BY.get(field.name, (stage.format,))
        if stage.format not in formats and getattr(stage, field.name) != field.default:
            key = field.name.removesuffix("_ms")
            raise _bad(f"{where}.{key}", f"this is for {' and '.join(formats)}, and the stage is {stage.format}")
    _check_format(stage, where)
    if stage.entrants:
        with _telling(f"{where}.entrants"):
            _check_seatable(stage, stage.entrants)


def _check_format(stage: Stage, where: str) -> None:
    match stage.format:
        case "arena":
            if not 0 < stage.typical_ms < stage.horizon_ms:
                sentence = "an arena needs a horizon, and a typical length of a match that is less"
                raise _bad(f"{where}.horizon", sentence)
            if stage.duplicate:
                raise _bad(f"{where}.duplicate", "an arena has no rounds whose tables could be dealt alike")
        case "elimination":
            if stage.advance >= stage.smallest:
                raise _bad(f"{where}.advance", f"fewer than {stage.smallest} of a table can go on")
            if stage.ladder_tables(stage.final) != (stage.final,):
                raise _bad(f"{where}.final", f"{stage.final} would not sit at one table, so this is no final")
            if stage.byes_to:
                with _telling(f"{where}.byes_to"):
                    ladder(stage.byes_to, stage.ladder_tables, stage.advance, stage.final)
        case "groups":
            if stage.group_size and stage.group_size < stage.smallest:
                raise _bad(f"{where}.group_size", f"a group fills at least one table of {stage.smallest}")
        case "swiss" | "planned" | "heats":
            pass
        case _:
            assert_never(stage.format)


def _check_seatable(stage: Stage, count: int) -> None:
    """Raises ``Refusal`` if the stage cannot be played by so many, whatever happens in it."""
    match stage.format:
        case "elimination":
            begins = stage.byes_to if 0 < stage.byes_to < count else count
            if begins < count:
                seeded_byes(count, begins, stage.smallest, stage.largest)
            ladder(begins, stage.ladder_tables, stage.advance, stage.final)
        case "groups":
            groups = max(1, count // stage.group_size) if stage.group_size else 1
            for group in snake(range(1, count + 1), groups):
                stage.tables(len(group))
        case "planned":
            stage.tables(count)
        case "swiss" | "heats" | "arena":
            byes_needed(count, stage.smallest, stage.largest)
        case _:
            assert_never(stage.format)


def _check_text(text: str, key: str, what: str) -> None:
    if not text.strip() or len(text) > NAME_LENGTH_MAX or not text.isprintable():
        raise _bad(key, f"{what} a printable name of at most {NAME_LENGTH_MAX} characters")


@contextmanager
def _telling(key: str) -> Iterator[None]:
    """A refusal inside is told as one of the key."""
    try:
        yield
    except Refusal as refusal:
        raise _bad(key, refusal.sentence[:1].lower() + refusal.sentence[1:].rstrip(".")) from refusal


def _bad(key: str, sentence: str) -> Refusal:
    at = f"{clip(key, 80)}: " if key else ""
    return Refusal("bad_config", f"The configuration does not hold: {at}{sentence}.", Kind.INVALID)
