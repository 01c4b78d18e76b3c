"""The deck: seeds from the master key, outcomes from the seeds, and nothing before its time.

Its answers depend on the key, the match id and the opening commit alone, so every replica gives the same, before and
after a restart. It reads the nonces in the log rather than in the request: a caller cannot try other nonces, nor learn
the cards of a match that is not open yet.
"""

from collections import OrderedDict

import msgspec

from engine.kernel.chance import Draw, Roll, commitment
from engine.kernel.codec import Undecodable
from engine.kernel.commit import BadLine, decode_line
from engine.kernel.history import BrokenLog
from engine.kernel.official import EVENTS, MatchEnded, MatchOpened
from engine.kernel.ports import Log
from engine.kernel.refusal import Kind, Refusal
from engine.luck.algorithm import outcome
from engine.luck.seeds import match_seed, mixed_seed
from services.kit.key import MasterKey

SEEDS_KEPT = 20_000
"""Mixed seeds in memory: 32 bytes each, one a match that has drawn lately."""


class Deck:
    """The ``Luck`` port itself."""

    def __init__(self, key: MasterKey, log: Log) -> None:
        self._key = key
        self._log = log
        self._mixed: OrderedDict[str, bytes] = OrderedDict()

    async def commitment(self, match: str) -> str:
        return commitment(self._seed(match)).hex()

    async def draw(self, match: str, draw_id: str, asked: Roll | Draw) -> tuple[int, ...]:
        return outcome(await self._mixed_seed(match), draw_id, asked)

    async def reveal(self, match: str) -> str:
        seed = self._seed(match)
        self._check_ours(match, await self._opening(match), seed)
        for stored in reversed(await self._log.read(match, after=0)):
            if any(event.type == MatchEnded.name for event in decode_line(stored.line).events):
                return seed.hex()
        raise Refusal("match_running", "The seed stays sealed until the match has ended.", Kind.DENIED)

    def _seed(self, match: str) -> bytes:
        return match_seed(self._key.secret, match)

    async def _mixed_seed(self, match: str) -> bytes:
        mixed = self._mixed.get(match)
        if mixed is None:
            opened = await self._opening(match)
            seed = self._seed(match)
            self._check_ours(match, opened, seed)
            mixed = mixed_seed(seed, [bytes.fromhex(nonce) for nonce in opened.nonces])
            self._mixed[match] = mixed
            if len(self._mixed) > SEEDS_KEPT:
                self._mixed.popitem(last=False)
        return mixed

    async def _opening(self, match: str) -> MatchOpened:
        first = await self._log.read(match, after=0, limit=1)
        if not first:
            raise Refusal("match_not_open", "No luck is drawn for a match that is not open.", Kind.MISSING)
        try:
            opened = EVENTS.decode(decode_line(first[0].line).events[0])
        except (BadLine, Undecodable, IndexError, msgspec.MsgspecError) as error:
            raise BrokenLog(match, 1, str(error)) from error
        if not isinstance(opened, MatchOpened):
            raise BrokenLog(match, 1, "the first commit opens no match")
        return opened

    def _check_ours(self, match: str, opened: MatchOpened, seed: bytes) -> None:
        """A match that was opened under another master key must not be dealt from this one."""
        if opened.commitment != commitment(seed).hex():
            raise Refusal(
                "other_key", f"Match {match} was opened under another master key; restore that key.", Kind.DENIED
            )
