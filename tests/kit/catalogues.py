"""Catalogues: which sentences the code says, and which ones ``locale/<language>/LC_MESSAGES/messages.po`` translates.

``python -m tests.kit.catalogues`` names the files that do not hold exactly the sentences of their package;
``--write`` brings them up to date: it keeps translations, adds what is new without one, and drops what nobody says.
Whoever changes an English sentence changes a key, so its translations are asked for anew; nothing is guessed.

A sentence is found where it is said: ``catalogue.say(language, "…")`` or ``catalogue.count(language, "…", "…", n)``,
as a literal. Files are named without lines, so that moving code changes no catalogue.
"""

import ast
import sys
from collections.abc import Iterator
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from string import Formatter
from typing import TypeAlias

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po

from engine.games import all_games
from engine.kernel.catalogue import LANGUAGES

Message: TypeAlias = str | tuple[str, str]
"""One sentence, or a pair: the one for one and the one for many."""

KEYWORDS = {"say": slice(1, 2), "count": slice(1, 3)}
"""Which arguments are sentences; a shorter call, like the ``count`` of a tuple, is none of ours."""

PLURALS = {
    "it": "nplurals=2; plural=(n != 1);",
    "fr": "nplurals=2; plural=(n > 1);",
    "ko": "nplurals=1; plural=0;",
}
HEADER = """\
# {language}: the sentences of {package}. Keys are made by ``python -m tests.kit.catalogues --write``.
msgid ""
msgstr ""
"Language: {language}\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: {plurals}\\n"

"""
WIDTH = 120


def packages() -> tuple[str, ...]:
    """Everybody who speaks."""
    return ("engine.kernel", *(f"engine.games.{key}" for key in all_games()))


def po_file(package: str, language: str) -> Path:
    return _folder(package) / "locale" / language / "LC_MESSAGES" / "messages.po"


def read(package: str, language: str) -> Catalog:
    """The catalogue as it is kept; an empty one where there is none yet."""
    path = po_file(package, language)
    return read_po(BytesIO(path.read_bytes() if path.exists() else b""), locale=language)


def sentences(package: str) -> dict[Message, list[str]]:
    """What the code of a package says, with the files that say it."""
    found: dict[Message, list[str]] = {}
    for path in sorted(_folder(package).glob("*.py")):
        if not path.name.startswith("test"):
            for message in said_in(path.read_text("utf-8"), path.name):
                found.setdefault(message, [])
                if path.name not in found[message]:
                    found[message].append(path.name)
    return found


def said_in(source: str, name: str) -> Iterator[Message]:
    """The sentences of one file from top to bottom. Raises ``ValueError`` for one that is no literal."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    for call in sorted(calls, key=lambda call: (call.lineno, call.col_offset)):
        keyword = KEYWORDS.get(call.func.attr) if isinstance(call.func, ast.Attribute) else None
        if keyword is None or len(call.args) < keyword.stop:
            continue
        said = [argument.value for argument in call.args[keyword] if isinstance(argument, ast.Constant)]
        match said:
            case [str(one)] if keyword.stop == 2:
                yield one
            case [str(one), str(many)]:
                yield one, many
            case _:
                raise ValueError(f"{name}:{call.lineno} says what is no literal, so nobody can translate it")


def written(package: str, language: str) -> str:
    """The whole file as it should be: today's sentences, with the translations there are."""
    kept = read(package, language)
    catalog = Catalog(locale=language)
    catalog.mime_headers = [("Plural-Forms", PLURALS[language])]
    for message, paths in sentences(package).items():
        one = message if isinstance(message, str) else message[0]
        before = kept.get(one)
        # A sentence that has become a pair, or no longer is one, has no translation that would fit it.
        translation = before.string if before is not None and before.id == message else None
        catalog.add(message, translation, [(path, 0) for path in paths])
    body = BytesIO()
    write_po(body, catalog, width=WIDTH, omit_header=True, include_lineno=False)
    return HEADER.format(language=language, package=package, plurals=PLURALS[language]) + body.getvalue().decode()


def placeholders(sentence: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(sentence) if name is not None}


def _folder(package: str) -> Path:
    return Path(str(files(package)))


def main() -> int:
    changed = 0
    for package in packages():
        for language in LANGUAGES[1:]:
            path, text = po_file(package, language), written(package, language)
            if path.exists() and path.read_text("utf-8") == text:
                continue
            changed += 1
            print(path)
            if "--write" in sys.argv:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, "utf-8")
    return 1 if changed and "--write" not in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
