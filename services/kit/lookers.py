"""Who looks at a match, as it is said on the wire: the engine's viewers, and the caster, who is none of them.

A caster tells everybody what every hand is, so they see what the referee sees, but as late as a spectator.
"""

from typing import Final, TypeAlias

from engine.kernel.value import Value, Viewer, viewer_name, viewer_named

CASTER: Final = "caster"


class Caster(Value, frozen=True):
    """The eyes of a referee, in the place of a spectator."""


Looker: TypeAlias = Viewer | Caster


def looker_named(text: str) -> Looker:
    """``caster``, or the name of a viewer. Raises ``Refusal`` (``unknown_viewer``) for anything else."""
    return Caster() if text == CASTER else viewer_named(text)


def looker_name(looker: Looker) -> str:
    """The inverse of ``looker_named``."""
    return CASTER if isinstance(looker, Caster) else viewer_name(looker)
