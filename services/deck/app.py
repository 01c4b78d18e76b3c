"""The deck: seeds from the master key, outcomes from the seeds, and nothing before its time.

Its answers depend on the keys, the match id and the openings in the log alone, so every replica gives the same, before
and after a restart. It reads the nonces in the log rather than in the request: a caller cannot try other nonces, nor
learn the cards of a match that is not open yet. Its opening also says whether it is a table of a deal: then its seed is
that of the deal, and stays sealed until the last table has ended.

**Which key.** A match that is open keeps the key that its opening was promised under, whatever has been put in front of
the ring since: the key whose seed gives that commitment. Only a match that is not open yet is promised under the newest
one. Who asks again for the promise of an open match is told what its opening says, so a repeat of an opening is a
repeat after a rotation, too.
"""

from collections import OrderedDict
from typing import NamedTuple

from engine.kernel.chance import Draw, Roll, commitment
from engine.kernel.commit import decode_line
from engine.kernel.deal import Deal
from engine.kernel.official import MatchOpened
from engine.kernel.ports import Log
from engine.kernel.refusal import Kind, Refusal
from engine.luck.algorithm import outcome
from engine.luck.seeds import match_seed, mixed_seed
from services.deck.anchors import Anchors
from services.deck.deals import Deals
from services.deck.ending import says_the_end
from services.deck.opening import opening_of
from services.kit.key import KeyRing, MasterKey

SEEDS_KEPT = 20_000
"""Matches that have drawn lately, in memory: half a kilobyte each."""


class _Dealt(NamedTuple):
    """What is kept of a match that draws. ``deal`` with the promise of all its tables; ``None`` for most matches."""

    game: str
    seed: bytes
    mixed: bytes
    deal: tuple[Deal, str] | None


class Deck:
    """The ``Luck`` port itself."""

    def __init__(self, keys: KeyRing, log: Log) -> None:
        self._keys = keys
        self._log = log
        self._deals = Deals(log)
        self._anchors = Anchors(log)
        self._dealt: OrderedDict[str, _Dealt] = OrderedDict()

    async def commitment(self, match: str, deal: Deal | None = None) -> str:
        opened = await opening_of(self._log, match)
        if opened is not None:
            return opened.commitment
        promised = await self._anchors.commitment(deal, match) if deal is not None else None
        return promised or _promise(self._keys.newest, _source(match, deal))

    async def draw(self, match: str, draw_id: str, asked: Roll | Draw) -> tuple[int, ...]:
        return outcome((await self._dealt_to(match)).mixed, draw_id, asked)

    async def game_of(self, match: str) -> str:
        """The key of the game that an open match is a match of. Raises ``Refusal`` (``match_not_open``)."""
        return (await self._dealt_to(match)).game

    def is_at_hand(self, match: str) -> bool:
        """Whether to draw for this match needs nothing from the log."""
        return match in self._dealt

    async def reveal(self, match: str) -> str:
        dealt = await self._dealt_to(match)
        if dealt.deal is not None:
            if await self._deals.have_ended(*dealt.deal, match):
                return dealt.seed.hex()
            raise Refusal("deal_running", "The seed stays sealed until every table of the deal has ended.", Kind.DENIED)
        last = await self._log.last(match)
        if last is not None and says_the_end(decode_line(last.line)):
            return dealt.seed.hex()
        raise Refusal("match_running", "The seed stays sealed until the match has ended.", Kind.DENIED)

    def _seed_of(self, match: str, opened: MatchOpened) -> bytes:
        """The seed of an open match. Raises ``Refusal`` for one that is not ours to deal."""
        if opened.deal is not None:
            opened.deal.table(match)
        source = _source(match, opened.deal)
        key = self._keys.find(lambda key: _promise(key, source) == opened.commitment)
        if key is None:
            sentence = f"Match {match} was opened under another master key; restore that key."
            raise Refusal("other_key", sentence, Kind.DENIED)
        return match_seed(key.secret, source)

    async def _dealt_to(self, match: str) -> _Dealt:
        dealt = self._dealt.get(match)
        if dealt is None:
            opened = await opening_of(self._log, match)
            if opened is None:
                raise Refusal("match_not_open", "No luck is drawn for a match that is not open.", Kind.MISSING)
            seed = self._seed_of(match, opened)
            mixed = mixed_seed(seed, [bytes.fromhex(nonce) for nonce in opened.nonces])
            deal = None if opened.deal is None else (opened.deal, opened.commitment)
            dealt = self._dealt[match] = _Dealt(opened.game, seed, mixed, deal)
            if len(self._dealt) > SEEDS_KEPT:
                self._dealt.popitem(last=False)
        return dealt


def _source(match: str, deal: Deal | None) -> str:
    """What a seed is made of: all tables of a deal have one."""
    return match if deal is None else deal.id


def _promise(key: MasterKey, source: str) -> str:
    return commitment(match_seed(key.secret, source)).hex()
