"""What is said over the wire is said in the language that was asked for, each reader in its own."""

from contextlib import aclosing
from pathlib import Path

import pytest
from tavolata.spectator.v1 import spectator_pb2

from engine.kernel.catalogue import LANGUAGES
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import SeatView, Spectator, Viewer
from services.kit.memory_log import MemoryLog
from tests.services.hosts import M, next_move
from tests.services.small_house import GAME, Person, SmallHouse, person, small_house

ENGLISH = "The match is open with 2 seats."
OPENED = {
    "en": ENGLISH,
    "it": "La partita è aperta con 2 posti.",
    "fr": "La partie est ouverte avec 2 sièges.",
    "ko": "경기가 열렸습니다. 좌석 수: 2.",
    "": ENGLISH,
}


async def first_words(one: Person, viewer: Viewer, language: str) -> str:
    async with aclosing(one.spectator.facts(M, viewer, language=language)) as facts:
        return (await anext(facts)).words[0]


async def first_position(one: Person, viewer: Viewer, language: str) -> spectator_pb2.Position:
    async with aclosing(one.spectator.positions(M, viewer, language=language)) as positions:
        return await anext(positions)


async def test_each_reader_is_told_in_its_language(tmp_path: Path) -> None:
    async with small_house(MemoryLog(), tmp_path) as house, person(house) as one:
        await one.rules.open(M, GAME, 2)
        for viewer in (Spectator(), SeatView(1)):
            told = {language: await first_words(one, viewer, language) for language in OPENED}
            assert told == OPENED
            positions = {language: await first_position(one, viewer, language) for language in OPENED}
            boards = {language: position.svg for language, position in positions.items()}
            assert boards[""] == boards["en"]
            assert len(set(boards.values())) == len(LANGUAGES), "a picture is kept for each language"
            labels = {position.scores[0].objectives[0].label for position in positions.values()}
            assert len(labels) == len(LANGUAGES)
            for language in LANGUAGES:
                snapshot = await one.spectator.snapshot(M, viewer, language=language)
                assert snapshot.svg == boards[language]
                assert snapshot.scores == positions[language].scores
                assert snapshot.words == positions[language].words
                assert f'lang="{language}"' in snapshot.svg
            past = await one.spectator.snapshot(M, viewer, revision=1, language="fr")
            assert list(past.words) == [OPENED["fr"]]


async def test_choices_are_offered_in_a_language(tmp_path: Path) -> None:
    async with small_house(MemoryLog(), tmp_path) as house, person(house) as one:
        await one.rules.open(M, GAME, 2)
        seat = await pending_seat(house)
        menus = [await one.rules.choices(M, seat, (), language=language) for language in LANGUAGES]
        assert len({menu.prompt for menu in menus}) == len(LANGUAGES)
        assert len({tuple(choice.key for choice in menu.choices) for menu in menus}) == 1


@pytest.mark.parametrize("language", ["xx", "EN", "italiano"])
async def test_a_language_that_nobody_speaks_is_refused(language: str, tmp_path: Path) -> None:
    async with small_house(MemoryLog(), tmp_path) as house, person(house) as one:
        await one.rules.open(M, GAME, 2)
        for call in (
            first_words(one, Spectator(), language),
            first_position(one, Spectator(), language),
            one.spectator.snapshot(M, Spectator(), language=language),
            one.rules.choices(M, await pending_seat(house), (), language=language),
        ):
            with pytest.raises(Refusal) as refused:
                await call
            assert (refused.value.code, refused.value.kind) == ("unknown_language", Kind.INVALID)


async def pending_seat(house: SmallHouse) -> int:
    return (await next_move(house.log))[0]
