"""Sentences in four languages, from gettext catalogues that lie beside the code that speaks.

The English sentence is its own key; ``locale/<language>/LC_MESSAGES/messages.po`` of a package holds the others. They
are compiled as they are read, so no compiled file can be out of date. A sentence that a catalogue lacks comes out in
English; the tests let none be missing and no placeholder differ.
"""

from functools import cached_property
from gettext import GNUTranslations, NullTranslations
from importlib.resources import files
from io import BytesIO

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import clip

LANGUAGES = ("en", "it", "fr", "ko")


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
        return self._translations.get(language, _ENGLISH).gettext(sentence).format(**values)

    def count(self, language: str, one: str, many: str, n: int, **values: object) -> str:
        """``one`` or ``many``, or the form that the language has for ``n``; ``{n}`` is filled in too."""
        return self._translations.get(language, _ENGLISH).ngettext(one, many, n).format(n=n, **values)

    @cached_property
    def _translations(self) -> dict[str, GNUTranslations]:
        translations: dict[str, GNUTranslations] = {}
        for language in LANGUAGES[1:]:
            source = files(self.package).joinpath("locale", language, "LC_MESSAGES", "messages.po")
            if source.is_file():
                compiled = BytesIO()
                write_mo(compiled, read_po(BytesIO(source.read_bytes()), locale=language))
                compiled.seek(0)
                translations[language] = GNUTranslations(compiled)
        return translations


_ENGLISH = NullTranslations()
