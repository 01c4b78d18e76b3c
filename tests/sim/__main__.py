"""``python -m tests.sim --seeds 7`` or ``--seeds 0-9999``: run seeds, say what failed and how to see it again."""

import argparse
import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import islice

from tests.sim.seeds import Verdict, try_seed

SEEDS_DEFAULT = "0-199"
CHUNK = 8
"""Seeds that one process takes at a time."""


def main() -> int:
    arguments = _arguments()
    seeds = _range(arguments.seeds)
    started = time.monotonic()
    failed = tried = commits = 0
    if arguments.trace:
        verdicts: Iterator[Verdict] = (try_seed(seed, tell=print) for seed in seeds)
    elif arguments.jobs == 1 or len(seeds) == 1:
        verdicts = map(try_seed, seeds)
    else:
        verdicts = _side_by_side(seeds, arguments.jobs)
    for verdict in verdicts:
        tried += 1
        commits += verdict.commits
        if sys.stderr.isatty():
            print(f"\r\033[K{tried}/{len(seeds)} seeds, {failed} failed", end="", file=sys.stderr, flush=True)
        if not verdict.holds:
            failed += 1
            print(f"{chr(10) * sys.stderr.isatty()}{verdict.report}", file=sys.stderr)
            if not arguments.keep_going:
                break
    if sys.stderr.isatty():
        print(file=sys.stderr)
    took_s = time.monotonic() - started
    print(f"{tried} seeds, {failed} failed, {commits} commits, {1000 * took_s / tried:.0f} ms a seed")
    return 1 if failed else 0


def _side_by_side(seeds: range, jobs: int) -> Iterator[Verdict]:
    """The verdicts in the order of the seeds, so that the first failure is the same on every machine."""
    chunks = (seeds[start : start + CHUNK] for start in range(0, len(seeds), CHUNK))
    with ProcessPoolExecutor(jobs) as pool:
        running = [pool.submit(_try_all, chunk) for chunk in islice(chunks, 2 * jobs)]
        try:
            while running:
                yield from running.pop(0).result()
                running += [pool.submit(_try_all, chunk) for chunk in islice(chunks, 1)]
        finally:
            pool.shutdown(cancel_futures=True)


def _try_all(seeds: range) -> list[Verdict]:
    return [try_seed(seed) for seed in seeds]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.sim", description=__doc__)
    parser.add_argument(
        "--seeds", default=SEEDS_DEFAULT, help="one seed, or a range like 0-9999 (default: %(default)s)"
    )
    parser.add_argument("--keep-going", action="store_true", help="do not stop at the first failure")
    parser.add_argument("--trace", action="store_true", help="print every step")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: %(default)s)")
    return parser.parse_args()


def _range(text: str) -> range:
    first, dash, last = text.partition("-")
    try:
        seeds = range(int(first), int(last if dash else first) + 1)
    except ValueError:
        seeds = range(0)
    if not seeds:
        sys.exit(f"--seeds takes a number or a range like 0-9999, not {text!r}")
    return seeds


if __name__ == "__main__":
    sys.exit(main())
