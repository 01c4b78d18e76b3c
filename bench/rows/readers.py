"""Thousands of people who look at one match: what a gateway tells them, beside responders that do nothing else.

All are told the same: the facts and the patches of a match that was played, a frame a move. The gateway is the process
that a house runs, and hears of the moves by gRPC as it does there; uvicorn and granian are handed the finished bytes by
a socket. There is always a move that not everybody has been told of, and never more than two, so that a responder is as
busy as it can be and nobody falls behind. Readers are in a process of their own, as cheap as can be.
"""

import asyncio
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median
from typing import Final

from bench.kit.crowd.crowd import Crowd
from bench.kit.crowd.hall import Hall
from bench.kit.crowd.match import WatchedMatch
from bench.kit.figures import Finding, Skipped, Wanted, alternate, quantile
from bench.kit.run import Run

NUMBER = 11
TITLE = "readers of one match"

CROWDS: Final = (1_000, 5_000)
OURS: Final = "gateway"
UVICORN: Final = "uvicorn, bare responder"
GRANIAN: Final = "granian, RSGI"
PACED_A_SECOND: Final = 10_000
"""Deliveries at which nobody is busy: delays are measured there."""
MEMORY_KB_MAX: Final = 40


def measure(run: Run) -> Iterator[Finding | Skipped]:
    match = WatchedMatch()
    with asyncio.Runner() as runner:
        for count in CROWDS[: run.size(len(CROWDS), 1)]:
            yield from _measure(run, runner, match, count)
    if run.quick:
        yield Skipped(NUMBER, "5,000 readers", "for the full run")


def _measure(run: Run, runner: asyncio.Runner, match: WatchedMatch, count: int) -> Iterator[Finding | Skipped]:
    hall = Hall(match)
    runner.run(hall.__aenter__())
    try:
        crowds = {OURS: runner.run(hall.gateway(count))}
        run.say(f"{count} readers of a gateway")
        crowds[UVICORN] = runner.run(hall.bare("uvicorn", Path(sys.executable), count))
        crowds[GRANIAN] = runner.run(hall.bare("granian", Path("/tmp/t/venv-granian/bin/python"), count))
        run.say(f"{count} readers everywhere")
        seconds = run.size(20, 8) / 10
        rates = alternate(
            run.rounds, {name: lambda crowd=crowd: runner.run(crowd.burst(seconds)) for name, crowd in crowds.items()}
        )
        moves = run.size(20, 10)
        for crowd in crowds.values():
            runner.run(crowd.pace(moves, count / PACED_A_SECOND))
        lost = runner.run(crowds[OURS].lost())
        yield from _findings(count, crowds, rates, lost)
    finally:
        runner.run(hall.__aexit__())


def _findings(
    count: int, crowds: Mapping[str, Crowd], rates: Mapping[str, tuple[float, ...]], lost: int
) -> Iterator[Finding]:
    what = f"{count:,} readers"
    for name in (UVICORN, GRANIAN):
        if name in crowds:
            note = f"{median(crowds[OURS].cpu_us):.1f} µs CPU a delivery, {median(crowds[name].cpu_us):.1f} of {name}"
            yield Finding(
                row=NUMBER, what=f"{what}, as fast as it goes", unit="deliveries/s", ours=rates[OURS], against=name,
                theirs=rates[name], wanted=Wanted(1.0), note=note,
            )  # fmt: skip
            ours, theirs = crowds[OURS].delays_ms, crowds[name].delays_ms
            yield Finding(
                row=NUMBER, what=f"{what}, p99 at {PACED_A_SECOND:,} deliveries a second", unit="ms",
                ours=(quantile(ours, 0.99),), against=name, theirs=(quantile(theirs, 0.99),),
                note=f"p50 {quantile(ours, 0.5):.1f}, {quantile(theirs, 0.5):.1f} of {name}",
            )  # fmt: skip
    yield Finding(
        row=NUMBER, what=f"{what}, memory each", unit="kB", ours=(crowds[OURS].memory_kb,),
        wanted=Wanted(MEMORY_KB_MAX, at_most=True),
        note=", ".join(f"{name} {crowd.memory_kb:.1f}" for name, crowd in crowds.items() if name != OURS),
    )  # fmt: skip
    yield Finding(
        row=NUMBER, what=f"{what}, revisions lost", unit="revisions", ours=(lost,), wanted=Wanted(0, at_most=True)
    )
