"""How often a process looks for garbage that holds itself: as seldom as it makes some.

Most of what the services make and drop is no cycle, and goes by itself: the standings of a large event are a million
values, a wave of news a future for each of thousands of readers. To look through everything whenever so much has been
made took a third of the work.
"""

import gc
from typing import Final

AFTER: Final = (50_000, 20, 100)
"""As ``gc.set_threshold`` has it."""


def collect_seldom() -> None:
    """To be called when all that a process needs is there: it stays, and need not be looked through again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*AFTER)
