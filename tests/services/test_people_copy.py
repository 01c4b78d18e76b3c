"""People are copied from any database into any other, as they are, or not at all."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from engine.kernel.refusal import Refusal
from services.kit.clock import SystemClock
from services.tournament.people import People
from services.tournament.people_copy import ROWS_AT_ONCE, check_room, dump, load
from tests.kit.databases import Store

NAMES = [("Ana", "ana@x", "A."), ("Bea", "", ""), ("Ćelić 'quoted'", "", ""), ("Gone", "gone@x", "")]


@asynccontextmanager
async def opened(url: str, password_file: Path | None = None) -> AsyncIterator[People]:
    people = await People.open(url, SystemClock(), password_file=password_file)
    try:
        yield people
    finally:
        await people.close()


@pytest.fixture
async def lines(tmp_path: Path) -> list[bytes]:
    """Three people and one who was erased."""
    async with opened(f"sqlite:///{tmp_path / 'source.sqlite'}") as people:
        added = await people.add_all(NAMES)
        await people.erase(added[-1].player)
        return await dump(people)


async def test_everybody_is_in_the_other_database_as_they_were(store: Store, lines: list[bytes]) -> None:
    async with opened(store.url, store.password_file) as people:
        await check_room(people, lines)
        await load(people, lines)
        assert await dump(people) == lines
        await load(people, lines)  # a repeat is harmless
        assert await dump(people) == lines
        [ana] = [msgspec.json.decode(line) for line in lines if b"ana@x" in line]
        again = await people.add("ANA", "Ana@X")
        assert again.player == ana["player"], "who is entered again is the same person"
        assert sum(msgspec.json.decode(line)["erased"] for line in lines) == 1
        assert b"gone@x" not in b"".join(lines)


async def test_more_people_than_fit_into_one_statement(tmp_path: Path) -> None:
    async with opened(f"sqlite:///{tmp_path / 'one.sqlite'}") as people:
        await people.add_all([(f"Player {number}", "", "") for number in range(ROWS_AT_ONCE + 7)])
        many = await dump(people)
    async with opened(f"sqlite:///{tmp_path / 'two.sqlite'}") as people:
        await load(people, many)
        assert await dump(people) == many


async def test_a_database_with_other_people_keeps_them(store: Store, lines: list[bytes]) -> None:
    async with opened(store.url, store.password_file) as people:
        await people.add("Eve")
        before = await dump(people)
        with pytest.raises(Refusal, match="people_exist"):
            await load(people, lines)
        assert await dump(people) == before


@pytest.mark.parametrize(
    "line", [b"{", b"[]", b"{}", b'{"player":"p1"}'], ids=["no JSON", "no person", "nothing", "half a person"]
)
async def test_lines_that_are_no_people_are_refused_and_not_told(line: bytes, tmp_path: Path) -> None:
    async with opened(f"sqlite:///{tmp_path / 'people.sqlite'}") as people:
        with pytest.raises(Refusal) as refused:
            await load(people, [line])
        assert refused.value.code == "backup_damaged"
        assert "p1" not in refused.value.sentence
        assert await dump(people) == []
