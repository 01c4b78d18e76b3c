"""Every sentence of the kernel and of every game is there in every language, whole and with its placeholders.

When a sentence is new or has changed: ``python -m tests.kit.catalogues --write``, and translate what it left empty.
"""

import re
from collections.abc import Iterator
from xml.etree import ElementTree as ET

import pytest

from engine.games import all_games
from engine.kernel.catalogue import LANGUAGES, Catalogue
from engine.kernel.facts import fact_of
from engine.kernel.game import Menu
from engine.kernel.value import SeatView, Spectator
from tests.kit.catalogues import PLURALS, Message, packages, placeholders, po_file, read, said_in, sentences, written
from tests.kit.table import Played, play, viewers

OTHERS = LANGUAGES[1:]
HANGUL = re.compile("[가-힣]")
WORD = re.compile("[A-Za-z]{4,}")
every_file = pytest.mark.parametrize(
    ("package", "language"), [(package, language) for package in packages() for language in OTHERS]
)


def forms(package: str, language: str) -> Iterator[tuple[Message, tuple[str, ...]]]:
    """Each sentence with all that it is in a language."""
    for message in read(package, language):
        match message.id, message.string:
            case "", _:
                pass
            case str(sentence), str(translation):
                yield sentence, (translation,)
            case (one, many), (*translations,):
                yield (one, many), tuple(translations)
            case other:
                raise AssertionError(f"{other} is no entry")


@every_file
def test_a_catalogue_holds_exactly_what_its_package_says(package: str, language: str) -> None:
    assert {message for message, _ in forms(package, language)} == set(sentences(package))
    assert not read(package, language).obsolete
    assert not any(message.fuzzy for message in read(package, language) if message.id)
    assert po_file(package, language).read_text("utf-8") == written(package, language), "not as the tool writes it"


@every_file
def test_every_sentence_is_translated_with_its_placeholders(package: str, language: str) -> None:
    for message, translated in forms(package, language):
        one, many = (message, message) if isinstance(message, str) else message
        assert all(translated), f"{one!r} is not translated"
        plurals = re.match(r"nplurals=(\d)", PLURALS[language])
        assert plurals is not None
        assert len(translated) == (1 if isinstance(message, str) else int(plurals[1])), f"{one!r} lacks a form"
        assert placeholders(translated[-1]) == placeholders(many), f"{one!r} has other placeholders"
        for form in translated:
            assert placeholders(form) | {"n"} == placeholders(many) | {"n"}, f"{one!r} has other placeholders"
            # What ends a sentence must end its translation: a label is no sentence, and a sentence is no label.
            assert (form[-1] in ".!?") == (many[-1] in ".!?"), f"{form!r} ends otherwise than {many!r}"
            assert form == form.strip()
        if language == "ko" and WORD.search(re.sub("{.*?}", "", one)):
            assert all(map(HANGUL.search, translated)), f"{one!r} is not Korean"


@every_file
def test_a_catalogue_says_which_language_it_is(package: str, language: str) -> None:
    head = po_file(package, language).read_text("utf-8").split("\n\n")[0]
    assert f'"Language: {language}\\n"' in head
    assert f'"Plural-Forms: {PLURALS[language]}\\n"' in head


@pytest.fixture(scope="module", params=all_games())
def played(request: pytest.FixtureRequest) -> Played:
    game = all_games()[request.param]
    return play(game, min(3, game.seats[-1]), {}, 5, leavers=1, sleepers=True)


@pytest.mark.parametrize("language", OTHERS)
def test_a_match_is_told_in_every_language(played: Played, language: str) -> None:
    match = played.match
    for commit in played.commits:
        for viewer in viewers(played.seats):
            fact = fact_of(match, commit, viewer)
            for event in map(match.event_of, commit.events):
                shown = match.redact(event, viewer)
                english, told = match.words(shown, "en"), match.words(shown, language)
                assert bool(english) == bool(told), f"{type(event).__name__}: {english!r}, {told!r}"
                assert not english or told != english, f"{told!r} is English still"
                assert not english or told[-1] in ".!?"
            assert fact_of(match, commit, viewer, language).events == fact.events


@pytest.mark.parametrize("language", OTHERS)
def test_a_match_is_shown_in_every_language(played: Played, language: str) -> None:
    """The pictures, the scores and the menus say the same things, in other words."""
    game = played.match.game
    for _, state in played.sample(5):
        english, other = (game.scores(state.game, spoken) for spoken in ("en", language))
        for one, same in zip(english, other, strict=True):
            assert (one.seat, one.total) == (same.seat, same.total)
            assert [(line.key, line.points) for line in one.lines] == [(line.key, line.points) for line in same.lines]
            assert [goal.have for goal in one.objectives] == [goal.have for goal in same.objectives]
        for viewer in (Spectator(), SeatView(0)):
            pictures = [ET.fromstring(game.board(game.view(state.game, viewer), viewer, s)) for s in ("en", language)]
            ids, more = ({element.get("id") for element in picture.iter()} for picture in pictures)
            assert ids == more
            assert [picture.get("lang") for picture in pictures] == ["en", language]
        for seat in range(played.seats):
            if list(game.legal(state.game, seat)):
                _same_menu(game.choices(state.game, seat, ()), game.choices(state.game, seat, (), language))


def _same_menu(english: Menu, other: Menu) -> None:
    assert english.prompt != other.prompt
    assert [(choice.key, choice.place) for choice in english.choices] == [
        (choice.key, choice.place) for choice in other.choices
    ]
    assert english.command == other.command


def test_an_unknown_language_is_english() -> None:
    catalogue = Catalogue("engine.kernel")
    assert catalogue.say("xx", "Seat {seat} leaves the match.", seat=1) == "Seat 1 leaves the match."
    assert catalogue.count("xx", "{n} seat", "{n} seats", 1) == "1 seat"


def test_a_sentence_that_nobody_can_find_is_an_error() -> None:
    assert list(said_in('a.say(l, "One")\nb.count(l, "{n} a", "{n} as", 2)\n(1, 2).count(1)', "x")) == [
        "One",
        ("{n} a", "{n} as"),
    ]
    for source in ("a.say(l, name)", 'a.say(l, f"{x}")', 'a.count(l, "one", many, 2)'):
        with pytest.raises(ValueError, match="no literal"):
            list(said_in(source, "x"))
