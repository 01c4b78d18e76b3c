"""``python -m tests.chaos --seed 7``: a round of 64 tables in a storm, and what is left looked at.

The faults, their order and their lengths follow from the seed; so do cards, lots and standings. Exit 1 if a sentence
is false or the house does not find itself again; its folder is kept then.
"""

import argparse
import asyncio
import logging
import secrets
import sys
import time
from pathlib import Path

import structlog
import uvloop

from tests.chaos.compose import SERVICES as COMPOSED
from tests.chaos.compose import compose_plan, run_on_compose
from tests.chaos.event import Event
from tests.chaos.faults import KINDS, plan_of
from tests.chaos.faults import NODES as ROLES
from tests.chaos.house import services_of
from tests.chaos.report import report, write
from tests.chaos.run import Run, clear, run
from tests.chaos.storm import Tell
from tests.kit.containers import why_not
from tests.kit.nats_cluster import NODES

FOLDER = Path("build/chaos")
PACE_S = 1.0
MOVES_BETWEEN = 30
SEED_MAX = 10_000


def main() -> int:
    arguments = _arguments()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    if arguments.ground == "compose":
        return on_compose(arguments.seed, arguments.players)
    return on_processes(arguments)


def on_compose(seed: int, players: int) -> int:
    if reason := why_not():
        print(f"no house in containers: {reason}", file=sys.stderr)
        return 1
    faults = compose_plan(seed)
    print(f"seed {seed}: {len(faults)} faults for {', '.join((*COMPOSED, *ROLES))}", file=sys.stderr)
    outcome = asyncio.run(run_on_compose(clear(FOLDER / "compose"), seed, players, faults, teller()))
    for each in outcome.strikes:
        print(f"{each.began:7.1f} s  {KINDS[each.fault.kind]:<26}{each.target:<18}{each.ended - each.began:6.1f} s")
    print(f"{outcome.matches} matches watched and verified; the log ends at {outcome.ends}")
    for difference in outcome.differences:
        print(f"FALSE {difference}")
    if len(outcome.strikes) < len(faults):
        print(f"the event was over after {len(outcome.strikes)} of {len(faults)} faults; more players take longer")
    return 1 if outcome.differences else 0


def teller() -> Tell:
    """Progress, for people who watch."""
    began = time.monotonic()

    def tell(text: str) -> None:
        if sys.stderr.isatty():
            print(f"{time.monotonic() - began:6.1f} s  {text}", file=sys.stderr, flush=True)

    return tell


def on_processes(arguments: argparse.Namespace) -> int:
    event = Event(arguments.seed, arguments.game, arguments.tables, pace_s=PACE_S)
    services = services_of(event.game, arguments.replicas)
    faults = plan_of(event.seed, services)
    print(f"seed {event.seed}: {len(faults)} faults for {', '.join((*services, *ROLES))}", file=sys.stderr)
    folder = clear(FOLDER / "houses")

    async def play() -> Run:
        return await run(folder, event, faults, services=services, rest_moves=MOVES_BETWEEN, tell=teller())

    try:
        ran = uvloop.run(play())
    except (AssertionError, BaseExceptionGroup, TimeoutError) as error:
        print(f"seed {event.seed}: the house did not find itself again: {error!r}; see {folder}", file=sys.stderr)
        raise
    print(report(ran))
    print(write(ran, (*services, *(f"nats-{number}" for number in range(1, NODES + 1))), FOLDER))
    if ran.violations:
        print(f"the houses are kept in {folder}", file=sys.stderr)
        return 1
    clear(folder)
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(SEED_MAX), help="default: drawn, and told")
    parser.add_argument("--game", default="just4fun", help="default: %(default)s")
    parser.add_argument("--ground", choices=("processes", "compose"), default="processes", help="default: %(default)s")
    parser.add_argument("--players", type=int, default=256, help="of the demo, on compose (default: %(default)s)")
    parser.add_argument("--tables", type=int, default=64, help="default: %(default)s")
    parser.add_argument("--replicas", type=int, default=2, help="of the rules service (default: %(default)s)")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
