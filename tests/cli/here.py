"""The command in this process: the same ``run`` as the console script's, twenty times as fast as a process of its own.

What has to do with processes, signals or terminals is tested with real ones.
"""

import sys
from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, TextIOWrapper
from unittest.mock import patch

from cli.main import run
from tests.e2e.command import Ran, Up


def here(*arguments: object) -> Ran:
    out, err = TextIOWrapper(BytesIO(), "utf-8"), TextIOWrapper(BytesIO(), "utf-8")
    with patch.object(sys, "argv", ["tavolata", *map(str, arguments)]), redirect_stdout(out), redirect_stderr(err):
        try:
            run()
            code: object = 0
        except SystemExit as done:
            code = done.code
    assert isinstance(code, int | None)
    return Ran(code or 0, _text(out), _text(err))


class Client:
    """Commands at one house."""

    def __init__(self, house: Up) -> None:
        self.url = house.url

    def ask(self, *arguments: object) -> Ran:
        return here(*arguments, "--server", self.url)


def _text(stream: TextIOWrapper) -> str:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, BytesIO)
    return buffer.getvalue().decode()
