"""What every node has stored of a stream, laid side by side, a page at a time.

A line that one node cannot read, or has otherwise than the others, is named with its node, and with the match and the
revision that it is of; never is a node taken for another one. Memory holds one page of each node, and how far each
match has come. Each line that holds is handed on as it is read, to be decided again meanwhile.
"""

import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing
from typing import NamedTuple, TypeAlias

from cli.audit_checked import Finding
from cli.progress import Progress
from engine.kernel.ports import Position
from engine.kernel.value import Revision, Value
from services.kit.jetstream.connection import Connection
from services.kit.jetstream.replicas import PAGE_LINES, Placed, counts_of, pages, settled_replicas_of
from services.kit.line_head import head_of


class Compared(Value, frozen=True):
    """One stream as all of its nodes have it. ``things`` are the ids of what it holds, with their kinds."""

    stream: str
    partitions: int
    lines: int
    nodes: tuple[str, ...]
    things: tuple[str, ...]
    findings: tuple[Finding, ...]


Take: TypeAlias = Callable[[Sequence[Placed]], Awaitable[None]]
"""Told of the lines of each page that at least one node can read and no majority has otherwise."""


async def compare_stream(connection: Connection, stream: str, take: Take, progress: Progress) -> Compared:
    """Read a stream on each of its nodes. Raises ``Unavailable`` if the log or one of the nodes falls silent."""
    counts = await counts_of(connection, stream)  # before the end is asked for: all that it counts is read
    replicas = await settled_replicas_of(connection, stream)
    present = [node.name for node in replicas.nodes if node.is_present]
    findings = [_absent(stream, node.name) for node in replicas.nodes if node.name not in present]
    progress.begin(f"reading {stream} on {len(present)} nodes", replicas.last)
    seen = _Seen(stream, present)
    async with AsyncExitStack() as stack:
        readers = [
            await stack.enter_async_context(aclosing(pages(connection, stream, node, until=replicas.last)))
            for node in present
        ]
        for first in range(1, replicas.last + 1, PAGE_LINES):
            end = min(first + PAGE_LINES, replicas.last + 1)
            read = [await anext(reader) for reader in readers]
            agreed = read[0]
            if len(agreed) < end - first or any(page != agreed for page in read[1:]):
                agreed, found = _compare(stream, dict(zip(present, read, strict=True)), range(first, end), seen)
                findings.extend(found)
            for placed in agreed:
                seen.take(placed)
            await take(agreed)
            progress.reach(end - 1)
    findings.extend(seen.lost_lines(counts))
    return Compared(
        stream=stream,
        partitions=replicas.partitions,
        lines=replicas.last,
        nodes=tuple(present),
        things=tuple(sorted(seen.things)),
        findings=tuple(findings),
    )


def _compare(
    stream: str, read: Mapping[str, Sequence[Placed]], positions: range, seen: "_Seen"
) -> tuple[list[Placed], list[Finding]]:
    """One page of every node, position by position: the lines that stand, and what is wrong with the others."""
    by_node = {node: {placed.position: placed for placed in page} for node, page in read.items()}
    agreed: list[Placed] = []
    findings: list[Finding] = []
    for position in positions:
        lines = {node: page.get(position) for node, page in by_node.items()}
        line = _agreed(lines.values())
        if line is not None:
            agreed.append(line)
        elif not any(lines.values()):
            seen.lost.append(position)
            continue
        thing, revision = ("", 0) if line is None else _named(line)
        for node, found in lines.items():
            if found == line:
                continue
            what = f"revision {revision} of {thing}" if thing else f"line {position} of {stream}"
            code, how = ("line_unreadable", "cannot read") if found is None else ("line_differs", "has another")
            findings.append(Finding(code, f"Node {node} {how} {what}.", stream, node, position, thing, revision))
    return agreed, findings


def _named(placed: Placed) -> tuple[str, Revision]:
    """The thing and the revision of a line; of none, if it is no commit: deciding again tells of that."""
    head = head_of(placed.line)
    return ("", 0) if head is None else (head.match, head.revision)


def _agreed(lines: Iterable[Placed | None]) -> Placed | None:
    """What more nodes have than anything else; ``None`` if that is nothing."""
    ranked = Counter(line for line in lines if line is not None).most_common(2)
    if not ranked or (len(ranked) > 1 and ranked[0][1] == ranked[1][1]):
        return None
    return ranked[0][0]


def _absent(stream: str, node: str) -> Finding:
    sentence = f"Node {node} takes no part in {stream} now, so it has not been read; look at it, and audit again."
    return Finding("node_absent", sentence, stream, node)


class _Gap(NamedTuple):
    """Revisions of a thing that no line was read for: they lie between two positions."""

    thing: str
    first: Revision
    end: Revision
    after: Position
    before: Position


class _Seen:
    """How far each match or event has come, by the lines that could be read; and which lines nobody could read."""

    def __init__(self, stream: str, nodes: Sequence[str]) -> None:
        self._stream = stream
        self._nodes = ", ".join(nodes)
        self.things: dict[str, tuple[Revision, Position]] = {}
        self.lost: list[Position] = []
        self._gaps: list[_Gap] = []

    def take(self, placed: Placed) -> None:
        thing, revision = _named(placed)
        if not thing:
            return
        known, after = self.things.get(thing, (0, 0))
        if revision > known + 1:
            self._gaps.append(_Gap(thing, known + 1, revision, after, placed.position))
        self.things[thing] = revision, placed.position

    def lost_lines(self, counts: Mapping[str, int]) -> Iterator[Finding]:
        """Every line that no node can read, and whose it is: what is missing between two others, or, by what the
        server counts under a subject, at the end.
        """
        gaps = list(self._gaps)
        for subject, count in sorted(counts.items()):
            thing = subject.rpartition(".")[2]
            known, after = self.things.setdefault(thing, (0, 0))
            if known < count:
                gaps.append(_Gap(thing, known + 1, count + 1, after, sys.maxsize))
        lost = list(self.lost)
        for gap in gaps:
            for revision in range(gap.first, gap.end):
                position = next((each for each in lost if gap.after < each < gap.before), 0)
                if position:
                    lost.remove(position)
                    yield self._finding(f"revision {revision} of {gap.thing}", position, gap.thing, revision)
        for position in lost:
            yield self._finding(f"line {position} of {self._stream}", position)

    def _finding(self, what: str, position: Position, thing: str = "", revision: Revision = 0) -> Finding:
        sentence = f"No node can read {what} ({self._nodes})."
        return Finding("line_lost", sentence, self._stream, self._nodes, position, thing, revision)
