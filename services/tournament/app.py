"""The tournament service put together: events from their log, the desk, what runs by itself, and all that can be asked.

Several replicas may serve the same log. Each holds every event, follows every line, and carries out what the director
asks for; what two of them do twice is recognised by the event or by the match.
"""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import aclosing

from engine.kernel.ports import Clock, Log
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Instant
from services.kit.key import KeyRing
from services.kit.read_model import ReadModel
from services.tournament.actions import Actions
from services.tournament.closings import Closings
from services.tournament.desk import Desk
from services.tournament.ledgers import Kept, Ledgers
from services.tournament.names import bot_name
from services.tournament.people import FOUND_MAX, People
from services.tournament.rated import Rated
from services.tournament.runner import RETRY_S, Runner
from services.tournament.standings import Rankings
from services.tournament.steps import Steps
from services.tournament.venue import Venue
from services.tournament.whereabouts import Entries, FoundPlayer, whereabouts

PAGE_MAX = 500
PAGE_DEFAULT = 100

NAMED_MAX = 500
"""Players in one question for names: more than any page shows."""


class Tournaments:
    """``prepare``, then ``run`` beside whatever asks; ``close`` at the end."""

    def __init__(
        self,
        log: Log,
        matches: Log,
        venue: Venue,
        people: People,
        ratings: ReadModel,
        keys: KeyRing,
        clock: Clock,
        *,
        retry_s: tuple[float, ...] = RETRY_S,
    ) -> None:
        self.ledgers = Ledgers(log, clock)
        self.people = people
        self.desk = Desk(self.ledgers, people, keys, clock)
        self.rankings = Rankings()
        self.rated = Rated(log, self.ledgers, ratings)
        self._closings = Closings(matches)
        self.runner = Runner(self.ledgers, Steps(self.ledgers, matches, self._closings, venue, clock), retry_s=retry_s)
        self.actions = Actions(self.ledgers)
        self._clock = clock
        self._entries = Entries()

    async def prepare(self, *, rebuild: bool = False) -> None:
        """Read the past. Raises ``Refusal`` if the ratings do not belong to this log; ``rebuild`` makes them anew."""
        await self.ledgers.prepare()
        await self.rated.prepare(rebuild=rebuild)

    async def run(self) -> None:
        """For ever; the first error ends it."""
        await asyncio.gather(self.ledgers.run(), self._closings.run(), self.runner.run(), self.rated.run())

    async def close(self) -> None:
        """Requests end, what runs by itself is called off."""
        await self.desk.close()
        await self.runner.close()

    def now(self) -> Instant:
        return self._clock.now()

    def page(self, page_size: int, page_token: str) -> tuple[list[Kept], str]:
        """Events, the newest first, and the token of the next page. Raises ``Refusal`` (``bad_page_token``)."""
        size = min(page_size or PAGE_DEFAULT, PAGE_MAX)
        opened_at, bar, tournament_id = page_token.partition("|")
        if page_token and not bar:
            raise Refusal("bad_page_token", "The page token is not one of this service.", Kind.INVALID)
        behind = [
            kept
            for kept in self.ledgers.all()
            if not page_token or (kept.ledger.opened_at, kept.id) < (opened_at, tournament_id)
        ]
        page = behind[:size]
        return page, f"{page[-1].ledger.opened_at}|{page[-1].id}" if len(behind) > size else ""

    async def watch(self, tournament_id: str) -> AsyncGenerator[Kept, None]:
        """An event now and after each change, only the latest where the reader is slow; all of them for no id.

        Raises ``Refusal`` (``unknown_tournament``).
        """
        if tournament_id:
            await self.ledgers.fresh(tournament_id)
        async with aclosing(self.ledgers.changed.follow()) as changes:
            async for kept in changes:
                if kept.broken is None and tournament_id in ("", kept.id):
                    yield kept

    async def export(self, tournament_id: str) -> list[bytes]:
        """The lines of an event, byte for byte; while a draft is open, those before it. Raises ``Refusal``."""
        kept = await self.ledgers.fresh(tournament_id)
        return await self.ledgers.lines(kept, kept.drafted_at - 1 if kept.drafted_at else kept.ledger.revision)

    async def names(self, players: Iterable[str]) -> dict[str, str]:
        """The public name of each player; whoever is neither a bot nor in the list of people is called by the id."""
        asked = list(dict.fromkeys(players))
        found = await self.people.public_names([player for player in asked if not bot_name(player)])
        return {player: bot_name(player) or found.get(player, player) for player in asked}

    async def name_players(self, players: Sequence[str]) -> list[str]:
        """The public names in the order asked, empty for an id that nobody has. Raises ``Refusal``."""
        if len(players) > NAMED_MAX:
            sentence = f"At most {NAMED_MAX} players are named at once, not {len(players)}."
            raise Refusal("too_many_at_once", sentence, Kind.INVALID)
        found = await self.people.public_names(list(dict.fromkeys(players)))
        return [bot_name(player) or found.get(player, "") for player in players]

    async def find_players(self, text: str, page_size: int) -> list[FoundPlayer]:
        """People by a part of their public name, and where they are; at most ``people.FOUND_MAX``."""
        events = self.ledgers.all()
        entries = self._entries.of(events)
        names = await self.people.find_by_public_name(text, entries, page_size or FOUND_MAX)
        return whereabouts(names, entries, self.ledgers.all())
