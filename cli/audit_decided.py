"""Every match and event of the running log decided again: what ``verify`` checks of an export, at the source.

A match that runs is checked as far as it goes; its luck is sealed until its end. What does not hold as it was read is
read once more on each node by itself, so that one damaged replica is not taken for a damaged match.
"""

import asyncio
from collections.abc import Sequence
from typing import Final

from cli.audit_replicas import Finding
from cli.log_place import log_connection
from cli.tournament.audit import verify_tournament
from engine.games import game_of_rules
from engine.kernel.ports import Unavailable
from engine.kernel.value import Value
from engine.luck.verifier import VerificationFailed, verify
from services.kit.config import Settings
from services.kit.family import MATCHES, TOURNAMENTS, Family
from services.kit.jetstream.connection import Connection
from services.kit.jetstream.read import read
from services.kit.jetstream.replicas import pages, replicas_of
from services.kit.jetstream.streams import Stream

PATIENCE_S: Final = 10.0
"""A line that no node can read does not come for waiting."""

UNFINISHED: Final = "unfinished"
"""The code of a match whose lines all hold, and whose seed is not revealed yet."""


class Decided(Value, frozen=True):
    """What came of some matches or events."""

    complete: int = 0
    running: int = 0
    commits: int = 0
    draws: int = 0
    findings: tuple[Finding, ...] = ()

    def __add__(self, other: "Decided") -> "Decided":
        return Decided(
            self.complete + other.complete,
            self.running + other.running,
            self.commits + other.commits,
            self.draws + other.draws,
            self.findings + other.findings,
        )


def stream_of(name: str) -> Stream:
    """``MATCHES_00``."""
    family, _, partition = name.rpartition("_")
    found: Family = next(each for each in (MATCHES, TOURNAMENTS) if each.stream == family)
    return Stream(found, int(partition))


def decide_again(here: Settings, stream: str, things: Sequence[str]) -> Decided:
    """Some of what a stream holds, by id. Raises ``Unavailable``. Runs in a process of its own."""
    return asyncio.run(_decide_again(here, stream_of(stream), things))


async def _decide_again(here: Settings, stream: Stream, things: Sequence[str]) -> Decided:
    decided = Decided()
    async with log_connection(here, PATIENCE_S) as connection:
        for thing in things:
            try:
                stored = await read(connection, stream, thing, after=0, limit=0)
                decided += _check(stream.family, [each.line for each in stored])
            except (VerificationFailed, Unavailable):
                decided += await _on_each_node(connection, stream, thing)
    return decided


async def _on_each_node(connection: Connection, stream: Stream, thing: str) -> Decided:
    """What holds on one node at least counts as it is there; where it does not hold, the node is named."""
    replicas = await replicas_of(connection, stream.name)
    best: Decided | None = None
    failed: dict[str, VerificationFailed] = {}
    for node in replicas.nodes:
        if not node.is_present:
            continue
        lines: list[bytes] = []
        subject = stream.subject("*", thing)
        async for page in pages(connection, stream.name, node.name, until=replicas.last, subject=subject):
            lines.extend(stored.line for stored in page)
        try:
            best = _check(stream.family, lines)
        except VerificationFailed as failure:
            failed[node.name] = failure
    told = {(failure.line_number, failure.code, failure.sentence) for failure in failed.values()}
    findings = []
    for line_number, code, sentence in sorted(told):
        same = [name for name, failure in failed.items() if (failure.line_number, failure.code) == (line_number, code)]
        where = ", ".join(same)
        whole = f"{thing}, revision {line_number}, on {where}: {sentence}"
        findings.append(Finding(code, whole, stream.name, where, thing=thing, revision=line_number))
    return (best or Decided()) + Decided(findings=tuple(findings))


def _check(family: Family, lines: Sequence[bytes]) -> Decided:
    """Raises ``VerificationFailed``."""
    if family == TOURNAMENTS:
        event = verify_tournament(lines)
        return Decided(int(event.finished), int(not event.finished), event.commits, event.drafts)
    try:
        match = verify(lines, game_of_rules)
    except VerificationFailed as failure:
        if failure.code != UNFINISHED:
            raise
        return Decided(running=1, commits=len(lines))
    return Decided(complete=1, commits=match.commits, draws=match.draws)
