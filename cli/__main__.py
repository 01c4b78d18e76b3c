"""``python -m cli``: the same as ``tavolata``."""

from cli.main import run

if __name__ == "__main__":
    run()
