"""python-chess: random playouts from the list of legal moves, 200 half-moves at most."""

import json
import random
import sys

import chess

from bench.peers.in_venv.clocked import clocked

MOVES_MAX = 200


def main(seconds: float) -> None:
    lots = random.Random(1)

    def playout() -> int:
        board = chess.Board()
        for done in range(MOVES_MAX):
            legal = list(board.legal_moves)
            if not legal:
                return done
            board.push(lots.choice(legal))
        return MOVES_MAX

    print(json.dumps(clocked(playout, seconds)))


if __name__ == "__main__":
    main(float(sys.argv[1]))
