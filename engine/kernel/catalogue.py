"""Sentences in four languages, from gettext catalogues that lie beside the code that speaks.

The English sentence is its own key; ``locale/<language>/LC_MESSAGES/messages.po`` of a package holds the others. They
are read as they stand, so no compiled file can be out of date. A sentence that a catalogue lacks comes out in English;
the tests let none be missing and no placeholder differ.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from gettext import c2py
from importlib.resources import files
from typing import NamedTuple

from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import clip

LANGUAGES = ("en", "it", "fr", "ko")
SPOKEN_MAX = 256
"""Catalogues kept; bounded because a language may be any text."""


def language_named(text: str) -> str:
    """``text`` if the house speaks it; empty is English. Raises ``Refusal``."""
    if text and text not in LANGUAGES:
        known = ", ".join(LANGUAGES)
        raise Refusal("unknown_language", f"There are no sentences in {clip(text)}; there are {known}.", Kind.INVALID)
    return text or LANGUAGES[0]


class Catalogue:
    """The sentences of one package. ``say`` and ``count`` are what extraction looks for."""

    def __init__(self, package: str) -> None:
        self.package = package

    def say(self, language: str, sentence: str, **values: object) -> str:
        """``sentence`` in a language, its ``{placeholders}`` filled in. An unknown language is English."""
        forms = spoken(self.package, language).sentences.get(sentence)
        return (forms[0] if forms else sentence).format(**values)

    def count(self, language: str, one: str, many: str, n: int, **values: object) -> str:
        """``one`` or ``many``, or the form that the language has for ``n``; ``{n}`` is filled in too."""
        translated = spoken(self.package, language)
        forms = translated.sentences.get(one)
        form = forms[translated.form(n)] if forms else one if n == 1 else many
        return form.format(n=n, **values)


class Spoken(NamedTuple):
    """A package in a language: the forms of each English sentence (of a pair the first), and which one a number has."""

    sentences: Mapping[str, tuple[str, ...]]
    form: Callable[[int], int]


UNSPOKEN = Spoken({}, lambda n: 0)


@lru_cache(SPOKEN_MAX)
def spoken(package: str, language: str) -> Spoken:
    """Nothing for English and for a language that the house does not speak: the key is the sentence then."""
    if language not in LANGUAGES[1:]:
        return UNSPOKEN
    source = files(package).joinpath(f"locale/{language}/LC_MESSAGES/messages.po")
    if not source.is_file():
        return UNSPOKEN
    # Only here: whoever verifies an export needs no catalogue.
    from babel.messages.pofile import read_po

    catalog = read_po(source.read_text("utf-8").splitlines(keepends=True), locale=language)
    sentences = {}
    for message in catalog:
        one = message.id if isinstance(message.id, str) else message.id[0]
        forms = (message.string,) if isinstance(message.string, str) else tuple(message.string or ())
        if one and all(forms):
            sentences[one] = forms
    return Spoken(sentences, c2py(catalog.plural_expr))
