"""PettingZoo's Connect Four: random playouts by the action mask, in the wrappers that check legality and order."""

import json
import random
import sys

from pettingzoo.classic import connect_four_v3

from bench.peers.in_venv.clocked import clocked


def main(seconds: float) -> None:
    lots = random.Random(1)
    game = connect_four_v3.env()

    def playout() -> int:
        game.reset()
        actions = 0
        while True:
            observation, _, is_over, is_cut, _ = game.last()
            if is_over or is_cut:
                return actions
            mask = observation["action_mask"].tolist()
            game.step(lots.choice([column for column, is_legal in enumerate(mask) if is_legal]))
            actions += 1

    print(json.dumps(clocked(playout, seconds)))


if __name__ == "__main__":
    main(float(sys.argv[1]))
