"""The command itself: the sub-commands, and the boundary that no traceback passes."""

import asyncio
import os
import sys
import traceback

import typer

from cli import audit, backup, corpus, exports, games, house, keys, log, match, play, token, watch
from cli.output import FAILED, print_error
from cli.tournament import group as tournament
from engine.kernel.ports import Failed, Unavailable
from engine.kernel.refusal import Refusal
from engine.luck.verifier import VerificationFailed
from services.kit.config import settings, wants_tracebacks

app = typer.Typer(
    help="Board-game tournaments whose every turn can be checked, watched and replayed.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
token.add_to(app)
house.add_to(app)
games.add_to(app)
match.add_to(app)
play.add_to(app)
watch.add_to(app)
exports.add_to(app)
backup.add_to(app)
audit.add_to(app)
corpus.add_to(app)
tournament.add_to(app)
keys.add_to(app)
log.add_to(app)


def run() -> None:
    """The console script. Exit code 0: done; 1: refused, unavailable or failed; 2: wrong usage; 130: interrupted."""
    as_json = "--json" in sys.argv
    try:
        settings()  # a misspelt variable is told by every command, not only by the one that would have read it
        sys.exit(app(standalone_mode=False) or 0)
    except Refusal as refusal:
        print_error(refusal.code, refusal.sentence, as_json=as_json)
    except (Unavailable, Failed) as error:
        print_error(error.code, error.sentence, as_json=as_json)
    except VerificationFailed as failure:
        print_error(failure.code, failure.sentence, as_json=as_json, more={"line": failure.line_number})
    except typer.TyperException as usage:
        print_error("usage", usage.format_message(), as_json=as_json)
        sys.exit(usage.exit_code)
    except (KeyboardInterrupt, asyncio.CancelledError, typer.Abort):
        sys.exit(130)
    except BrokenPipeError:
        # Whoever read our output has had enough. Python would complain once more while flushing at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except OSError as error:
        print_error(
            "os_error", f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}.", as_json=as_json
        )
    except Exception as error:
        if wants_tracebacks():
            traceback.print_exc()
        print_error(
            "internal_error",
            f"This is a fault of Tavolata ({type(error).__name__}); TAVOLATA_LOG_LEVEL=debug shows where.",
            as_json=as_json,
        )
    sys.exit(FAILED)
