"""The organiser's page and the examples: every command that is printed is one, every configuration holds."""

import re
import shlex
from pathlib import Path

import msgspec
import pytest
import typer.main

from cli.main import app
from engine.games import find_game
from engine.tournament.config import config_of
from tests.tidy.tree import ROOT

PAGE = "docs/how-to/run-a-tournament.md"
REFERENCE = "docs/how-to/tournament-configuration.md"
README = "README.md"
LINE = re.compile(r"^\$ tavolata (tournament .*)$", re.MULTILINE)
EXAMPLES = sorted((ROOT / "docs" / "examples").glob("*.toml"))


def printed() -> list[str]:
    """On the organiser's page and the first one; of several in a line, each."""
    lines = [line for page in (PAGE, README) for line in LINE.findall((ROOT / page).read_text("utf-8"))]
    commands = [each.removeprefix("tavolata ") for line in lines for each in line.split(" && ")]
    return [each for each in dict.fromkeys(commands) if each.startswith("tournament ")]


@pytest.mark.parametrize("line", printed())
def test_a_printed_command_is_understood(line: str) -> None:
    """Parsed as the command itself would, and not run."""
    command = typer.main.get_command(app)
    words = shlex.split(line, comments=True)
    with command.make_context("tavolata", words) as context:
        group_name, group, rest = command.resolve_command(context, words)  # type: ignore[attr-defined]  # Typer makes groups
        with group.make_context(group_name, rest, parent=context) as inner:
            name, found, arguments = group.resolve_command(inner, rest)
            with found.make_context(name, arguments, parent=inner) as last:
                assert last.args == []


def test_the_page_names_every_command() -> None:
    group = typer.main.get_command(app).commands["tournament"]  # type: ignore[attr-defined]  # Typer makes groups
    text = (ROOT / PAGE).read_text("utf-8")
    missing = [name for name in group.commands if not re.search(rf"(tournament |`){re.escape(name)}\b", text)]
    assert missing == []


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_holds_and_asks_nothing_of_a_game_that_it_has_not(path: Path) -> None:
    config = config_of(path.read_text("utf-8"))
    for stage in config.stages:
        for key in stage.games:
            game = find_game(key)
            if key in stage.options:
                msgspec.convert(stage.options[key], game.options)
            assert stage.smallest in game.seats
            assert stage.largest in game.seats


def test_a_newcomer_finds_the_way_in_the_first_third() -> None:
    lines = (ROOT / README).read_text("utf-8").splitlines()
    beginning = "\n".join(lines[: len(lines) // 3])
    for wanted in (f"]({PAGE})", f"]({REFERENCE})", "tournament create ", "tournament simulate docs/examples/"):
        assert wanted in beginning
    assert f"]({REFERENCE.rpartition('/')[2]})" in (ROOT / PAGE).read_text("utf-8")


@pytest.mark.parametrize("path", re.findall(r"docs/examples/\w+\.toml", "\n".join(printed())))
def test_a_printed_file_is_there(path: str) -> None:
    assert (ROOT / path).exists()


def test_there_are_examples() -> None:
    assert [path.stem for path in EXAMPLES] == ["club_evening", "day_with_clocks", "duplicate_welcome_to"]
