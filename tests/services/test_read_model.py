"""A read model belongs to one log, moves on with its effects or not at all, and can be folded again.

One suite for every database; what only a server can do to one is in ``test_postgres.py``.
"""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
from sqlmodel import Field, Session, SQLModel, col, select

from engine.kernel.ports import Bounds, Unavailable
from engine.kernel.refusal import Refusal
from services.kit.read_model import ReadModel
from tests.kit.databases import Store


class CountRow(SQLModel, table=True):
    """What the read model of these tests is about."""

    __tablename__ = "count"
    name: str = Field(primary_key=True)
    value: int


HERE = [Bounds("epoch-1", 10)]


@pytest.fixture
async def models(store: Store) -> AsyncIterator["Models"]:
    made = Models(store)
    yield made
    for model in made.opened.values():
        await model.close()


class Models:
    """One database, opened again and again as processes do: the next one of a consumer when the last has gone."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.opened: dict[str, ReadModel] = {}

    async def open(self, version: int = 1, consumer: str = "test") -> ReadModel:
        if consumer in self.opened:
            await self.opened[consumer].close()
        model = ReadModel(self.store.url, consumer, version, [CountRow], password_file=self.store.password_file)
        self.opened[consumer] = model
        return model


async def put(model: ReadModel, position: int, name: str, value: int) -> None:
    await model.apply(position=position, partition=0, write=lambda session: _write(model, session, name, value))


def _write(model: ReadModel, session: Session, name: str, value: int) -> None:
    model.upsert(session, CountRow, [{"name": name, "value": value}])


async def counts(model: ReadModel) -> dict[str, int]:
    def read(session: Session) -> dict[str, int]:
        return {row.name: row.value for row in session.exec(select(CountRow).order_by(col(CountRow.name)))}

    return await model.run(read)


async def test_it_goes_on_where_it_was(models: Models) -> None:
    first = await models.open()
    assert await first.prepare(HERE) == [0]
    await put(first, 3, "a", 1)
    await put(first, 5, "a", 2)
    again = await models.open()
    assert await again.prepare(HERE) == [5]
    assert await counts(again) == {"a": 2}


async def test_a_log_may_be_longer_than_any_number_of_32_bits(models: Models) -> None:
    model = await models.open()
    assert await model.prepare([Bounds("epoch-1", 2**41)]) == [0]
    await put(model, 2**40, "a", 1)
    assert await (await models.open()).prepare([Bounds("epoch-1", 2**41)]) == [2**40]


async def test_a_position_and_its_effect_are_one(models: Models) -> None:
    model = await models.open()
    await model.prepare(HERE)
    await put(model, 1, "a", 1)

    def write_and_fail(session: Session) -> None:
        _write(model, session, "a", 7)
        _write(model, session, "b", 7)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await model.apply(0, 2, write_and_fail)
    assert await counts(model) == {"a": 1}
    assert await (await models.open()).prepare(HERE) == [1]


async def test_what_has_been_taken_in_is_not_taken_in_again(models: Models) -> None:
    model = await models.open()
    await model.prepare(HERE)
    await put(model, 5, "a", 1)
    for position in (5, 4):
        await put(model, position, "a", 99)
    assert await counts(model) == {"a": 1}


async def test_another_version_is_dropped(models: Models) -> None:
    old = await models.open(version=1)
    await old.prepare(HERE)
    await put(old, 5, "a", 1)
    new = await models.open(version=2)
    assert await new.prepare(HERE) == [0]
    assert await counts(new) == {}


async def test_a_newer_version_is_refused_and_kept(models: Models) -> None:
    new = await models.open(version=2)
    await new.prepare(HERE)
    await put(new, 5, "a", 1)
    with pytest.raises(Refusal, match="read_model_newer"):
        await (await models.open(version=1)).prepare(HERE)
    assert await counts(await models.open(version=2)) == {"a": 1}


async def test_it_is_dropped_when_asked(models: Models) -> None:
    model = await models.open()
    await model.prepare(HERE)
    await put(model, 5, "a", 1)
    again = await models.open()
    assert await again.prepare(HERE, rebuild=True) == [0]
    assert await counts(again) == {}


@pytest.mark.parametrize(
    "other",
    [
        pytest.param([Bounds("epoch-2", 10)], id="restored"),
        pytest.param([Bounds("epoch-2", 3)], id="restored to before what was read"),
        pytest.param([Bounds("epoch-2", 10), Bounds("epoch-3", 10)], id="made anew with more partitions"),
    ],
)
async def test_of_a_log_of_another_epoch_it_is_folded_from_the_first_line(
    other: Sequence[Bounds], models: Models
) -> None:
    model = await models.open()
    await model.prepare(HERE)
    await put(model, 5, "a", 1)
    again = await models.open()
    assert await again.prepare(other) == [0] * len(other)
    assert await counts(again) == {}
    await put(again, 2, "b", 1)
    assert await (await models.open()).prepare(other) == [2, *([0] * (len(other) - 1))]


@pytest.mark.parametrize(
    ("code", "other"),
    [
        pytest.param("other_log", [Bounds("epoch-1", 4)], id="a log that has lost lines"),
        pytest.param("other_partitions", [*HERE, *HERE], id="a log of more partitions"),
    ],
)
async def test_another_log_is_refused_until_it_is_rebuilt(code: str, other: Sequence[Bounds], models: Models) -> None:
    model = await models.open()
    await model.prepare(HERE)
    await put(model, 5, "a", 1)
    with pytest.raises(Refusal, match=code):
        await (await models.open()).prepare(other)
    assert await counts(await models.open()) == {"a": 1}
    assert await (await models.open()).prepare(other, rebuild=True) == [0] * len(other)


async def test_two_consumers_in_one_database_do_not_disturb_each_other(models: Models) -> None:
    one, other = await models.open(), await models.open(consumer="other")
    await one.prepare(HERE)
    await put(one, 5, "a", 1)
    assert await other.prepare(HERE) == [0]
    assert await (await models.open()).prepare(HERE) == [5]


async def test_a_damaged_file_is_named_as_such(tmp_path: Path) -> None:
    file = tmp_path / "model.sqlite"
    file.write_bytes(b"this is no database, and long enough that it can be told so. " * 100)
    model = ReadModel(f"sqlite:///{file}", "test", 1, [CountRow])
    with pytest.raises(Refusal, match="read_model_damaged"):
        await model.prepare(HERE)
    await model.close()


async def test_a_folder_that_cannot_be_written_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "model.sqlite").mkdir()
    model = ReadModel(f"sqlite:///{tmp_path / 'model.sqlite'}", "test", 1, [CountRow])
    with pytest.raises(Unavailable, match="read_model_unavailable"):
        await model.prepare(HERE)
    await model.close()
