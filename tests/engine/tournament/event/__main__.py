"""``python -m tests.engine.tournament.event --steps 200000 --seed 7``: events of every format, as many as wanted."""

import argparse
import sys
import time
from collections import Counter

from hypothesis import seed

from tests.engine.tournament.event.fuzzing import play
from tests.engine.tournament.event.machine import machine
from tests.engine.tournament.event.worlds import FORMATS

STEPS_EACH = 60


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=20_000, help="commands to ask for, over all formats")
    parser.add_argument("--seed", type=int, default=0, help="the same seed plays the same events")
    parser.add_argument("--formats", nargs="*", choices=FORMATS, default=FORMATS)
    arguments = parser.parse_args()
    seen: Counter[str] = Counter()
    failed = 0
    for name in arguments.formats:
        started = time.monotonic()
        kind = machine(name)
        events = max(1, arguments.steps // len(arguments.formats) // STEPS_EACH)
        try:
            play(seed(arguments.seed)(kind), events=events, steps=STEPS_EACH, derandomize=False)
        except Exception as error:  # every format is played, whatever the others do
            failed += 1
            print(f"{name}: {type(error).__name__}: {error}", *getattr(error, "__notes__", ()), sep="\n")
        seen.update(kind.seen)
        print(f"{name}: {events} events in {time.monotonic() - started:.0f} s", flush=True)
    for what, count in sorted(seen.items()):
        print(f"{count:8} {what}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
