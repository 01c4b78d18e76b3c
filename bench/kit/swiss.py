"""Whole events, paired round by round: ``python -m bench.kit.swiss PLAYERS EVENTS``, a program, so that its memory is
that of pairing alone. It prints ``Figures`` as JSON.

Skill is normal, a table ranks its players by skill plus Gumbel noise (Plackett–Luce), placements score 5-3-2-1, the
first round is by lot. Spread is the mean of best minus least points at a table, over all rounds but the first.
"""

import resource
import sys
from time import process_time

import msgspec
import numpy as np

from engine.kernel.value import Value
from engine.tournament.pairing import Contender, Pairing, Pod, PodProblem, pair

SCHEME = (5, 3, 2, 1)
REPEAT_POINTS = 1000
ROUNDS = 6


class Figures(Value, frozen=True):
    """Means over the events; times are seconds of this process alone."""

    players: int
    repeats: float
    spread: float
    floor: float
    seats_uneven: float
    """Share of the players whose most and least used seats differ by two or more."""
    short_max: int
    """The most short tables that one player had."""
    round_s: tuple[float, ...]
    """By event: the slowest round."""
    memory_mb: int
    """The most that this process has ever had."""


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


def measure(players: int, seeds: int, rounds: int = ROUNDS, size: int = 4) -> Figures:
    """Plays ``seeds`` events; the smallest table is one below ``size``."""
    repeats = spread = floor = uneven = tables = short = 0
    slowest = []
    for seed in range(seeds):
        event = Event(players, seed, size, max(2, size - 1), {"repeat_points": REPEAT_POINTS})
        slowest.append(0.0)
        for number in range(rounds):
            problem = event.problem()
            began = process_time()
            pairing = pair(problem)
            slowest[-1] = max(slowest[-1], process_time() - began)
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
        repeats=repeats / seeds,
        spread=spread / max(1, tables),
        floor=floor / max(1, tables),
        seats_uneven=uneven / players / seeds,
        short_max=short,
        round_s=tuple(slowest),
        memory_mb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    )


if __name__ == "__main__":
    print(msgspec.json.encode(measure(int(sys.argv[1]), int(sys.argv[2]))).decode())
