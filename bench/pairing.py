"""Whole events, paired round by round, against the figures that the pairing has to reach: ``make bench-pairing``.

Skill is normal, a table ranks its players by skill plus Gumbel noise (Plackett–Luce), placements score 5-3-2-1, the
first round is by lot. Spread is the mean of best minus least points at a table, over all rounds but the first.

``python -m bench.pairing 32 64 --seeds 10 --rounds 6 --size 4 --repeat-points 1000 --json figures.json``
"""

import argparse
import json
import resource
import sys
from time import perf_counter
from typing import NamedTuple

import numpy as np

from engine.tournament.pairing import Contender, Pairing, Pod, PodProblem, pair

SCHEME = (5, 3, 2, 1)
WANTED = {32: (0.3, 3.35), 64: (0.0, 0.98), 128: (0.0, 0.335), 256: (0.0, 0.112)}
"""Players → repeats an event and spread a table, at most. From 1000 on: no repeat, and the spread of cutting alone."""
ROUNDED = 0.0005
"""The leaders of a large field have sometimes met, and then cutting alone is out of reach by a point an event: spreads
are compared to three decimals."""
ROUND_S_MAX = 1.2
MEMORY_MB_MAX = 120
FIELDS = (32, 64, 128, 256, 1000, 5000, 10_000)
SEEDS = 10


class Figures(NamedTuple):
    """Means over the events; the time is of the slowest round."""

    players: int
    events: int
    repeats: float
    spread: float
    floor: float
    seats_uneven: float
    """Share of the players whose most and least used seats differ by two or more."""
    short_max: int
    """The most short tables that one player had."""
    round_s: float


class Event:
    """One event: what is known of everybody after the rounds so far."""

    def __init__(self, players: int, seed: int, size: int, smallest: int, weights: dict[str, int]) -> None:
        self.lots = np.random.default_rng(seed)
        self.seed = seed
        self.size, self.smallest, self.weights = size, smallest, weights
        self.skill = self.lots.normal(size=players)
        self.points = [0] * players
        self.short = [0] * players
        self.seats = [[0] * size for _ in range(players)]
        self.met: dict[tuple[int, int], int] = {}
        self.rounds = 0

    def problem(self) -> PodProblem:
        """The next round."""
        contenders = tuple(
            Contender(
                entry=entry + 1,
                points=points,
                seed=entry + 1,
                short_tables=self.short[entry],
                seats=tuple(self.seats[entry]),
            )
            for entry, points in enumerate(self.points)
        )
        return PodProblem(
            seed=f"{self.seed:032x}{self.rounds:032x}",
            round=self.rounds + 1,
            contenders=contenders,
            smallest=self.smallest,
            target=self.size,
            largest=self.size,
            met=tuple((*pair, times) for pair, times in self.met.items()),
            **self.weights,  # type: ignore[arg-type]  # all weights are integers, whatever their names
        )

    def play(self, pairing: Pairing) -> None:
        """Every table of the round is played."""
        self.rounds += 1
        for pod in pairing.pods:
            self._play(pod)

    def _play(self, pod: Pod) -> None:
        places = [entry - 1 for entry in pod.entries]
        for seat, place in enumerate(places):
            self.seats[place][seat] += 1
            self.short[place] += len(places) < self.size
            for other in places[:seat]:
                pair = (min(place, other) + 1, max(place, other) + 1)
                self.met[pair] = self.met.get(pair, 0) + 1
        strength = self.skill[places] + self.lots.gumbel(size=len(places))
        for rank, index in enumerate(np.argsort(-strength).tolist()):
            self.points[places[index]] += SCHEME[rank] if rank < len(SCHEME) else 0


def measure(
    players: int, seeds: int, rounds: int = 6, size: int = 4, smallest: int = 0, weights: dict[str, int] | None = None
) -> Figures:
    """Plays ``seeds`` events. ``smallest`` 0 is one below ``size``."""
    repeats = spread = floor = uneven = tables = short = 0
    slowest = 0.0
    for seed in range(seeds):
        event = Event(players, seed, size, smallest or max(2, size - 1), weights or {"repeat_points": 1000})
        for number in range(rounds):
            problem = event.problem()
            began = perf_counter()
            pairing = pair(problem)
            slowest = max(slowest, perf_counter() - began)
            repeats += pairing.quality.repeats
            if number:
                spread += pairing.quality.spread
                floor += pairing.quality.spread_floor
                tables += len(pairing.pods)
            event.play(pairing)
        uneven += sum(max(seats) - min(seats) >= 2 for seats in event.seats)
        short = max(short, *event.short)
    return Figures(
        players=players,
        events=seeds,
        repeats=repeats / seeds,
        spread=spread / max(1, tables),
        floor=floor / max(1, tables),
        seats_uneven=uneven / players / seeds,
        short_max=short,
        round_s=slowest,
    )


def wanted(figures: Figures) -> tuple[float, float]:
    """Repeats and spread that such events may have."""
    if figures.players >= 1000:
        return 0.0, figures.floor + ROUNDED
    return WANTED.get(figures.players, (float("inf"), float("inf")))


def main() -> int:
    """Prints a row a field; 1 if one misses what is wanted of pods of four over six rounds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("players", nargs="*", type=int, default=FIELDS)
    parser.add_argument("--seeds", type=int, default=SEEDS, help="events a field; at most 3 from 5000 players on")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--size", type=int, default=4)
    parser.add_argument("--repeat-points", type=int, default=1000)
    parser.add_argument("--json", help="write the figures to this file")
    asked = parser.parse_args()
    judged = (asked.rounds, asked.size, asked.repeat_points) == (6, 4, 1000)
    print("players events  repeats (wanted)  spread/table (wanted)  floor  uneven seats  short  slowest round")
    rows, missed = [], False
    for players in asked.players:
        seeds = min(asked.seeds, 3) if players >= 5000 else asked.seeds
        one = measure(players, seeds, asked.rounds, asked.size, weights={"repeat_points": asked.repeat_points})
        rows.append(one)
        most, widest = wanted(one) if judged else (float("inf"), float("inf"))
        bad = one.repeats > most or one.spread > widest + 1e-9 or (judged and one.round_s > ROUND_S_MAX)
        missed = missed or bad
        print(
            f"{one.players:7} {one.events:6} {one.repeats:8.2f} ({most:6.2f}) {one.spread:13.4f} ({widest:7.4f}) "
            f"{one.floor:6.4f} {one.seats_uneven:12.2%} {one.short_max:7} {one.round_s:12.3f} s "
            f"{'MISSED' if bad else ''}",
            flush=True,
        )
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"peak memory {memory} MB, events included (wanted for the pairing: {MEMORY_MB_MAX})")
    if asked.json:
        with open(asked.json, "w", encoding="utf-8") as file:
            json.dump([row._asdict() for row in rows], file, indent=2)
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
