"""The kernel's own catalogue, and how a list of things is said: what a game's sentences share."""

from collections.abc import Iterable

from engine.kernel.catalogue import Catalogue

CATALOGUE = Catalogue("engine.kernel")


def listed(language: str, things: Iterable[object]) -> str:
    """``4, 7 and 12`` as the language joins it; empty for nothing."""
    *most, last = [*map(str, things)] or [""]
    if not most:
        return last
    return CATALOGUE.say(language, "{most} and {last}", most=", ".join(most), last=last)
