"""Thousands of people who look at one match: what a gateway tells them, beside responders that do nothing else.

All are told the same: the facts and the patches of a match that was played, a frame a move. The gateway is the process
that a house runs, and hears of the moves by gRPC as it does there; uvicorn and granian are handed the finished bytes by
a socket. There is always a move that not everybody has been told of, and never more than two, so that a responder is as
busy as it can be and nobody falls behind. Readers are in a process of their own, as cheap as can be.
"""

import asyncio
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from statistics import median
from typing import Final

from bench.kit.crowd.crowd import Crowd
from bench.kit.crowd.hall import Hall
from bench.kit.crowd.match import WatchedMatch
from bench.kit.figures import Finding, PeerMissing, Skipped, Wanted, alternate, quantile
from bench.kit.run import Run
from bench.peers.install import peers_python

NUMBER = 11
TITLE = "readers of one match"

CROWDS: Final = (1_000, 5_000)
OURS: Final = "gateway"
UVICORN: Final = "uvicorn, a bare responder"
GRANIAN: Final = "granian, RSGI"

PACED_A_SECOND: Final = 10_000
"""Deliveries at which nobody is busy: delays are measured there."""
MEMORY_KB_MAX: Final = 40


def measure(run: Run) -> Iterator[Finding | Skipped]:
    try:
        python = peers_python(run)
    except PeerMissing as missing:
        python = None
        yield Skipped(NUMBER, GRANIAN, str(missing))
    match = WatchedMatch()
    with asyncio.Runner() as runner:
        for count in CROWDS[: run.size(len(CROWDS), 1)]:
            yield from _measure(run, runner, Hall(match), count, python)
    if run.quick:
        yield Skipped(NUMBER, f"{CROWDS[-1]:,} readers", "for the full run")


def _measure(
    run: Run, runner: asyncio.Runner, hall: Hall, count: int, granian: Path | None
) -> Iterator[Finding | Skipped]:
    run.say(f"{count:,} readers come")
    try:
        crowds = runner.run(_opened(hall, count, granian))
        run.say(f"{count:,} readers are there")
        burst_s, paced_s = (0.4, 0.3) if run.quick else (1.5, 1.2)
        rates = alternate(run.rounds, {name: partial(_burst, runner, crowd, burst_s) for name, crowd in crowds.items()})
        delays = alternate(run.rounds, {name: partial(_p99, runner, crowd, paced_s) for name, crowd in crowds.items()})
        lost = runner.run(crowds[OURS].lost())
    finally:
        runner.run(hall.close())
    yield from _findings(f"{count:,} readers", crowds, rates, delays, lost)


async def _opened(hall: Hall, count: int, granian: Path | None) -> dict[str, Crowd]:
    opening = {OURS: hall.gateway(count), UVICORN: hall.bare("uvicorn", Path(sys.executable), count)}
    if granian is not None:
        opening[GRANIAN] = hall.bare("granian", granian, count)
    return dict(zip(opening, await asyncio.gather(*opening.values()), strict=True))


def _burst(runner: asyncio.Runner, crowd: Crowd, seconds: float) -> float:
    return runner.run(crowd.burst(seconds))


def _p99(runner: asyncio.Runner, crowd: Crowd, seconds: float) -> float:
    each_s = crowd.count / PACED_A_SECOND
    return quantile(runner.run(crowd.delays_ms(max(3, round(seconds / each_s)), each_s)), 0.99)


def _findings(
    what: str,
    crowds: Mapping[str, Crowd],
    rates: Mapping[str, tuple[float, ...]],
    delays: Mapping[str, tuple[float, ...]],
    lost: int,
) -> Iterator[Finding]:
    ours = crowds[OURS]
    peers = {name: crowd for name, crowd in crowds.items() if name != OURS}
    for name, peer in peers.items():
        yield Finding(
            row=NUMBER, what=f"{what}, as fast as it goes", unit="deliveries/s", ours=rates[OURS], against=name,
            theirs=rates[name], wanted=Wanted(1.0),
            note=f"{median(ours.cpu_us):.1f} µs of CPU each, of {name} {median(peer.cpu_us):.1f}",
        )  # fmt: skip
        yield Finding(
            row=NUMBER, what=f"{what}, p99 at {PACED_A_SECOND:,} deliveries/s", unit="ms",
            ours=delays[OURS], against=name, theirs=delays[name],
        )  # fmt: skip
    yield Finding(
        row=NUMBER, what=f"{what}, memory each", unit="kB", ours=(ours.memory_kb,),
        wanted=Wanted(MEMORY_KB_MAX, at_most=True),
        note=", ".join(f"of {name} {peer.memory_kb:.1f}" for name, peer in peers.items()),
    )  # fmt: skip
    yield Finding(
        row=NUMBER, what=f"{what}, revisions lost", unit="", ours=(lost,), wanted=Wanted(0, at_most=True)
    )  # fmt: skip
