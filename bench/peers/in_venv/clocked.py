"""Does a work over and over for a while, and says what it did a second, of the wall's clock and of the processor's."""

import time
from collections.abc import Callable


def clocked(work: Callable[[], int], seconds: float) -> dict[str, float]:
    """``work`` returns how much it has done. What comes before the clock starts, a tenth of the time, makes it warm."""
    _until(work, time.perf_counter() + seconds / 10)
    began, used = time.perf_counter(), time.process_time()
    done = _until(work, began + seconds)
    return {
        "per_second": done / (time.perf_counter() - began),
        "per_cpu_second": done / (time.process_time() - used),
    }


def _until(work: Callable[[], int], end: float) -> int:
    done = 0
    while time.perf_counter() < end:
        done += work()
    return done
