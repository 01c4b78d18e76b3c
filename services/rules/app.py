"""The rules host: load, decide, append, then see to what the house owes the match.

One request goes: fold what the log has → decide → append behind the last known line → (conflict: read, decide again) →
answer. Then luck: while chance is pending, ask the deck under the id that follows from the match, append the outcome.
Every step is found again from the log alone, so a crash between any two of them resumes by itself: ``run`` follows the
log and takes up what is owed, whoever left it.

A request that has been taken up runs to its end even if its caller hangs up: its move may be in the log already.
"""

import asyncio
from collections.abc import Sequence

import msgspec
import structlog

from engine.kernel.chance import spec_of
from engine.kernel.codec import Recorded
from engine.kernel.commit import CLOCK, HOST, HOUSE, LUCK, actor_seat, seat_actor
from engine.kernel.deal import Deal
from engine.kernel.game import AnyGame, Menu
from engine.kernel.history import AnyHistory, BrokenLog, Duplicate
from engine.kernel.limits import OPTIONS_BYTES_MAX, PATH_STEPS_MAX
from engine.kernel.match import AnyMatch, Match, Request
from engine.kernel.official import (
    COMMANDS,
    DEFAULT,
    Expire,
    OpenMatch,
    Proceed,
    ResolveLuck,
    RevealSeed,
)
from engine.kernel.opening import options_of
from engine.kernel.ports import Clock, Conflict, Failed, Log, Luck, Unavailable
from engine.kernel.process import AskLuck, AskSeed, AwaitClock, GoOn, Housekeeping
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Revision, Seat, check_id
from services.kit.beats import Beats
from services.kit.chores import log_failure, reason_of
from services.kit.requests import Requests
from services.kit.telemetry import COMMITS, CONFLICTS, MOVES
from services.kit.tracing import note
from services.kit.written import json_object
from services.rules.asked import CONFLICTS_MAX, OPENING_ID, Receipt, check_seat, of_director, of_seat
from services.rules.bells import Bells
from services.rules.deals import Deals
from services.rules.heading import Heading
from services.rules.open_matches import OpenMatches
from services.rules.presence import Gap, Presence
from services.rules.tables import Tables

RESUME_AFTER_S = 0.5
"""How long what is owed may stay owed before a host that did not cause it takes it up."""

CHORES_AT_ONCE = 16
"""Matches taken up at the same time: a host that starts on thousands must not ask the log for all of them at once."""

RETRY_S = (0.1, 0.2, 0.5, 1.0, 2.0)
"""Pauses between tries to reach the deck or the log for what is owed; the last one repeats."""

logger = structlog.get_logger()


class MatchHost:
    """The use cases of one game. ``run`` beside them keeps what is owed from being forgotten.

    Without ``beats`` a host takes it that somebody was always there, and gives no time back.
    """

    def __init__(self, game: AnyGame, log: Log, luck: Luck, clock: Clock, beats: Beats | None = None) -> None:
        self._match: AnyMatch = Match(game)
        self._game = game
        self._log = log
        self._luck = luck
        self._clock = clock
        self._tables = Tables(self._match, log)
        self._housekeeping = Housekeeping()
        self._requests = Requests()
        self._commits = COMMITS.labels(game.key)
        self._moves = MOVES.labels(game.key)
        self._conflicts = CONFLICTS.labels(game.key)
        self._chores: dict[str, asyncio.Task[None]] = {}
        self._again: set[str] = set()
        """Matches of which there was news while a chore was at them."""
        self._news: dict[str, Revision] = {}
        """Of each match that a request is at: the newest revision heard of meanwhile, which mostly is its own."""
        self._chores_at_once = asyncio.Semaphore(CHORES_AT_ONCE)
        self._bells = Bells(clock, self._ring, log_failure)
        self._open_matches = OpenMatches(log, game.key, beats)
        self._presence = None if beats is None else Presence(game.key, beats, clock, self._open_matches.reach)
        self._deals = Deals(lambda match_id: self._take_up(match_id, pause_s=0))

    @property
    def requests(self) -> Requests:
        """What has been taken up, and is waited for before the host closes."""
        return self._requests

    # -- use cases -------------------------------------------------------------------------------------------------

    async def open(
        self,
        match_id: str,
        *,
        seats: int,
        options_json: str = "{}",
        nonces: Sequence[str] = (),
        players: Sequence[str] = (),
        turn_ms: int = 0,
        bank_ms: int = 0,
        increment_ms: int = 0,
        on_timeout: str = DEFAULT,
        deal: Deal | None = None,
        delay_ms: int = 0,
    ) -> Receipt:
        """Open a match. Raises ``Refusal`` (``match_exists`` when it was opened otherwise), ``Unavailable``."""
        check_id("match id", match_id)
        if deal is not None:
            deal.table(match_id)
        options = json_object("options", options_json, OPTIONS_BYTES_MAX)
        command = OpenMatch(
            seats=seats,
            options=msgspec.to_builtins(options_of(self._game, options)),
            nonces=tuple(nonces),
            players=tuple(players),
            turn_ms=turn_ms,
            commitment=await self._luck.commitment(match_id, deal),
            bank_ms=bank_ms,
            increment_ms=increment_ms,
            on_timeout=on_timeout,
            deal=deal,
            delay_ms=delay_ms,
        )
        try:
            return await self._requests.finish(self._submit(match_id, OPENING_ID, HOST, COMMANDS.encode(command)))
        except Refusal as refusal:
            if refusal.code != "id_reused":
                raise
            sentence = f"Match {match_id} has been opened before, with other fields."
            raise Refusal("match_exists", sentence, Kind.EXISTS) from None

    async def act(
        self, match_id: str, command_id: str, seat: Seat, command_json: str, *, expected_revision: Revision = 0
    ) -> Receipt:
        """One command of one seat. Raises ``Refusal``, ``Unavailable``; a repeat of the id is harmless for ever."""
        return await self._requests.finish(
            self.perform(match_id, command_id, seat, command_json, expected_revision=expected_revision)
        )

    async def perform(
        self, match_id: str, command_id: str, seat: Seat, command_json: str, *, expected_revision: Revision = 0
    ) -> Receipt:
        """``act`` for whoever runs it in ``requests`` himself: it must run to its end."""
        check_id("match id", match_id)
        check_id("command id", command_id)
        return await self._submit(match_id, command_id, seat_actor(seat), of_seat(command_json), expected_revision)

    async def direct(self, match_id: str, command_id: str, command_json: str) -> Receipt:
        """One command of the director, who speaks as the host: pause, resume, extend, call time, a seat leaves.

        Raises ``Refusal``, ``Unavailable``; a repeat of the id is harmless for ever.
        """
        check_id("match id", match_id)
        check_id("command id", command_id)
        return await self._requests.finish(self._submit(match_id, command_id, HOST, of_director(command_json)))

    async def choices(
        self, match_id: str, seat: Seat, path: Sequence[str], language: str = "en"
    ) -> tuple[Revision, Menu]:
        """The next step of a command of ``seat``, and the revision it holds for. Raises ``Refusal``."""
        check_id("match id", match_id)
        if len(path) > PATH_STEPS_MAX:
            raise Refusal("path_too_long", f"A path has at most {PATH_STEPS_MAX} steps.", Kind.INVALID)
        async with self._tables.open(match_id) as history:
            await self._tables.refresh(history)
            self._match.may_move(history.state, seat_actor(seat))
            return history.revision, self._game.choices(history.state.game, seat, tuple(path), language)

    async def player_at(self, match_id: str, seat: Seat) -> str:
        """Whom the opening put in a seat; empty if nobody knows. Raises ``Refusal`` for an id that is none."""
        return await self._tables.player_at(check_id("match id", match_id), seat)

    # -- one request -----------------------------------------------------------------------------------------------

    async def _submit(
        self, match_id: str, command_id: str, actor: str, command: Recorded, expected_revision: Revision = 0
    ) -> Receipt:
        receipt: Receipt | None = None
        settled: Revision = 0
        async with self._tables.open(match_id) as history:
            self._news[match_id] = 0
            try:
                await self._give_back(history)
                receipt = await self._commit(history, command_id, actor, command, expected_revision)
                await self._settle(history)
                settled = history.revision
            except (Conflict, Unavailable, Failed, Refusal) as error:
                if receipt is None:
                    raise
                # The move is a fact; only what follows from it is late. It is taken up again in the background.
                logger.warning("owed", match=match_id, revision=history.revision, reason=reason_of(error))
                self._take_up(match_id, pause_s=RETRY_S[0])
            finally:
                if self._news.pop(match_id) > settled:
                    self._take_up(match_id, pause_s=RESUME_AFTER_S)
        return receipt

    async def _commit(
        self, history: AnyHistory, command_id: str, actor: str, command: Recorded, expected_revision: Revision = 0
    ) -> Receipt:
        """Decide and append, again after a conflict. A cached match may be behind: it is refused only on fresh news."""
        fresh = False
        for _ in range(CONFLICTS_MAX):
            request = Request(command_id, actor, self._clock.now(), command)
            try:
                check_seat(history, actor)
                proposal = history.propose(request, expected_revision=expected_revision)
            except Refusal:
                if fresh or not await self._tables.refresh(history):
                    raise
                fresh = True
                continue
            if isinstance(proposal, Duplicate):
                return Receipt(proposal.revision, duplicate=True)
            try:
                appended = await self._log.append(
                    self._game.key, history.match_id, proposal.line, expected=history.position
                )
            except Conflict:
                self._conflicts.inc()
                fresh = await self._tables.refresh(history)
                continue
            history.accept(proposal.line, appended.position, proposal)
            self._commits.inc()
            note(game=self._game.key, revision=history.revision)
            if actor_seat(actor) is not None:
                self._moves.inc()
            if history.revision == 1 or history.state.seed:
                logger.info(
                    "opened" if history.revision == 1 else "completed",
                    match=history.match_id,
                    revision=history.revision,
                )
            return Receipt(proposal.commit.revision, duplicate=False)
        raise Unavailable("match_busy", "Too many others moved at the same time; send the same command again.")

    async def _settle(self, history: AnyHistory) -> None:
        """Do all that the house owes the match now."""
        while True:
            match self._housekeeping.resume(history):
                case AskLuck(draw_id, chance) as step:
                    values = await self._luck.draw(history.match_id, draw_id, chance.spec)
                    outcome = ResolveLuck(draw_id, spec_of(chance.spec), values)
                    await self._owe(history, step.command_id, LUCK, COMMANDS.encode(outcome))
                case GoOn() as step:
                    await self._owe(history, step.command_id, HOUSE, COMMANDS.encode(Proceed()))
                case AskSeed() as step:
                    self._bells.stop(history.match_id)
                    seed = await self._deals.revealed(history.match_id, self._luck)
                    if seed is None:
                        return
                    await self._owe(history, step.command_id, LUCK, COMMANDS.encode(RevealSeed(seed)))
                case AwaitClock() as step:
                    self._bells.start(history.match_id, step)
                    return
                case None:
                    self._bells.stop(history.match_id)
                    return

    async def _owe(self, history: AnyHistory, command_id: str, actor: str, command: Recorded) -> None:
        """Append what is owed; that another host has just done it is as good."""
        try:
            await self._commit(history, command_id, actor, command)
        except Refusal:
            if not await self._tables.refresh(history) and self._housekeeping.resume(history) is not None:
                raise

    # -- time that nobody has used ---------------------------------------------------------------------------------

    async def _give_back(self, history: AnyHistory) -> None:
        """If all hosts were away while the match's clock ran, give it that time before anything else happens."""
        gap = None if self._presence is None else await self._presence.gap()
        if gap is None or not history.revision:
            return
        await self._tables.refresh(history)
        step = self._housekeeping.after_absence(history, gap.since, gap.until)
        if step is None:
            return
        try:
            await self._commit(history, step.command_id, CLOCK, COMMANDS.encode(step.command))
        except Refusal as error:
            logger.debug("given_back_by_another", match=history.match_id, reason=reason_of(error))
        clock = self._housekeeping.resume(history)
        if isinstance(clock, AwaitClock):
            self._bells.start(history.match_id, clock)

    async def _give_back_to_all(self, gap: Gap) -> None:
        """Raises ``Unavailable`` if some match could not be seen to; then all are looked at again."""
        matches = await self._open_matches.all()
        logger.info("was_away", game=self._game.key, ms=(gap.until - gap.since) // 1000, matches=len(matches))
        answers = await asyncio.gather(*map(self._give_back_to, matches), return_exceptions=True)
        for error in filter(None, answers):
            raise error

    async def _give_back_to(self, match_id: str) -> None:
        try:
            async with self._chores_at_once, self._tables.open(match_id) as history:
                await self._give_back(history)
        except (Refusal, BrokenLog) as error:
            logger.error("cannot_give_back", match=match_id, reason=reason_of(error))

    # -- what must not be forgotten --------------------------------------------------------------------------------

    async def run(self) -> None:
        """Follow this game's log for ever: take up what others, or this host before a crash, have left owed."""
        await asyncio.gather(
            *(
                self._open_matches.follow(partition, lambda match_id: self._take_up(match_id, pause_s=0), self._heard)
                for partition in range(self._log.partitions)
            ),
            *(() if self._presence is None else (self._presence.keep(self._give_back_to_all),)),
        )

    async def close(self) -> None:
        """Let running requests end, then stop the clocks and chores."""
        await self._requests.close()
        self._deals.close()
        chores = list(self._chores.values())
        for task in chores:
            task.cancel()
        await asyncio.gather(*chores, *self._bells.stop_all(), return_exceptions=True)
        self._chores.clear()  # one that was cancelled before its first step has not taken itself off

    def _heard(self, heading: Heading) -> None:
        if heading.closes:
            self._deals.closed(heading.match)
        known = self._tables.known(heading.match)
        if heading.closes or (known is not None and known.revision >= heading.revision):
            return
        if heading.match in self._news:
            self._news[heading.match] = max(self._news[heading.match], heading.revision)
        else:
            self._take_up(heading.match, pause_s=RESUME_AFTER_S)

    def _take_up(self, match_id: str, pause_s: float) -> None:
        """See to a match in the background; if that is being done already, once more: it may have looked too soon."""
        if match_id in self._chores:
            self._again.add(match_id)
            return
        task = asyncio.create_task(self._chore(match_id, pause_s))
        self._chores[match_id] = task
        task.add_done_callback(log_failure)

    async def _chore(self, match_id: str, pause_s: float) -> None:
        try:
            await self._pause(pause_s)
            await self._see_to(match_id)
        finally:
            self._again.discard(match_id)
            self._chores.pop(match_id, None)

    async def _see_to(self, match_id: str) -> None:
        tries = 0
        while True:
            self._again.discard(match_id)
            try:
                async with self._chores_at_once, self._tables.open(match_id) as history:
                    await self._tables.refresh(history)
                    await self._settle(history)
                if match_id not in self._again:
                    return
            except (Conflict, Unavailable, Failed) as error:
                logger.warning("still_owed", match=match_id, reason=reason_of(error))
                await self._pause(RETRY_S[min(tries, len(RETRY_S) - 1)])
                tries += 1
            except Refusal as error:
                logger.error("cannot_settle", match=match_id, reason=reason_of(error))
                return

    async def _ring(self, match_id: str, step: AwaitClock) -> None:
        """Send the one ``Expire`` of a turn. A late move and this race for one revision."""
        await self._requests.finish(self._expire(match_id, step))

    async def _expire(self, match_id: str, step: AwaitClock) -> None:
        try:
            if self._presence is not None:
                await self._presence.witness(step.deadline)
            await self._submit(match_id, step.command_id, CLOCK, COMMANDS.encode(Expire(step.turn)))
        except Refusal as error:
            logger.debug("clock_too_late", match=match_id, reason=reason_of(error))
        except (Conflict, Unavailable, Failed) as error:
            logger.warning("still_owed", match=match_id, reason=reason_of(error))
            self._take_up(match_id, pause_s=RETRY_S[-1])

    async def _pause(self, seconds: float) -> None:
        if seconds:
            await asyncio.sleep(seconds)


__all__ = ["OPENING_ID", "MatchHost", "Receipt"]
