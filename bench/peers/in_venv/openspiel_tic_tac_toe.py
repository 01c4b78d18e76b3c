"""OpenSpiel's tic-tac-toe in Python: random playouts from the list of legal actions, and copies of a state."""

import json
import random
import sys
import time

import pyspiel
from open_spiel.python.games import tic_tac_toe

from bench.peers.in_venv.clocked import clocked

CLONES = 20_000


def main(seconds: float) -> None:
    assert tic_tac_toe.TicTacToeGame, "importing it registers the game"
    game = pyspiel.load_game("python_tic_tac_toe")
    lots = random.Random(1)

    def playout() -> int:
        state = game.new_initial_state()
        actions = 0
        while not state.is_terminal():
            state.apply_action(lots.choice(state.legal_actions()))
            actions += 1
        return actions

    figures = clocked(playout, seconds)
    state = game.new_initial_state()
    for action in (4, 0, 8):
        state.apply_action(action)
    began = time.process_time()
    for _ in range(CLONES):
        state.clone()
    print(json.dumps(figures | {"clone_us": (time.process_time() - began) / CLONES * 1e6}))


if __name__ == "__main__":
    main(float(sys.argv[1]))
