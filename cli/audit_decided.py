"""Every match and event of the running log decided again: what ``verify`` checks of an export, at the source.

Lines come from whoever reads the stream from end to end anyway, since asking for one match after the other makes the
server look for its lines among all others. All cores decide what is whole while the reading goes on.

A match that runs is checked as far as it goes; its luck is sealed until its end. What does not hold as it was read is
read once more on each node by itself, so that one damaged replica is not taken for a damaged match.
"""

from collections.abc import Sequence
from typing import Final

from cli.audit_checked import Decided, Finding, Lines, check, holds
from cli.cores import Cores
from cli.log_place import log_connection
from cli.progress import Progress
from engine.kernel.official import RevealSeed
from engine.kernel.ports import Unavailable
from engine.luck.verifier import VerificationFailed
from services.kit.config import Settings
from services.kit.family import MATCHES, TOURNAMENTS, Family
from services.kit.jetstream.connection import Connection
from services.kit.jetstream.read import read
from services.kit.jetstream.replicas import Placed, pages, replicas_of
from services.kit.jetstream.streams import Stream

PATIENCE_S: Final = 10.0
"""A line that no node can read does not come for waiting."""

BATCH_LINES: Final = 4096
"""Lines that one process takes at once, at least."""

HELD_BYTES: Final = 256 * 1024 * 1024
"""Of lines whose match is not whole yet."""

CLOSES: Final = f'"type":"{RevealSeed.name}"'.encode()
"""In the last line of a match; a quote within a text has a backslash before it."""


class Deciding:
    """One stream: gathers its lines by match as they are read, and has each decided again once it is whole.

    A match that runs waits for the end of the stream, and so does an event. What waits is bounded: beyond
    ``HELD_BYTES`` the lines that have waited longest are let go, and read once more when all else is done.
    """

    def __init__(self, stream: str, cores: Cores[Lines, list[Decided | None]], *, held_bytes: int = HELD_BYTES) -> None:
        self._stream = stream_of(stream)
        self._cores = cores
        self._held_bytes = held_bytes
        self._bytes = 0
        self._open: dict[str, list[bytes]] = {}
        self._whole: list[tuple[str, list[bytes]]] = []
        self._whole_lines = 0
        self._given: dict[str, None] = {}
        """In the order of their answers."""
        self._again: set[str] = set()
        """What is to be read by itself."""

    async def take(self, lines: Sequence[Placed]) -> None:
        """The next lines of the stream."""
        for placed in lines:
            thing = placed.thing
            if thing in self._again or thing in self._given:
                self._again.add(thing)  # more than whole: whatever is wrong, it is looked at with all its lines
                continue
            self._open.setdefault(thing, []).append(placed.line)
            self._bytes += len(placed.line)
            if CLOSES in placed.line:
                await self._give(thing)
        while self._bytes > self._held_bytes:
            oldest = next(iter(self._open))
            self._bytes -= sum(map(len, self._open.pop(oldest)))
            self._again.add(oldest)

    async def finish(self, here: Settings, things: Sequence[str], progress: Progress) -> Decided:
        """What came of all that the stream holds. Raises ``Unavailable``."""
        for thing in list(self._open):
            await self._give(thing)
        await self._send()
        answers = [answer for some in await self._cores.answers() for answer in some]
        decided = Decided()
        for thing, answer in zip(self._given, answers, strict=True):
            if answer is None:
                self._again.add(thing)
            elif thing not in self._again:
                decided += answer
        again = sorted(self._again | (set(things) - self._given.keys()))
        progress.begin(f"reading {self._stream.name} once more", len(again))
        async with log_connection(here, PATIENCE_S) as connection:
            for number, thing in enumerate(again, 1):
                decided += await _by_itself(connection, self._stream, thing)
                progress.reach(number)
        return decided

    async def _give(self, thing: str) -> None:
        lines = self._open.pop(thing)
        self._bytes -= sum(map(len, lines))
        self._given[thing] = None
        self._whole.append((thing, lines))
        self._whole_lines += len(lines)
        if self._whole_lines >= BATCH_LINES:
            await self._send()

    async def _send(self) -> None:
        whole, self._whole, self._whole_lines = self._whole, [], 0
        if whole:
            await self._cores.give((self._stream.family, whole))


def stream_of(name: str) -> Stream:
    """``MATCHES_00``."""
    family, _, partition = name.rpartition("_")
    found: Family = next(each for each in (MATCHES, TOURNAMENTS) if each.stream == family)
    return Stream(found, int(partition))


async def _by_itself(connection: Connection, stream: Stream, thing: str) -> Decided:
    """As any reader is given it; and where that does not hold, as each node has it."""
    try:
        stored = await read(connection, stream, thing, after=0, limit=0)
    except Unavailable:
        return await _on_each_node(connection, stream, thing)
    return holds(stream.family, [each.line for each in stored]) or await _on_each_node(connection, stream, thing)


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
            best = check(stream.family, lines)
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
