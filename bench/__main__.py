"""Tavolata beside its limits and its peers, in one run on this machine: ``make bench``.

    python -m bench                    every row, five alternations each
    python -m bench --quick            less of everything, in under two minutes
    python -m bench --only playouts    some rows

The table goes to stdout, all figures to ``bench/results.json``, progress to stderr if that is a terminal. Nothing fails
for being slow: a bound that is missed is a line that says so. So is a row that broke, with its traceback on stderr.
"""

import argparse
import tempfile
import traceback
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from time import perf_counter

from bench.kit.figures import Finding, PeerMissing, Skipped
from bench.kit.results import write_results
from bench.kit.run import Run
from bench.kit.table import show

ROWS: tuple[str, ...] = (
    "moves",
    "latency",
    "open_tables",
    "joining",
    "match_costs",
    "cold_match",
    "past_match",
    "cold_start",
    "audit",
    "playouts",
    "readers",
    "pairing",
    "seats",
)
"""Modules of ``bench.rows``, in the order in which they are measured."""

QUICK = frozenset({"moves", "cold_match", "past_match", "playouts", "pairing"})
"""Those that a quick run has time for, unless it is asked for others by name."""

RESULTS = Path("bench/results.json")
PEERS = Path("build/bench")


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="less of everything; ratios are rougher")
    parser.add_argument("--only", nargs="+", choices=ROWS, metavar="ROW", help=", ".join(ROWS))
    parser.add_argument("--results", type=Path, default=RESULTS)
    asked = parser.parse_args()
    started = perf_counter()
    with tempfile.TemporaryDirectory(prefix="tavolata-bench-") as folder:
        run = Run(asked.quick, Path(folder), PEERS.absolute())
        found = [line for name in asked.only or ROWS for line in _measured(name, run, asked_for=bool(asked.only))]
    run.say("")
    show(found)
    write_results(asked.results, found, quick=run.quick, rounds=run.rounds, seconds=perf_counter() - started)


def _measured(name: str, run: Run, *, asked_for: bool) -> Iterator[Finding | Skipped]:
    """A row that cannot be measured is a line that says why; the others go on."""
    row = import_module(f"bench.rows.{name}")
    if run.quick and not asked_for and name not in QUICK:
        yield Skipped(row.NUMBER, row.TITLE, f"takes a full run, or --only {name}")
        return
    run.say(f"{row.NUMBER}. {row.TITLE}")
    try:
        yield from row.measure(run)
    except PeerMissing as missing:
        yield Skipped(row.NUMBER, row.TITLE, str(missing))
    except Exception as error:  # the figures of all others are worth having
        yield Skipped(row.NUMBER, row.TITLE, f"failed: {error or type(error).__name__}")
        traceback.print_exception(error)


if __name__ == "__main__":
    main()
