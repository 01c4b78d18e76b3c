"""The organisers' desk: everything that changes an event from outside.

The rules are the engine's. Here stands what they do not know: seeds come from the house's key, people from the list of
people, and nobody speaks for the house. A request that has been taken up runs to its end even if its caller hangs up:
its commit may be in the log already.
"""

import asyncio
from collections.abc import Sequence
from copy import copy

import msgspec

from engine.kernel.codec import Recorded
from engine.kernel.commit import decode_line
from engine.kernel.match import Request
from engine.kernel.ports import Clock
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Revision, Value, check_id, clip
from engine.luck.seed_chain import ROUNDS_DRAWN_MAX, chain_seed, commitment
from engine.tournament.actors import ORGANISER, PLAYER
from engine.tournament.changes import Change, changes
from engine.tournament.commands import (
    Adjudicate,
    CorrectResult,
    Create,
    DraftRound,
    Penalise,
    Register,
    RevokePenalty,
    VoidTable,
)
from engine.tournament.config import Config, config_of
from engine.tournament.decider import command_of as decoded
from engine.tournament.events import EVENTS, Registered, RoundDrafted
from engine.tournament.limits import COMMAND_BYTES_MAX, ENTRIES_AT_ONCE
from engine.tournament.people import BOT
from engine.tournament.played import Entry
from services.kit.key import KeyRing, MasterKey
from services.kit.requests import Requests
from services.kit.written import command_of
from services.tournament.games import check_games
from services.tournament.ledgers import Kept, Ledgers, Receipt
from services.tournament.people import People

ID_LENGTH_MAX = 40
"""Of an event: the ids of its matches are longer by the round, the table and the attempt."""

ACTOR_LENGTH_MAX = 80

CREATION_ID = "create"
"""The command id of every creation: the id of the event makes it unique."""

CHANGING = (CorrectResult, Adjudicate, VoidTable, Penalise, RevokePenalty)
"""What may change a number that has been published."""


class Done(Value, frozen=True):
    """A command is a fact."""

    receipt: Receipt
    events: tuple[str, ...]
    """The types of its events, in order."""
    changes: tuple[Change, ...] = ()


class Applicant(Value, frozen=True):
    """Somebody who is to enter: by an id that is known, ``bot:<level>``, or a name."""

    player: str = ""
    name: str = ""
    contact: str = ""
    alias: str = ""

    def __repr__(self) -> str:
        return f"Applicant({self.player})"


class Desk:
    """The use cases. All raise ``Refusal``, ``BrokenLog`` and ``Unavailable``."""

    def __init__(self, ledgers: Ledgers, people: People, keys: KeyRing, clock: Clock) -> None:
        self._ledgers = ledgers
        self._people = people
        self._keys = keys
        self._clock = clock
        self._requests = Requests()

    async def close(self) -> None:
        """Let running requests end."""
        await self._requests.close()

    async def create(self, tournament_id: str, config_toml: str, organiser: str) -> tuple[Receipt, Config]:
        """A new event. ``Refusal``: ``bad_config``, ``tournament_exists`` if it was created otherwise."""
        check_id("tournament id", tournament_id)
        if len(tournament_id) > ID_LENGTH_MAX:
            sentence = f"A tournament id has at most {ID_LENGTH_MAX} characters; this one has {len(tournament_id)}."
            raise Refusal("id_too_long", sentence, Kind.INVALID)
        config = config_of(config_toml)
        check_games(config)
        actor = _checked_actor(f"{ORGANISER}{organiser}")
        command = Create(tournament_id, config, await self._promise(tournament_id))
        try:
            receipt = await self._requests.finish(self._ledgers.commit(tournament_id, CREATION_ID, actor, command))
        except Refusal as refusal:
            if refusal.code != "id_reused":
                raise
            sentence = f"Tournament {tournament_id} has been created before, with another configuration."
            raise Refusal("tournament_exists", sentence, Kind.EXISTS) from None
        return receipt, config

    async def command(
        self, tournament_id: str, command_id: str, actor: str, command_json: str, *, expected: Revision = 0
    ) -> Done:
        """One command of an organiser or a player; a repeat of the id is harmless for ever."""
        _check_ids(tournament_id, command_id, actor)
        recorded = command_of(command_json, COMMAND_BYTES_MAX)
        command = decoded(recorded)
        if isinstance(command, Create | DraftRound):
            raise Refusal("not_yours_to_do", "The house adds a seed to this; there is a call of its own.", Kind.DENIED)
        if isinstance(command, Register):
            await self._check_known(command.players)
        return await self._requests.finish(self._command(tournament_id, command_id, actor, recorded, expected))

    async def draft_round(self, tournament_id: str, command_id: str, actor: str, reason: str) -> tuple[Receipt, int]:
        """Draft the next round with the next seed of the chain; the number of the round."""
        _check_ids(tournament_id, command_id, actor)
        return await self._requests.finish(self._draft(tournament_id, command_id, actor, reason))

    async def register(
        self, tournament_id: str, command_id: str, actor: str, people: Sequence[Applicant], *, ranked: bool, reason: str
    ) -> tuple[Receipt, tuple[Entry, ...]]:
        """Enter people, the unknown ones under new ids; their entry numbers in the order asked."""
        _check_ids(tournament_id, command_id, actor)
        if not 1 <= len(people) <= ENTRIES_AT_ONCE:
            raise Refusal("too_many_at_once", f"Name 1 to {ENTRIES_AT_ONCE} people at once.", Kind.INVALID)
        return await self._requests.finish(self._register(tournament_id, command_id, actor, people, ranked, reason))

    async def erase(self, player: str) -> bool:
        """Forget a person for ever; whether that had been done before. ``Refusal``: ``unknown_player``."""
        before = (await self._people.find([player])).get(player)
        await self._requests.finish(self._people.erase(player))
        return before is not None and before.erased

    # -- one request -----------------------------------------------------------------------------------------------

    async def _promise(self, tournament_id: str) -> str:
        """What an event has been promised: a repeat of its creation is one under a newer master key, too."""
        try:
            return (await self._ledgers.fresh(tournament_id)).state.commitment
        except Refusal as refusal:
            if refusal.code != "unknown_tournament":
                raise
        return commitment(self._keys.newest.secret, tournament_id).hex()

    def _key_of(self, kept: Kept) -> MasterKey:
        """The key that the seeds of an event were promised under. Raises ``Refusal`` (``other_master_key``)."""
        promised = kept.state.commitment
        key = self._keys.find(lambda key: commitment(key.secret, kept.id).hex() == promised)
        if key is None:
            sentence = "The seeds of this event were promised under another master key; restore that one."
            raise Refusal("other_master_key", sentence)
        return key

    async def _command(
        self, tournament_id: str, command_id: str, actor: str, recorded: Recorded, expected: Revision
    ) -> Done:
        receipt = await self._ledgers.commit(tournament_id, command_id, actor, recorded, expected)
        kept = self._ledgers.known(tournament_id)
        commit = decode_line(await self._ledgers.line(kept, receipt.revision))
        events = tuple(event.type for event in commit.events)
        if not isinstance(decoded(recorded), CHANGING):
            return Done(receipt, events)
        revision = receipt.revision
        before, after = receipt.states or (await self._ledgers.around(kept, {revision}))[revision]
        return Done(receipt, events, await asyncio.to_thread(changes, before, after))

    async def _draft(self, tournament_id: str, command_id: str, actor: str, reason: str) -> tuple[Receipt, int]:
        """The seed follows from the drafts before; somebody who drafts in between takes it, and we take the next."""
        while True:
            kept = await self._ledgers.fresh(tournament_id)
            known = kept.ledger.revision_of(actor, command_id)
            if known:
                return Receipt(known, duplicate=True), (await self._drafted(kept, known)).round
            drafts = kept.state.drafts
            key = self._key_of(kept)
            seed = chain_seed(key.secret, tournament_id, min(drafts + 1, ROUNDS_DRAWN_MAX)).hex()
            try:
                receipt = await self._ledgers.commit(tournament_id, command_id, actor, DraftRound(seed, reason))
            except Refusal as refusal:
                overtaken = (await self._ledgers.fresh(tournament_id)).state.drafts != drafts
                if refusal.code in ("seed_differs", "id_reused") and overtaken:
                    continue
                raise
            return receipt, (await self._drafted(self._ledgers.known(tournament_id), receipt.revision)).round

    async def _drafted(self, kept: Kept, revision: Revision) -> RoundDrafted:
        for recorded in decode_line(await self._ledgers.line(kept, revision)).events:
            if recorded.type == RoundDrafted.name:
                drafted = EVENTS.decode(recorded)
                assert isinstance(drafted, RoundDrafted)
                return drafted
        raise _id_reused()

    async def _register(
        self,
        tournament_id: str,
        command_id: str,
        actor: str,
        people: Sequence[Applicant],
        ranked: bool,
        reason: str,
    ) -> tuple[Receipt, tuple[Entry, ...]]:
        kept = await self._ledgers.fresh(tournament_id)
        known = kept.ledger.revision_of(actor, command_id)
        if known:  # not asked for their names again: one who has been erased since must not come back
            entries = await self._registered(kept, known)
            entered = tuple(kept.state.entrants[entry - 1].player for entry in entries)
            if not await self._are_they(entered, people):
                raise _id_reused()
            return await self._ledgers.commit(
                tournament_id, command_id, actor, Register(entered, ranked, reason)
            ), entries
        # Refused before anybody is remembered for nothing.
        stand_ins = Register(tuple(each.player or f"?{place}" for place, each in enumerate(people)), ranked, reason)
        self._try(kept, command_id, actor, stand_ins)
        players = await self._players(people)
        receipt = await self._ledgers.commit(tournament_id, command_id, actor, Register(players, ranked, reason))
        return receipt, await self._registered(self._ledgers.known(tournament_id), receipt.revision)

    def _try(self, kept: Kept, command_id: str, actor: str, command: Register) -> None:
        recorded = Recorded(command.name, command.v, msgspec.Raw(msgspec.json.encode(command)))
        copy(kept.ledger).propose(Request(command_id, actor, self._clock.now(), recorded))

    async def _players(self, people: Sequence[Applicant]) -> tuple[str, ...]:
        await self._check_known([each.player for each in people if each.player])
        named = [(each.name, each.contact, each.alias) for each in people if not each.player]
        added = iter(await self._people.add_all(named))
        return tuple(each.player or next(added).player for each in people)

    async def _are_they(self, players: Sequence[str], people: Sequence[Applicant]) -> bool:
        """Whether these are the people that an earlier request has entered; one who has been erased may be anybody."""
        if len(players) != len(people):
            return False
        found = await self._people.find([player for player, each in zip(players, people, strict=True) if each.name])
        return all(
            found[player].is_called(each.name, each.contact) if player in found else each.player == player
            for player, each in zip(players, people, strict=True)
        )

    async def _registered(self, kept: Kept, revision: Revision) -> tuple[Entry, ...]:
        entries: list[Entry] = []
        for recorded in decode_line(await self._ledgers.line(kept, revision)).events:
            event = EVENTS.decode(recorded)
            if not isinstance(event, Registered):
                raise _id_reused()
            entries.extend(range(event.first, event.first + len(event.players)))
        return tuple(entries)

    async def _check_known(self, players: Sequence[str]) -> None:
        """Nothing but ids of ours goes into a log: what is no id might be a name."""
        asked = [player for player in players if not player.startswith(BOT)]
        found = await self._people.find(asked)
        for player in asked:
            person = found.get(player)
            if person is None:
                raise Refusal("unknown_player", f"There is no player {clip(player)}.", Kind.MISSING)
            if person.erased:
                raise Refusal("player_erased", f"Player {player} has been erased; nothing is known of them again.")


def _check_ids(tournament_id: str, command_id: str, actor: str) -> None:
    check_id("tournament id", tournament_id)
    check_id("command id", command_id)
    _checked_actor(actor)


def _checked_actor(actor: str) -> str:
    """Organisers and players alone speak here; what the house says it says itself."""
    who = actor.removeprefix(ORGANISER) if actor.startswith(ORGANISER) else actor.removeprefix(PLAYER)
    if who == actor or not who or len(actor) > ACTOR_LENGTH_MAX or not who.isprintable():
        raise Refusal("bad_actor", f"Say organiser:<who> or player:<entry>, not {clip(actor)}.", Kind.INVALID)
    return actor


def _id_reused() -> Refusal:
    return Refusal("id_reused", "This command id was used for another command.", Kind.INVALID)
