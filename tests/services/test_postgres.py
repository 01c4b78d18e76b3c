"""What a server can do to a read model and to the list of people: be away, be full, be asked by two at once."""

import asyncio
import threading
import time
import traceback
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from sqlalchemy import text
from sqlmodel import Field, Session, SQLModel, select
from structlog.testing import capture_logs

from engine.kernel.ports import Bounds, Unavailable
from engine.kernel.refusal import Refusal
from services.kit import postgres as connections
from services.kit import read_model as module
from services.kit.clock import SystemClock
from services.kit.read_model import ReadModel
from services.tournament import people as people_module
from services.tournament.people import People
from tests.kit.postgres import PostgresDatabase

HERE = [Bounds("epoch-1", 100)]


class TallyRow(SQLModel, table=True):
    """Counts how often it was written: what is applied twice is seen."""

    __tablename__ = "tally"
    name: str = Field(primary_key=True)
    value: int


def count(session: Session) -> None:
    row = session.get(TallyRow, "a") or TallyRow(name="a", value=0)
    row.value += 1
    session.add(row)


def counted(session: Session) -> int:
    return session.exec(select(TallyRow.value)).one()


@asynccontextmanager
async def opened(database: PostgresDatabase, consumer: str = "test") -> AsyncIterator[ReadModel]:
    model = ReadModel(database.url, consumer, 1, [TallyRow], password_file=database.password_file)
    try:
        yield model
    finally:
        await model.close()


@asynccontextmanager
async def prepared(database: PostgresDatabase) -> AsyncIterator[ReadModel]:
    async with opened(database) as model:
        assert await model.prepare(HERE) == [0]
        yield model


@asynccontextmanager
async def people_in(database: PostgresDatabase) -> AsyncIterator[People]:
    people = await People.open(database.url, SystemClock(), password_file=database.password_file)
    try:
        yield people
    finally:
        await people.close()


class TestOneWriter:
    async def test_a_second_process_waits_for_the_first_to_go(self, postgres: PostgresDatabase) -> None:
        async with opened(postgres) as second:
            async with prepared(postgres) as first:
                await first.apply(0, 7, count)
                waiting = asyncio.create_task(second.prepare(HERE))
                await asyncio.wait([waiting], timeout=2 * module.RETRY_S)
                assert not waiting.done()
            assert await waiting == [7]

    async def test_it_says_so_when_the_first_stays(
        self, postgres: PostgresDatabase, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(module, "LEASE_S", 0.0)
        async with prepared(postgres) as first, opened(postgres) as second:
            with pytest.raises(Refusal, match="read_model_in_use"):
                await second.prepare(HERE)
            await first.apply(0, 1, count)
            assert await first.run(counted) == 1

    async def test_who_lost_the_connection_to_another_writes_no_more(self, postgres: PostgresDatabase) -> None:
        async with prepared(postgres) as first, opened(postgres) as second:
            await first.apply(0, 7, count)
            postgres.cut()
            assert await second.prepare(HERE) == [7]
            with pytest.raises(Refusal, match="read_model_in_use"):
                await first.apply(0, 8, count)
            assert await second.run(counted) == 1

    async def test_other_consumers_of_the_database_are_not_in_the_way(self, postgres: PostgresDatabase) -> None:
        async with opened(postgres, "one") as one, opened(postgres, "other") as other, people_in(postgres):
            assert [await model.prepare(HERE) for model in (one, other)] == [[0], [0]]

    async def test_processes_that_start_at_once_make_the_tables_once(self, postgres: PostgresDatabase) -> None:
        consumers = [
            ReadModel(postgres.url, f"c{n}", 1, [TallyRow], password_file=postgres.password_file) for n in range(6)
        ]
        replicas = [People.open(postgres.url, SystemClock(), password_file=postgres.password_file) for _ in range(3)]
        positions, people = await asyncio.gather(
            asyncio.gather(*(model.prepare(HERE) for model in consumers)), asyncio.gather(*replicas)
        )
        assert positions == [[0]] * 6
        for opened_here in consumers:
            await opened_here.close()
        for replica in people:
            await replica.close()


class TestAway:
    async def test_what_the_log_tells_waits_for_a_server_that_was_killed(self, postgres: PostgresDatabase) -> None:
        async with prepared(postgres) as model:
            await model.apply(0, 1, count)
            postgres.server.kill()
            applying = asyncio.create_task(model.apply(0, 2, count))
            await asyncio.wait([applying], timeout=0.1)
            assert not applying.done()
            postgres.server.start()
            await applying
            assert await model.run(counted) == 2
        async with opened(postgres) as again:
            assert await again.prepare(HERE) == [2]

    async def test_but_not_for_ever(self, postgres: PostgresDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "PATIENCE_S", 0.0)
        async with prepared(postgres) as model:
            postgres.server.kill()
            with pytest.raises(Unavailable, match="read_model_unavailable"):
                await model.apply(0, 1, count)

    async def test_who_asks_is_told_at_once_and_answered_later(self, postgres: PostgresDatabase) -> None:
        async with prepared(postgres) as model, people_in(postgres) as people:
            await model.apply(0, 1, count)
            anna = await people.add("Anna Rossi", "anna@example.org")
            postgres.server.kill()
            with capture_logs() as logged:
                for ask, code in (
                    (lambda: model.run(counted), "read_model_unavailable"),
                    (lambda: people.find([anna.player]), "people_unavailable"),
                    (lambda: people.erase(anna.player), "people_unavailable"),
                ):
                    with pytest.raises(Unavailable) as away:
                        await ask()
                    assert away.value.code == code
                    assert str(postgres.server.port) not in away.value.sentence
            assert {line["event"] for line in logged} == {"database_unreachable"}
            assert postgres.server.password not in str(logged)
            postgres.server.start()
            assert await model.run(counted) == 1
            assert await people.find([anna.player]) == {anna.player: anna}

    async def test_a_restart_between_two_questions_is_not_noticed(self, postgres: PostgresDatabase) -> None:
        async with prepared(postgres) as model:
            await model.apply(0, 1, count)
            postgres.server.stop()
            postgres.server.start()
            assert await model.run(counted) == 1

    async def test_a_statement_that_takes_too_long_is_given_up(
        self, postgres: PostgresDatabase, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(connections.SESSION, "statement_timeout", 50)
        async with opened(postgres) as model:
            with pytest.raises(Unavailable, match=r"read_model_unavailable.*QueryCanceled"):
                await model.run(lambda session: session.execute(text("SELECT pg_sleep(20)")))
            assert await model.run(lambda session: session.execute(text("SELECT 1")).scalar()) == 1

    async def test_a_server_that_only_follows_is_as_good_as_none(self, postgres: PostgresDatabase) -> None:
        async with prepared(postgres):
            pass
        postgres.execute(f"ALTER DATABASE {postgres.name} SET default_transaction_read_only = on")
        async with opened(postgres) as model:
            with pytest.raises(Unavailable, match=r"read_model_unavailable.*ReadOnly"):
                await model.run(count)

    async def test_a_full_disk_is_named(self, postgres: PostgresDatabase) -> None:
        async with prepared(postgres) as model, people_in(postgres) as people:
            postgres.fail("tally", "53100", "no room left for Anna")
            postgres.fail("person", "53100", "no room left for Anna")
            with pytest.raises(Unavailable, match="read_model_full"):
                await model.apply(0, 1, count)
            with pytest.raises(Unavailable, match="people_full"):
                await people.add("Anna")
            assert await people.find_by_public_name("anna", {}) == {}


class TestSecrets:
    async def test_the_password_is_read_whenever_a_connection_is_made(self, postgres: PostgresDatabase) -> None:
        postgres.execute(f"CREATE ROLE {postgres.name} LOGIN SUPERUSER PASSWORD 'the first one'")
        try:
            postgres.password_file.write_text("the first one\n")
            url = postgres.url.replace("//tavolata@", f"//{postgres.name}@")
            people = await People.open(url, SystemClock(), password_file=postgres.password_file)
            postgres.execute(f"ALTER ROLE {postgres.name} PASSWORD 'the second one'")
            anna = await people.add("Anna")
            postgres.cut()
            with pytest.raises(Unavailable) as refused:
                await people.find([anna.player])
            assert "the first one" not in str(refused.value)
            postgres.password_file.write_text("the second one")
            assert await people.find([anna.player]) == {anna.player: anna}
            postgres.password_file.unlink()
            postgres.cut()
            with pytest.raises(Refusal, match="database_password_missing"):
                await people.find([anna.player])
            await people.close()
        finally:
            postgres.execute(f"REASSIGN OWNED BY {postgres.name} TO tavolata; DROP ROLE {postgres.name}")

    async def test_a_database_s_own_words_are_told_to_nobody(self, postgres: PostgresDatabase) -> None:
        """A server writes into its errors what it was given, and what it has found."""
        async with prepared(postgres) as model, people_in(postgres) as people:
            for table in ("tally", "person"):
                postgres.fail(table, "XX000", "Annabella is written here")
            for ask, code in (
                (lambda: model.run(count), "read_model_damaged"),
                (lambda: people.add("Annabella", "annabella@example.org"), "people_damaged"),
            ):
                with capture_logs() as logged, pytest.raises(Refusal) as told:
                    await ask()
                assert told.value.code == code
                assert "nnabella" not in "".join([*traceback.format_exception(told.value), str(logged)])

    async def test_text_that_no_server_holds_is_refused(self, postgres: PostgresDatabase) -> None:
        async with people_in(postgres) as people:
            with pytest.raises(Refusal, match="bad_text"):
                await people.erase("p\x00")


class TestReplicasOfPeople:
    async def test_two_that_add_one_club_in_other_orders_have_one_club(self, postgres: PostgresDatabase) -> None:
        """Each waiting for a row of the other, they would be told to begin again for ever."""
        club = [(f"Player {number}", "", "") for number in range(50)]
        async with people_in(postgres) as one, people_in(postgres) as other:
            for _ in range(3):
                forth, back = await asyncio.gather(one.add_all(club), other.add_all(club[::-1]))
                assert forth == back[::-1]
                assert postgres.execute("SELECT count(*) FROM person") == [(50,)]
                postgres.execute("TRUNCATE person")

    async def test_two_that_name_two_players_alike_leave_one_of_them(self, postgres: PostgresDatabase) -> None:
        async with people_in(postgres) as one, people_in(postgres) as other:
            anna, bruno = await one.add("Anna"), await one.add("Bruno")
            outcomes = await asyncio.gather(
                one.update(anna.player, name="Carla", contact="", alias=""),
                other.update(bruno.player, name="Carla", contact="", alias=""),
                return_exceptions=True,
            )
            [refusal] = [outcome for outcome in outcomes if isinstance(outcome, BaseException)]
            assert isinstance(refusal, Refusal)
            assert refusal.code == "same_person"
            assert "Carla" not in "".join(traceback.format_exception(refusal))

    async def test_who_is_erased_while_another_corrects_the_name_stays_erased(
        self, postgres: PostgresDatabase, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async with people_in(postgres) as one, people_in(postgres) as other:
            anna = await one.add("Anna")
            loop = asyncio.get_running_loop()
            erasing: list[Any] = []
            look = people_module._same

            def look_while_she_is_erased(*asked: Any) -> Any:
                """In the middle of the correction: the row has been read and not been written."""
                erasing.append(asyncio.run_coroutine_threadsafe(other.erase(anna.player), loop))
                wait_for(lambda: erasing[0].done() or postgres.execute(WAITING) == [(1,)])
                return look(*asked)

            monkeypatch.setattr(people_module, "_same", look_while_she_is_erased)
            await one.update(anna.player, name="Annabella", contact="", alias="")
            await asyncio.wrap_future(erasing[0])
            assert (await one.find([anna.player]))[anna.player].name == ""
            assert b"nnabella" not in postgres.bytes_of("person")


WAITING = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"


def wait_for(condition: Callable[[], bool]) -> None:
    """In a thread of the database's, where nothing can be awaited."""
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        threading.Event().wait(0.01)
