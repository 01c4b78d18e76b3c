"""People: one row a person, found again, shown as they wish, and forgotten for ever."""

import os
import stat
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from engine.kernel.ports import Unavailable
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Instant
from services.kit.database import make_private, sqlite_file
from services.tournament import people as module
from services.tournament.people import ERASED_NAME, FOUND_MAX, People
from tests.kit.databases import Store
from tests.services.tournaments import Everybody

NOON = 1_796_558_400_000_000


class Noon:
    def now(self) -> Instant:
        return NOON

    async def sleep_until(self, at: Instant) -> None:
        raise AssertionError("people do not wait")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "people" / "people.sqlite"


def fill_with_rubbish(file: Path) -> None:
    make_private(file)
    file.write_bytes(b"not a database, " * 100)


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


async def opened(file: Path) -> People:
    return await People.open(f"sqlite:///{file}", Noon())


async def opened_in(store: Store) -> People:
    return await People.open(store.url, Noon(), password_file=store.password_file)


@pytest.fixture
async def people(store: Store) -> AsyncIterator[People]:
    people = await opened_in(store)
    yield people
    await people.close()


def kept(store: Store) -> bytes:
    """All that is on disk: the database and whatever lies beside it. Of a server, its table and what finds its rows."""
    if store.server is None:
        file = sqlite_file(store.url)
        assert file is not None
        return b"".join(path.read_bytes() for path in sorted(file.parent.iterdir()))
    return store.server.bytes_of("person")


async def test_a_person_is_kept_under_an_id_that_tells_nothing(people: People) -> None:
    anna = await people.add("Anna Rossi", "anna@example.org", "Foxglove")
    assert len(anna.player) == 17
    assert anna.player[0] == "p"
    assert int(anna.player[1:], 16) >= 0
    assert (anna.name, anna.contact, anna.alias) == ("Anna Rossi", "anna@example.org", "Foxglove")
    assert (anna.created_at, anna.erased) == ("2026-12-06T12:00:00.000000Z", False)
    assert await people.find([anna.player, "p0000000000000000"]) == {anna.player: anna}


async def test_the_table_is_there_after_a_restart(store: Store) -> None:
    people = await opened_in(store)
    anna = await people.add("Anna Rossi")
    await people.close()
    people = await opened_in(store)
    assert (await people.find([anna.player]))[anna.player] == anna
    await people.close()


@pytest.mark.parametrize(
    ("name", "contact"),
    [
        ("Anna Rossi", "anna@example.org"),
        ("  anna   ROSSI ", "Anna@Example.ORG"),
        ("Ａｎｎａ Rossi", " anna@example.org"),
    ],
)
async def test_the_same_person_is_the_same_player(people: People, name: str, contact: str) -> None:
    anna = await people.add("Anna Rossi", "anna@example.org", "Foxglove")
    assert await people.add(name, contact, "other") == anna


async def test_a_composed_letter_is_the_letter(people: People) -> None:
    assert await people.add("Zoe\u0308 Weiß") == await people.add("ZO\u00cb WEISS")


async def test_a_club_comes_together_or_not_at_all(people: People) -> None:
    club = [("Anna", "a@example.org", ""), ("Bruno", "", "Otter"), ("anna", "A@example.org", "")]
    anna, bruno, again = await people.add_all(club)
    assert again == anna
    assert bruno.public_name == "Otter"
    with pytest.raises(Refusal, match="bad_name"):
        await people.add_all([("Carla", "", ""), ("", "", "")])
    assert await search(people, "Carla") == []


async def test_another_contact_is_another_person(people: People) -> None:
    players = {(await people.add("Anna Rossi", contact)).player for contact in ("", "a@example.org", "b@example.org")}
    assert len(players) == 3


async def search(people: People, text: str, limit: int = FOUND_MAX) -> list[str]:
    """Public names, as they are found among all who are there."""
    return list((await people.find_by_public_name(text, Everybody(), limit)).values())


async def test_people_are_found_as_a_spectator_types_their_name(people: People) -> None:
    for name in ("Bruno", "anna Rossi", "Änne", "Anna Bianchi", "A%", "Łukasz Ørn", "Zoë Marianne Weiß", "Rosanna"):
        await people.add(name)
    assert await search(people, "ANNA ") == ["Anna Bianchi", "anna Rossi", "Rosanna"]
    assert await search(people, "ann") == ["Anna Bianchi", "anna Rossi", "Änne", "Rosanna", "Zoë Marianne Weiß"]
    assert await search(people, "weiss") == await search(people, "zoe  m") == ["Zoë Marianne Weiß"]
    assert await search(people, "lukasz orn") == ["Łukasz Ørn"]
    assert await search(people, "ross") == ["anna Rossi"]
    assert await search(people, "a%") == ["A%"]
    assert await search(people, "_") == []


async def test_a_word_of_a_name_comes_before_its_middle(people: People) -> None:
    for name in ("Tamara", "Ana Mar", "Mara", "Eva-Maria"):
        await people.add(name)
    assert await search(people, "mar") == ["Mara", "Ana Mar", "Eva-Maria", "Tamara"]


async def test_nobody_is_found_by_nothing(people: People) -> None:
    await people.add("Anna")
    for nothing in ("", "  ", "\u0301"):
        assert await search(people, nothing) == []


async def test_what_stands_behind_an_alias_finds_nobody(people: People) -> None:
    await people.add("Anna Rossi", "anna@example.org", "Foxglove")
    assert await search(people, "fox") == ["Foxglove"]
    for hidden in ("anna", "rossi", "example"):
        assert await search(people, hidden) == []


async def test_only_those_are_found_who_are_asked_about(people: People) -> None:
    anna, _ = [await people.add(name) for name in ("Anna", "Annika")]
    assert await people.find_by_public_name("ann", {anna.player}) == {anna.player: "Anna"}


async def test_a_search_has_a_limit(people: People) -> None:
    for number in range(30):
        await people.add(f"Player {number:02}")
    assert await search(people, "player", limit=1000) == [f"Player {number:02}" for number in range(20)]
    assert await search(people, "player", limit=2) == ["Player 00", "Player 01"]


async def test_many_ids_are_found_at_once(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "IDS_AT_ONCE", 2)
    players = [(await people.add(f"Player {number}")).player for number in range(5)]
    assert set(await people.find(players)) == set(players)


async def test_a_public_name_is_the_alias_or_the_name(people: People) -> None:
    assert (await people.add("Anna Rossi", alias="Foxglove")).public_name == "Foxglove"
    assert (await people.add("Bruno")).public_name == "Bruno"


async def test_an_update_replaces_what_is_known(people: People) -> None:
    anna = await people.add("Ana Rossi")
    changed = await people.update(anna.player, name="Anna Rossi", contact="anna@example.org", alias="")
    assert (changed.name, changed.contact, changed.created_at) == ("Anna Rossi", "anna@example.org", anna.created_at)
    assert await people.add("anna rossi", "anna@example.org") == changed
    assert await search(people, "ana") == []
    again = await people.update(anna.player, name="Anna Rossi", contact="anna@example.org", alias="Fox")
    assert again.alias == "Fox"


async def test_an_update_cannot_make_two_players_one_person(people: People) -> None:
    anna, bruno = await people.add("Anna"), await people.add("Bruno")
    with pytest.raises(Refusal) as caught:
        await people.update(bruno.player, name="ANNA", contact="", alias="")
    assert (caught.value.code, caught.value.kind) == ("same_person", Kind.EXISTS)
    assert await people.find([anna.player, bruno.player]) == {anna.player: anna, bruno.player: bruno}


class TestErasing:
    async def test_an_erased_person_has_an_id_and_nothing_else(self, people: People) -> None:
        anna = await people.add("Anna Rossi", "anna@example.org", "Foxglove")
        erased = await people.erase(anna.player)
        assert (erased.name, erased.contact, erased.alias, erased.erased) == ("", "", "", True)
        assert erased.public_name == ERASED_NAME == "erased player"
        assert await people.find([anna.player]) == {anna.player: erased}
        assert [await search(people, text) for text in ("anna", "fox", "erased", "player")] == [[]] * 4
        assert await people.erase(anna.player) == erased

    async def test_nothing_of_it_is_left_on_the_disk(self, people: People, store: Store) -> None:
        others = [await people.add(f"Player {number}", f"{number}@example.org") for number in range(100)]
        anna = await people.add("Annabella Rossi", "annabella@example.net", "Foxglove")
        await people.update(anna.player, name="Annabella Verdi", contact="annabella@example.com", alias="Foxtrot")
        traces = (b"nnabella", b"example.net", b"example.com", b"Fox")
        assert all(trace in kept(store) for trace in (b"nnabella Verdi", b"example.com", b"Foxtrot"))
        await people.erase(anna.player)
        assert [trace for trace in traces if trace in kept(store)] == []
        assert (await people.find([others[7].player]))[others[7].player].name == "Player 7"

    async def test_erasing_is_for_ever(self, people: People) -> None:
        anna = await people.add("Anna", "anna@example.org")
        await people.erase(anna.player)
        with pytest.raises(Refusal, match="player_erased"):
            await people.update(anna.player, name="Anna", contact="", alias="")

    async def test_who_comes_back_is_somebody_new(self, people: People) -> None:
        anna, bruno = await people.add("Anna"), await people.add("Bruno")
        await people.erase(anna.player)
        await people.erase(bruno.player)
        again = await people.add("Anna")
        assert again.player not in (anna.player, bruno.player)


async def test_a_name_does_not_land_in_a_log(people: People) -> None:
    anna = await people.add("Anna Rossi", "anna@example.org", "Foxglove")
    assert repr(anna) == f"Person({anna.player})"


@pytest.mark.parametrize(
    ("details", "code"),
    [
        (("", "", ""), "bad_name"),
        (("   ", "", ""), "bad_name"),
        (("x" * 101, "", ""), "bad_name"),
        (("An\x00na", "", ""), "bad_name"),
        (("Anna", "x" * 201, ""), "bad_contact"),
        (("Anna", "", "x" * 41), "bad_alias"),
        (("Anna", "", "\u202eannA"), "bad_alias"),
    ],
)
async def test_what_is_no_name_is_refused(people: People, details: tuple[str, str, str], code: str) -> None:
    name, contact, alias = details
    with pytest.raises(Refusal, match=code):
        await people.add(name, contact, alias)
    bruno = await people.add("Bruno")
    with pytest.raises(Refusal, match=code):
        await people.update(bruno.player, name=name, contact=contact, alias=alias)


@pytest.mark.parametrize(
    "ask", [lambda p: p.erase("nobody"), lambda p: p.update("nobody", name="A", contact="", alias="")]
)
async def test_nobody_is_unknown(people: People, ask: Callable[[People], object]) -> None:
    with pytest.raises(Refusal) as caught:
        await ask(people)  # type: ignore[misc]  # a coroutine function
    assert (caught.value.code, caught.value.kind) == ("unknown_player", Kind.MISSING)


class TestFile:
    async def test_only_its_owner_may_read_it(self, file: Path) -> None:
        await (await opened(file)).close()
        assert mode_of(file) == 0o600
        assert mode_of(file.parent) == 0o700

    async def test_one_that_others_may_read_is_refused(self, file: Path) -> None:
        await (await opened(file)).close()
        os.chmod(file, 0o640)
        with pytest.raises(Refusal, match="people_file_open"):
            await opened(file)

    async def test_one_that_is_no_database_is_refused(self, file: Path) -> None:
        fill_with_rubbish(file)
        with pytest.raises(Refusal, match="people_damaged"):
            await opened(file)

    async def test_a_folder_in_its_place_is_said(self, file: Path) -> None:
        os.makedirs(file)
        with pytest.raises(Unavailable, match="people_unavailable"):
            await opened(file)


async def test_two_services_that_add_one_person_at_once_get_one_player(
    people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first look sees nobody, because the other service's row is not there yet."""
    anna = await people.add("Anna")
    look = module._same
    looks = iter([lambda *_: None])
    monkeypatch.setattr(module, "_same", lambda *asked: next(looks, look)(*asked))
    assert await people.add("Anna") == anna
