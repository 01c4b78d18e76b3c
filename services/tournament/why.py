"""Why somebody stands where they stand and sits where they sit, and what would have been: asked of the engine.

Pairings are explained on the event as it was when the round was drafted, so later corrections do not change the answer.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from engine.kernel.commit import decode_line
from engine.kernel.refusal import Kind, Refusal
from engine.tournament.drafting import problem_of
from engine.tournament.pairing import Pairing, Pod, Quality
from engine.tournament.pairing.explain import explain as explain_pairing
from engine.tournament.people import entrant_of
from engine.tournament.played import Entry
from engine.tournament.standings.explained import explain_line
from engine.tournament.state import RoundState, Tournament, pods_of
from engine.tournament.whatif import Outcome, Supposed, what_if
from services.tournament.ledgers import Kept, Ledgers
from services.tournament.standings import Rankings, check_stage

UNSAID = Quality(0, 0, 0, 0, 0, 0, 0, 0)
"""An explanation asks for no figures of the round."""


async def why_standing(rankings: Rankings, kept: Kept, entry: Entry, stage: int | None) -> str:
    """Every key with its terms, JSON. Raises ``Refusal``: ``unknown_entrant``, ``unknown_stage``, ``not_in_stage``."""
    state = kept.state
    asked = state.stage if stage is None else stage
    check_stage(state, asked)
    entrant_of(state, entry)
    ranked = await rankings.of(kept.ledger.revision, state, asked)
    if all(line.entry != entry for line in ranked.lines):
        raise Refusal("not_in_stage", f"Entrant {entry} does not play in stage {asked + 1}.", Kind.MISSING)
    return msgspec.json.encode(await asyncio.to_thread(explain_line, ranked, entry)).decode()


async def why_pairing(kept: Kept, number: int, entry: Entry) -> str:
    """The terms of a table's cost and the nearest alternatives, JSON. Raises ``Refusal``: ``unknown_round``,
    ``no_such_entrant``.
    """
    now = round_of(kept.state, number)
    before = kept.drafted_from[now.number]

    def work() -> bytes:
        pods = tuple(Pod(pod.table, pod.entries) for pod in pods_of(now))
        pairing = Pairing(now.drafted.engine, pods, now.drafted.byes, UNSAID)
        return msgspec.json.encode(explain_pairing(problem_of(before, now.drafted), pairing, entry))

    return (await asyncio.to_thread(work)).decode()


async def suppose(ledgers: Ledgers, kept: Kept, results: Sequence[Supposed], overrides: Mapping[str, Any]) -> Outcome:
    """Standings and later pairings as they would have been. Raises ``Refusal``."""
    state = kept.state
    commits = map(decode_line, await ledgers.lines(kept, kept.ledger.revision))  # beside the event loop, too
    return await asyncio.to_thread(what_if, state, commits, tuple(results), overrides)


def round_of(state: Tournament, number: int) -> RoundState:
    """A published round, 0 for the newest. Raises ``Refusal`` (``unknown_round``)."""
    if number == 0 and state.newest is not None:
        return state.newest
    if not 1 <= number <= len(state.rounds):
        raise Refusal(
            "unknown_round", f"There is no round {number}." if number else "No round is published.", Kind.MISSING
        )
    return state.rounds[number - 1]
