"""What was done in an event, newest first, a page at a time: for whoever looks at its log without taking it all along.

The log is read backwards in pieces, until the page is full or enough has been read; then the answer says where to go
on. What an open draft looks like is nobody's business, so while it is open its commands are told without their fields
and reasons; an export leaves out the lines.
"""

import asyncio
from collections.abc import Callable, Iterable

from engine.kernel.commit import HOUSE, Commit, decode_line
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Revision, Value
from engine.tournament.changes import changes
from engine.tournament.commands import COMMANDS, Command
from engine.tournament.played import Entry
from engine.tournament.wording import Who, reason_of, sentence_of, speaks_of_draft
from services.tournament.desk import CHANGING
from services.tournament.ledgers import Kept, Ledgers

PAGE_MAX = 100
PAGE_DEFAULT = 50

PIECE = 200
"""Lines read at a time."""

LOOKED_AT_MAX = 2_000
"""Lines read for one page: of a large event most are the house's, and nobody waits for all of them."""

COUNTED_MAX = 400
"""Entrants of an event whose changed figures are counted: the standings of every round are made for it, twice."""


class Action(Value, frozen=True):
    """One commit. ``command`` is what it asked for; ``hidden`` if it belongs to a draft that is open."""

    revision: Revision
    at: str
    actor: str
    command: Command
    events: tuple[str, ...]
    changes: int | None
    hidden: bool

    @property
    def reason(self) -> str:
        return "" if self.hidden else reason_of(self.command)

    def sentence(self, who: Who) -> str:
        return sentence_of(self.command, who, hidden=self.hidden)


class Actions:
    """Pages of the logs of events."""

    def __init__(self, ledgers: Ledgers) -> None:
        self._ledgers = ledgers
        self._counted: dict[tuple[str, Revision], int] = {}
        """Of each correction; what it changed then does not change any more."""

    async def page(
        self, kept: Kept, size: int, token: str, *, actor: str = "", house: bool = False
    ) -> tuple[list[Action], str]:
        """Actions and the token of the next page. Raises ``Refusal`` (``bad_page_token``)."""
        newest, drafted_at = kept.ledger.revision, kept.drafted_at  # the event goes on while it is read
        limit = min(size or PAGE_DEFAULT, PAGE_MAX)
        until = _until(token, newest)
        last = max(0, until - LOOKED_AT_MAX)
        found: list[Commit] = []
        while until > last and len(found) < limit:
            first = max(last, until - PIECE)
            for line in reversed(await self._ledgers.lines(kept, until, after=first)):
                commit = decode_line(line)
                until = commit.revision - 1
                if commit.actor == actor if actor else house or commit.actor != HOUSE:
                    found.append(commit)
                    if len(found) == limit:
                        break
        counts = await self._counts(kept, found)
        return [_action(commit, drafted_at, counts) for commit in found], str(until) if until else ""

    async def _counts(self, kept: Kept, commits: Iterable[Commit]) -> dict[Revision, int]:
        """How many published figures each has changed; none where that takes too long."""
        if len(kept.state.entrants) > COUNTED_MAX:
            return {}
        changing = {kind.name for kind in CHANGING}
        asked = {commit.revision: commit.command.type in changing for commit in commits}
        wanted = {each for each, may in asked.items() if may and (kept.id, each) not in self._counted}
        if wanted:
            states = await self._ledgers.around(kept, wanted)
            for revision, (before, after) in states.items():
                self._counted[kept.id, revision] = len(await asyncio.to_thread(changes, before, after))
        return {each: self._counted[kept.id, each] if may else 0 for each, may in asked.items()}


def people_of(actions: Iterable[Action]) -> set[Entry]:
    """Everybody whom the sentences name."""
    named: set[Entry] = set()

    def noted(entry: Entry) -> str:
        named.add(entry)
        return ""

    for action in actions:
        action.sentence(noted)
    return named


def called(names: Callable[[Entry], str]) -> Who:
    """``Ana (7)``."""
    return lambda entry: f"{names(entry)} ({entry})"


def _until(token: str, newest: Revision) -> Revision:
    """The newest revision that the page may have."""
    if not token:
        return newest
    if not (token.isascii() and token.isdigit() and len(token) < 10) or not 0 < int(token) <= newest:
        raise Refusal("bad_page_token", "The page token is not one of this event.", Kind.INVALID)
    return int(token)


def _action(commit: Commit, drafted_at: Revision, counts: dict[Revision, int]) -> Action:
    command = COMMANDS.decode(commit.command)
    return Action(
        revision=commit.revision,
        at=commit.at,
        actor=commit.actor,
        command=command,
        events=tuple(event.type for event in commit.events),
        changes=counts.get(commit.revision),
        hidden=bool(drafted_at) and commit.revision >= drafted_at and speaks_of_draft(command),
    )
