"""The reference of the configuration has every key, scheme and tie-break, with the default that holds, and no other."""

import re
from typing import Any, get_args

import msgspec
import pytest

from engine.kernel.durations import duration_text
from engine.tournament import config as agreed
from engine.tournament.config import (
    DURATIONS,
    READ_BY,
    Awards,
    Clocks,
    Config,
    Registration,
    Spectators,
    Stage,
    config_of,
)
from engine.tournament.schemes import SCHEMES, Scheme
from engine.tournament.standings.rules import StandingRules
from engine.tournament.standings.tiebreaks import TIEBREAKS
from tests.tidy.tree import ROOT

PAGE = (ROOT / "docs" / "how-to" / "tournament-configuration.md").read_text("utf-8")
SECTIONS: dict[str, type[msgspec.Struct]] = {
    "The event": Config,
    "`[registration]`": Registration,
    "`[scoring]`": StandingRules,
    "`[awards]`": Awards,
    "`[clocks]`": Clocks,
    "`[spectators]`": Spectators,
    "`[[stages]]`": Stage,
}
NEEDED, ELSEWHERE = "needed", "see there"


def tables(heading: str) -> list[list[list[str]]]:
    """The tables under a heading, each by rows and cells, without their head."""
    _, found, rest = PAGE.partition(f"\n## {heading}\n")
    assert found, f"there is no heading {heading}"
    text = rest.partition("\n## ")[0]
    blocks = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)
    return [[re.findall(r" (.*?) (?=\|)", row) for row in block.splitlines()[2:]] for block in blocks]


def rows(heading: str, number: int = 0) -> dict[str, list[str]]:
    """The other cells by the first, which is one word in quotes."""
    found = {}
    for first, *others in tables(heading)[number]:
        assert re.fullmatch(r"`[^`]+`", first), first
        found[first.strip("`")] = others
    assert len(found) == len(tables(heading)[number]), "a key stands once"
    return found


def written(struct: type[msgspec.Struct], field: msgspec.structs.FieldInfo) -> tuple[str, str]:
    """A field as the file has it: its key, and its default."""
    in_text = {name for names in DURATIONS.values() for name in names}
    key = field.name.removesuffix("_ms")
    if field.required:
        return field.name, NEEDED
    if field.name.endswith("_ms"):
        assert key in in_text
        return key, f'`"{duration_text(field.default)}"`'
    default: Any = field.default if field.default is not msgspec.NODEFAULT else field.default_factory()
    if struct is Config and isinstance(default, msgspec.Struct):
        return field.name, ELSEWHERE
    return field.name, f"`{msgspec.json.encode(default).decode().replace(',', ', ')}`"


@pytest.mark.parametrize("heading", SECTIONS)
def test_every_key_stands_with_its_default_and_nothing_else_does(heading: str) -> None:
    struct = SECTIONS[heading]
    told = {key: cells[1] for key, cells in rows(heading).items()}
    assert told == dict(written(struct, field) for field in msgspec.structs.fields(struct))


def test_every_struct_of_the_configuration_has_a_section() -> None:
    made_here = {
        kind
        for kind in vars(agreed).values()
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct) and kind.__module__ == agreed.__name__
    }
    assert made_here | {StandingRules} == set(SECTIONS.values())
    assert re.findall(r"^## (`.*`)$", PAGE, re.MULTILINE) == [heading for heading in SECTIONS if "`" in heading]


def test_a_key_of_a_stage_says_which_formats_read_it() -> None:
    told = {key: cells[2] for key, cells in rows("`[[stages]]`").items()}
    read = {name.removesuffix("_ms"): ", ".join(formats) for name, formats in READ_BY.items()}
    assert told == {key: read.get(key, "all") for key in told}


def test_words_that_a_key_takes_are_those_that_it_takes() -> None:
    for heading, struct in SECTIONS.items():
        told = rows(heading)
        for field in msgspec.structs.fields(struct):
            choices = get_args(field.type)
            if choices and all(isinstance(choice, str) for choice in choices) and field.name != "format":
                assert re.findall(r'`"([^`]+)"`', told[field.name][0]) == list(choices), field.name


def test_formats_schemes_and_tie_breaks_are_all_of_them() -> None:
    assert tuple(rows("Formats")) == get_args(agreed.Format)
    assert tuple(rows("Schemes")) == tuple(SCHEMES)
    assert tuple(rows("Tie-breaks")) == tuple(TIEBREAKS)


def test_the_keys_of_a_scheme_are_those_of_its_kind() -> None:
    told = {kind: re.findall(r"`([a-z]+)`", cells[0]) for kind, cells in rows("Schemes", 1).items()}
    assert told == {
        str(kind.__struct_config__.tag): list(kind.__struct_fields__) for kind in get_args(Scheme)
    }  # fmt: skip


def test_the_files_that_are_printed_hold() -> None:
    least, scheme = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    config = config_of(least)
    assert (config.name, config.scoring.order[-1]) == ("Evening", "LOT")
    assert config_of(f"{least.partition('[[')[0]}{scheme}[[{least.partition('[[')[2]}").scoring.order[-1] == "LOT"
