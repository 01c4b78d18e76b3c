"""How the services that a move goes through share the cores: who is woken up waits until the one that runs has done its
piece.

A move goes through five processes, and each wakes the next with what it writes. Woken up in the ordinary way, the next
one takes the core at once, for one message, in the middle of the other's work; then each does a piece for one message,
with nothing of its own left in the caches. Left to wait, it finds several. Where a core is free, nobody waits.
"""

import os
import sys
from contextlib import suppress


def wait_for_turn(pid: int = 0) -> None:
    """For a process (0: this one) that has no other threads yet: they take it over from the one that starts them.

    Where the system does not know of it, or does not let us, everything works as well, only dearer.
    """
    if sys.platform == "linux":
        with suppress(OSError):
            os.sched_setscheduler(pid, os.SCHED_BATCH, os.sched_param(0))
