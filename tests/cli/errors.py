"""How a command says no: a code and a sentence on stderr, an exit code, nothing on stdout, and never a traceback."""

import json
import re

from tests.e2e.command import Ran


def says_no(ran: Ran, code: str, *, exit_code: int = 1) -> str:
    """The sentence, which is one whether a person or a program has asked."""
    assert ran.code == exit_code, ran
    assert ran.out == "", "an error is no result"
    assert "Traceback" not in ran.err
    last = ran.err.strip().splitlines()[-1]
    if last.startswith("{"):
        error = json.loads(last)["error"]
        found, sentence = error["code"], error["sentence"]
    else:
        found, _, sentence = last.partition(": ")
    assert found == code, ran.err
    assert re.search(r"\w", sentence), "a code alone helps nobody"
    return str(sentence)
